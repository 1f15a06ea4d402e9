package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"gopkg.in/yaml.v3"
)

const galaxyFile = "galaxy.yml"

// galaxy is the file galaxy.yml:
// https://docs.ansible.com/ansible/latest/dev_guide/collections_galaxy_meta.html
// Its JSON form, in the same order, is what MANIFEST.json says of the collection.
type galaxy struct {
	Namespace     string            `yaml:"namespace" json:"namespace"`
	Name          string            `yaml:"name" json:"name"`
	Version       string            `yaml:"version" json:"version"`
	Authors       []string          `yaml:"authors" json:"authors"`
	Readme        string            `yaml:"readme" json:"readme"`
	Tags          []string          `yaml:"tags" json:"tags"`
	Description   string            `yaml:"description" json:"description"`
	License       []string          `yaml:"license" json:"license"`
	LicenseFile   *string           `yaml:"-" json:"license_file"`
	Dependencies  map[string]string `yaml:"dependencies" json:"dependencies"`
	Repository    string            `yaml:"repository" json:"repository"`
	Documentation string            `yaml:"documentation" json:"documentation"`
	Homepage      string            `yaml:"homepage" json:"homepage"`
	Issues        string            `yaml:"issues" json:"issues"`
	BuildIgnore   []string          `yaml:"build_ignore" json:"-"`
}

func readGalaxy(path string) (galaxy, error) {
	var info galaxy
	text, err := os.ReadFile(path)
	if err != nil {
		return info, fmt.Errorf("reading the collection's description: %w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&info); err != nil {
		return info, fmt.Errorf("reading %s: %w", path, err)
	}
	for key, value := range map[string]string{"namespace": info.Namespace, "name": info.Name, "version": info.Version, "readme": info.Readme} {
		if value == "" {
			return info, fmt.Errorf("%s: %s is missing", path, key)
		}
	}
	for _, ignored := range info.BuildIgnore {
		// Ansible's patterns let * match a slash, Go's don't.
		if strings.ContainsAny(ignored, `*?[`) {
			return info, fmt.Errorf("%s: build_ignore: %q is a pattern; name each file", path, ignored)
		}
	}
	if info.Dependencies == nil {
		info.Dependencies = map[string]string{}
	}
	return info, nil
}
