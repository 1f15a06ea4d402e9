package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	yamljson "sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/internal/rendered"
	"github.com/ringfence-dev/ringfence/internal/spelling"
	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/report"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Exit statuses of the judge: uncertain says that an answer isn't known or an object
// wasn't judged, changed that a difference was found.
const (
	uncertain = 3
	changed   = 4
)

const accessUsage = `Says who can reach what, and why, from manifests as rendered, by whatever tool: files,
directories, or - for standard input.

Commands:
%s
Each rests on settings of the mesh that objects don't hold: --environment reads them from
an Environment, and flags set them one by one. Exit status: 0 all is known, 1 the input is
wrong, 2 the command line is, 3 an answer isn't known or an object wasn't judged, 4 diff
found a change.

Example:
  ringfence access matrix --environment environment.yaml rendered/
  kustomize build app | ringfence access matrix -
  ringfence access explain shop/cart orders/api:8080 rendered/

Each command has a --help of its own.`

// accessCommands are the words after "ringfence access".
func accessCommands() []command {
	return []command{
		{"matrix", "who reaches what, as a table, JSON or CSV", accessMatrix},
		{"explain", "whether one reaches another, and why, stage by stage", accessExplain},
		{"diff", "which accesses a change opens and closes", accessDiff},
		{"test", "whether the cases of AccessTests hold", accessTest},
		{"graph", "a picture: Mermaid, DOT, or a page to look around in", accessGraph},
	}
}

func accessCommand(args []string, s krm.Streams) int {
	var words []string
	var list strings.Builder
	for _, c := range accessCommands() {
		if len(args) > 0 && args[0] == c.name {
			return c.run(args[1:], s)
		}
		words = append(words, c.name)
		fmt.Fprintf(&list, "  %-10s %s\n", c.name, c.summary)
	}
	if len(args) > 0 && slices.Contains([]string{"-h", "--help", "help"}, args[0]) {
		return say(s, fmt.Sprintf(accessUsage, list.String()))
	}
	wrong := "name a command"
	if len(args) > 0 {
		wrong = fmt.Sprintf("there is no command %q%s", args[0], spelling.DidYouMean(args[0], words))
	}
	_, _ = fmt.Fprintf(s.Err, "ringfence access: %s; there are %s; see ringfence access --help\n", wrong, strings.Join(words, ", "))
	return misused
}

// meshFlags are the settings of the mesh on a command line.
type meshFlags struct {
	set                         *pflag.FlagSet
	environment                 string
	trustDomain, root, revision string
	version                     string
	aliases                     []string
}

// meshFlagsOf adds the flags to those of a command.
func meshFlagsOf(set *pflag.FlagSet) *meshFlags {
	f := &meshFlags{set: set}
	set.StringVar(&f.environment, "environment", "", "file with an Environment, whose spec.istio has the mesh's settings")
	set.StringVar(&f.trustDomain, "trust-domain", "", "trust domain of the mesh (default cluster.local)")
	set.StringSliceVar(&f.aliases, "trust-domain-alias", nil, "former trust domain that policies may still name; repeatable")
	set.StringVar(&f.root, "root-namespace", "", "namespace whose policies are the whole mesh's (default istio-system)")
	set.StringVar(&f.revision, "revision", "", "revision of istiod that injects (default: the default tag's)")
	set.StringVar(&f.version, "istio-version", "", "version of Istio, printed beside the answers")
	return f
}

// settings returns what the flags say, over what the Environment says.
func (f *meshFlags) settings() (access.Settings, error) {
	var out access.Settings
	if f.environment != "" {
		istio, err := istioOf(f.environment)
		if err != nil {
			return out, err
		}
		out = access.Settings{TrustDomain: istio.TrustDomain, TrustDomainAliases: istio.TrustDomainAliases, RootNamespace: istio.RootNamespace, Version: istio.Version}
		if istio.Revision != nil {
			out.Revision = *istio.Revision
		}
	}
	out.TrustDomain, out.RootNamespace = cmp.Or(f.trustDomain, out.TrustDomain), cmp.Or(f.root, out.RootNamespace)
	out.Version = cmp.Or(f.version, out.Version)
	if f.set.Changed("revision") {
		out.Revision = f.revision
	}
	if out.Revision == "default" {
		out.Revision = ""
	}
	if f.set.Changed("trust-domain-alias") {
		out.TrustDomainAliases = f.aliases
	}
	for _, domain := range append([]string{out.TrustDomain}, out.TrustDomainAliases...) {
		if strings.ContainsAny(domain, "/: ") {
			return out, fmt.Errorf("%q is no trust domain: write it without spiffe:// and without a path, as in cluster.local", domain)
		}
	}
	return out, nil
}

// istioOf reads what an Environment says of the mesh.
func istioOf(file string) (v1alpha1.Istio, error) {
	e, err := readEnvironment(file)
	return e.Spec.Istio, err
}

