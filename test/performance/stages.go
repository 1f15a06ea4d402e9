package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
)

// functions are Ringfence's, in their order.
var functions = []string{
	"identity-splitter", "host-policy-generator", "sidecar-enroller",
	"workload-policy-generator", "tenant-policy-generator", "access-verifier",
}

// way is one way of rendering a build.
type way struct {
	name string
	// needs are the executables, by their names in the folder.
	needs []string
	// prepare writes what the way reads into dir, before each run: kpt changes it.
	prepare func(s setting) error
	// commands are run one behind the other, as a pipe; the first reads the file, if there is one.
	commands func(s setting) [][]string
	file     string
	// large and stream say that the way is measured with these numbers of resources, too.
	large, stream bool
	// derives says that the result must hold what the model derives.
	derives bool
}

// setting is where one run takes place.
type setting struct {
	input
	dir, bin string
}

func (s setting) tool(name string) string { return filepath.Join(s.bin, name) }

const (
	alone  = "kustomize alone"
	behind = "kustomize, then the filter"
	stream = "the filter alone"
)

var ways = []way{
	{
		name: alone, needs: []string{"kustomize"}, large: true,
		prepare:  func(s setting) error { return kustomization(s.dir, s.input, nil) },
		commands: build,
	},
	{
		name: behind, needs: []string{"kustomize", "ringfence"}, large: true, derives: true,
		prepare:  filtered,
		commands: func(s setting) [][]string { return append(build(s), render(s)) },
	},
	{
		name: stream, needs: []string{"ringfence"}, large: true, stream: true, derives: true,
		prepare:  filtered,
		commands: func(s setting) [][]string { return [][]string{render(s)} },
		file:     "resources.yaml",
	},
	{
		name: "`ringfence build`", needs: []string{"ringfence"}, derives: true,
		prepare: filtered,
		commands: func(s setting) [][]string {
			return [][]string{{s.tool("ringfence"), "build", "--owner", "shop", "--model", filepath.Join(s.dir, "model.yaml"),
				"--environment", filepath.Join(s.dir, "environment.yaml"), s.dir}}
		},
	},
	{
		name: "one function in kustomize", needs: []string{"kustomize", "ringfence"}, derives: true,
		prepare: func(s setting) error {
			return kustomization(s.dir, s.input, nil, s.functionConfig("ringfence", s.tool("ringfence")))
		},
		commands: build,
	},
	{
		name: "six functions in kustomize", needs: append([]string{"kustomize"}, functions...), derives: true,
		prepare: func(s setting) error {
			var configs []string
			for _, name := range functions {
				configs = append(configs, s.functionConfig(name, s.tool(name)))
			}
			return kustomization(s.dir, s.input, nil, configs...)
		},
		commands: build,
	},
	{
		name: "the catalogue's set-namespace in kustomize", needs: []string{"kustomize", "set-namespace"},
		prepare: func(s setting) error {
			return kustomization(s.dir, s.input, nil, namespaceConfig(s.tool("set-namespace")))
		},
		commands: build,
	},
	{
		name: "`kpt fn render`", needs: []string{"kpt", "ringfence"},
		prepare: func(s setting) error {
			return kptPackage(s.dir, s.input, s.functionConfig("ringfence", ""), s.tool("ringfence"))
		},
		commands: kptRender,
	},
	{
		name: "the catalogue's set-namespace with kpt", needs: []string{"kpt", "set-namespace"},
		prepare: func(s setting) error {
			return kptPackage(s.dir, s.input, namespaceConfig(""), s.tool("set-namespace"))
		},
		commands: kptRender,
	},
}

func filtered(s setting) error {
	return kustomization(s.dir, s.input, map[string]string{"model.yaml": s.model, "environment.yaml": environment})
}

func build(s setting) [][]string {
	return [][]string{{s.tool("kustomize"), "build", "--enable-alpha-plugins", "--enable-exec", s.dir}}
}

func render(s setting) []string {
	return []string{s.tool("ringfence"), "render", "--owner", "shop",
		"--component", "security-baseline,security-enrollment,security-enforcement,tenant-policies",
		"--model", filepath.Join(s.dir, "model.yaml"), "--environment", filepath.Join(s.dir, "environment.yaml")}
}

func kptRender(s setting) [][]string {
	return [][]string{{s.tool("kpt"), "fn", "render", s.dir, "--allow-exec"}}
}

// derived counts the policies in a rendered build.
func derived(file string) (int, error) {
	in, err := os.Open(file)
	if err != nil {
		return 0, fmt.Errorf("opening the result: %w", err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	lines, found := bufio.NewScanner(in), 0
	for lines.Scan() {
		if lines.Text() == "kind: AuthorizationPolicy" {
			found++
		}
	}
	if err := lines.Err(); err != nil {
		return 0, fmt.Errorf("reading the result: %w", err)
	}
	return found, nil
}
