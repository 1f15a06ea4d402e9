package main

import (
	"bufio"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// mix holds one object of each kind as kustomize prints it, and the order in
// which they are repeated. NUMBER and NAMESPACE stand for what differs.
//
//go:embed mix
var mix embed.FS

const (
	environment = `apiVersion: ringfence.dev/v1alpha1
kind: Environment
metadata:
  name: staging
spec:
  tier: staging
  securityProfile: enforced
  dns:
    shop:
    - shop.example.org
`
	modelHead = `apiVersion: ringfence.dev/v1alpha1
kind: AccessModel
metadata:
  name: platform
spec:
  owners:
  - name: shop
    tool: GitOps
  - name: istio
    tool: Ansible
  gateways:
  - name: edge
    owner: istio
    serviceAccountName: edge
    hostRefs:
    - shop
  workloads:
`
	modelWorkload = `  - name: app-NUMBER
    namespace: shop
    owner: shop
    serviceAccountName: app-NUMBER
    selector:
      matchLabels:
        app.kubernetes.io/name: app-NUMBER
    enroll: true
    ports:
    - port: 8080
    callers:
    - gateway: edge
`
)

// input is one build: the file of its objects, and the model of the owner who has
// some of the Deployments. Those get all that an enforced environment derives.
type input struct {
	resources, model string
	ours             int
}

// generate writes the build of a size: always the same. It holds little of it in
// memory, for Linux counts the memory of the process that starts another one as
// that one's.
func generate(size int, resources string) (in input, err error) {
	texts, err := readMix()
	if err != nil {
		return input{}, err
	}
	file, err := os.Create(resources)
	if err != nil {
		return input{}, fmt.Errorf("writing the input: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var (
		out    = bufio.NewWriter(file)
		model  strings.Builder
		wanted = min(max(size/100, 10), 200)
	)
	in.resources = resources
	model.WriteString(modelHead)
	for i := range size {
		text, namespace := texts[i%len(texts)], fmt.Sprintf("team-%d", i/len(texts)%50)
		number := strconv.Itoa(i)
		if in.ours < wanted && strings.Contains(text, "kind: Deployment") {
			in.ours++
			namespace = "shop"
			model.WriteString(strings.ReplaceAll(modelWorkload, "NUMBER", number))
		}
		if i > 0 {
			text = "---\n" + text
		}
		_, _ = out.WriteString(strings.ReplaceAll(strings.ReplaceAll(text, "NUMBER", number), "NAMESPACE", namespace)) // Flush returns the error
	}
	in.model = model.String()
	if err := out.Flush(); err != nil {
		return input{}, fmt.Errorf("writing the input: %w", err)
	}
	return in, nil
}

func readMix() ([]string, error) {
	order, err := mix.ReadFile("mix/order.txt")
	if err != nil {
		return nil, fmt.Errorf("reading the mix: %w", err)
	}
	var texts []string
	for name := range strings.FieldsSeq(string(order)) {
		text, err := mix.ReadFile("mix/" + name + ".yaml")
		if err != nil {
			return nil, fmt.Errorf("reading the mix: %w", err)
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}

// functionConfig returns the configuration of a function. exec names its
// executable for kustomize; kpt has that in the Kptfile.
func (in input) functionConfig(name, exec string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: ringfence.dev/v1alpha1\nkind: Ringfence\nmetadata:\n  name: %s\n  annotations:\n", name)
	b.WriteString("    config.kubernetes.io/local-config: \"true\"\n")
	writeExec(&b, exec)
	b.WriteString("spec:\n  owner: shop\n  components:\n  - security-baseline\n  - security-enrollment\n  - security-enforcement\n  - tenant-policies\n")
	for _, document := range []struct{ key, text string }{{"model", in.model}, {"environment", environment}} {
		fmt.Fprintf(&b, "  %s:\n", document.key)
		_, content, _ := strings.Cut(document.text, "metadata:") // apiVersion and kind stand before
		for line := range strings.Lines("metadata:" + content) {
			b.WriteString("    " + line)
		}
	}
	return b.String()
}

// namespaceConfig returns the configuration of the catalogue's set-namespace.
func namespaceConfig(exec string) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: set-namespace\n  annotations:\n")
	b.WriteString("    config.kubernetes.io/local-config: \"true\"\n")
	writeExec(&b, exec)
	b.WriteString("data:\n  namespace: other\n")
	return b.String()
}

func writeExec(b *strings.Builder, exec string) {
	if exec != "" {
		fmt.Fprintf(b, "    config.kubernetes.io/function: |\n      exec:\n        path: %s\n", exec)
	}
}

// kustomization writes a directory that kustomize builds, with functions as its transformers and more files.
func kustomization(dir string, in input, more map[string]string, configs ...string) error {
	var b strings.Builder
	b.WriteString("resources:\n- resources.yaml\n")
	files := map[string]string{}
	maps.Copy(files, more)
	if len(configs) > 0 {
		b.WriteString("transformers:\n")
	}
	for i, config := range configs {
		name := fmt.Sprintf("function-%d.yaml", i)
		files[name] = config
		b.WriteString("- " + name + "\n")
	}
	files["kustomization.yaml"] = b.String()
	return in.write(dir, files)
}

// kptPackage writes a package whose pipeline is one function.
func kptPackage(dir string, in input, config, exec string) error {
	return in.write(dir, map[string]string{
		"config.yaml": config,
		"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: package\npipeline:\n  mutators:\n  - exec: " +
			exec + "\n    configPath: config.yaml\n",
	})
}

// write copies the objects into a new directory, beside other files.
func (in input) write(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("making the directory: %w", err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
	}
	from, err := os.Open(in.resources)
	if err != nil {
		return fmt.Errorf("copying: %w", err)
	}
	defer from.Close() //nolint:errcheck // it was only read
	to, err := os.Create(filepath.Join(dir, "resources.yaml"))
	if err != nil {
		return fmt.Errorf("copying: %w", err)
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}