// readEnvironment reads the one Environment of a file.
func readEnvironment(file string) (v1alpha1.Environment, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return v1alpha1.Environment{}, fmt.Errorf("reading the Environment: %w", err)
	}
	document, err := manifest.ReadStream(data)
	if err != nil {
		return v1alpha1.Environment{}, fmt.Errorf("reading the Environment of %q: %w", file, err)
	}
	var found []v1alpha1.Environment
	for _, item := range document.Items() {
		if ref := item.Ref(); ref.Kind != v1alpha1.KindEnvironment || ref.Group() != v1alpha1.Group {
			continue
		}
		var e v1alpha1.Environment
		if err := yamljson.UnmarshalStrict(item.Text(), &e); err != nil {
			return v1alpha1.Environment{}, fmt.Errorf("reading %s of %q: %w", item.Ref(), file, err)
		}
		found = append(found, e)
	}
	if len(found) != 1 {
		return v1alpha1.Environment{}, fmt.Errorf("%q holds %d documents of kind Environment, and one is wanted: name the environment's file, or set --trust-domain and the others by hand", file, len(found))
	}
	return found[0], nil
}

// judged is what a command judges: the objects, and the mesh that they make.
type judged struct {
	set  *resource.Set
	mesh *access.Mesh
}

// readMesh reads files, directories and "-", which is standard input.
func readMesh(paths []string, settings access.Settings, in io.Reader) (judged, error) {
	if len(paths) == 0 {
		return judged{}, errors.New("name the rendered files, directories of them, or - for standard input")
	}
	set, err := rendered.DefaultLimits.ReadWith(in, paths...)
	if err != nil {
		return judged{}, err
	}
	return judged{set, access.New(set, settings)}, nil
}

// open reads what the flags and the arguments name. ok is false when that failed, with the exit status.
func (f *meshFlags) open(paths []string, s krm.Streams) (j judged, status int, ok bool) {
	if len(paths) == 0 {
		_, _ = fmt.Fprintf(s.Err, "ringfence access %s: name the rendered files, directories of them, or - for standard input; see ringfence access %[1]s --help\n", f.set.Name())
		return judged{}, misused, false
	}
	settings, err := f.settings()
	if err == nil {
		j, err = readMesh(paths, settings, s.In)
	}
	if err != nil {
		return judged{}, f.fail(s, err), false
	}
	return j, succeeded, true
}

// fail says what is wrong with the input.
func (f *meshFlags) fail(s krm.Streams, err error) int {
	_, _ = fmt.Fprintf(s.Err, "ringfence access %s: error: %v\n", f.set.Name(), err)
	return failed
}

// misuse says what is wrong with the command line.
func (f *meshFlags) misuse(s krm.Streams, format string, args ...any) int {
	_, _ = fmt.Fprintf(s.Err, "ringfence access %s: %s; see ringfence access %[1]s --help\n", f.set.Name(), fmt.Sprintf(format, args...))
	return misused
}

// chosen says which of the formats is wanted, or what is wrong.
func (f *meshFlags) chosen(output string, formats ...string) error {
	if slices.Contains(formats, output) {
		return nil
	}
	return fmt.Errorf("there is no output %q%s; there are %s", output, spelling.DidYouMean(output, formats), strings.Join(formats, ", "))
}

// locate says in which files the objects are that aren't judged.
func (j judged) locate(list []report.Unjudged) {
	for i, u := range list {
		if u.File != "" || u.Object == nil {
			continue
		}
		o := j.set.Get(resource.Ref{APIVersion: u.Object.APIVersion, Kind: u.Object.Kind, Namespace: u.Object.Namespace, Name: u.Object.Name})
		if o == nil {
			continue
		}
		if at, ok := o.Source.(interface{ Position() (string, int) }); ok {
			file, line := at.Position()
			if list[i].File = file; line > 0 {
				list[i].File = fmt.Sprintf("%s:%d", file, line)
			}
		}
	}
}

// unjudged lists the objects that aren't judged.
func unjudged(s krm.Streams, command string, list []report.Unjudged) {
	for _, u := range list {
		_, _ = fmt.Fprintf(s.Err, "ringfence access %s: not judged: %s\n", command, u)
	}
}

// workload returns the workload of a name, "<namespace>/<name>" with or without a kind.
func (j judged) workload(name string) (*access.Workload, error) {
	w, err := j.mesh.Workload(name)
	if err == nil {
		return w, nil
	}
	known := map[string]bool{}
	for _, w := range j.mesh.Workloads {
		plain := w.Ref.Namespace + "/" + w.Ref.Name
		if plain == name {
			return nil, fmt.Errorf("finding %q: %w", name, err) // several objects have the name
		}
		known[plain] = true
	}
	names := slices.Sorted(maps.Keys(known))
	if hint := spelling.DidYouMean(name, names); hint != "" {
		return nil, fmt.Errorf("no object %q makes pods%s", name, hint)
	}
	const most = 20
	more := ""
	if len(names) > most {
		more = fmt.Sprintf(", and %d more", len(names)-most)
		names = names[:most]
	}
	return nil, fmt.Errorf("no object %q makes pods; there are %s%s", name, cmp.Or(strings.Join(names, ", "), "none"), more)
}

// accessFlags parses the flags of a command of "ringfence access".
func accessFlags(set *pflag.FlagSet, usage string, args []string, s krm.Streams) (status int, ok bool) {
	set.SetOutput(s.Err)
	set.Usage = func() { _, _ = fmt.Fprintf(s.Out, "%s\n\nFlags:\n%s", usage, set.FlagUsages()) }
	err := set.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return succeeded, false
	case err != nil:
		_, _ = fmt.Fprintf(s.Err, "ringfence access %s: %v; see ringfence access %[1]s --help\n", set.Name(), err)
		return misused, false
	}
	return succeeded, true
}
