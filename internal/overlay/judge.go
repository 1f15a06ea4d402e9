package overlay

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/enrollment"
	"github.com/ringfence-dev/ringfence/pkg/resource"
	"github.com/ringfence-dev/ringfence/pkg/verify"
)

// Environment is what the builds of one environment are together.
type Environment struct {
	Name     string
	Builds   []Build
	Findings finding.List
}

// Judge puts builds together by environment and verifies each union: there,
// what one build refers to must be in another. version is ours, which a build may
// have asked for in its objects.
func Judge(builds []Build, version string) []Environment {
	var out []Environment
	names, byName := environments(builds)
	for _, name := range names {
		e := Environment{Name: name, Builds: byName[name]}
		e.Findings = e.judge(builds, version)
		out = append(out, e)
	}
	return out
}

func (e Environment) judge(all []Build, version string) finding.List {
	set, findings := objects(e.Builds)
	first := e.Builds[0]
	owners := map[string]string{}
	for _, b := range e.Builds {
		if other, twice := owners[b.Request.Owner.Name]; twice {
			findings.Add(finding.New(finding.OwnerConflict, b.Request.Config, "spec.owner", "%s and %s are both builds of owner %q", other, b.Dir, b.Request.Owner.Name))
		}
		owners[b.Request.Owner.Name] = b.Dir
		if !reflect.DeepEqual(first.Request.Platform, b.Request.Platform) {
			findings.Add(finding.New(finding.InputAmbiguous, b.Request.Config, "spec", "%s and %s are of environment %q with different documents", first.Dir, b.Dir, e.Name))
			continue
		}
		findings.Add(verify.Union(policy.Input{
			Scope:      b.scope(version),
			Resources:  set,
			Components: b.Request.Components,
		})...)
	}
	tests, more := e.tests()
	findings.Add(more...)
	if !findings.Failed() { // else it would say the same in other words
		findings.Add(verify.Tests(policy.Input{Scope: first.scope(version), Resources: set}, tests, partial(first.Request.Platform, owners))...)
	}
	findings.Add(registered(set, e.Name, all)...)
	for _, u := range set.Unreadable() {
		findings.Add(finding.New(finding.ObjectUnreadable, u.Ref, "", "%v", u.Err))
	}
	return findings.Sorted()
}

// partial reports whether owners of a platform whose objects come from builds are
// not among those of the builds, by their directories.
func partial(platform *model.Platform, dirs map[string]string) bool {
	return slices.ContainsFunc(platform.Owners, func(o model.Owner) bool { return o.Tool == model.GitOps && dirs[o.Name] == "" })
}

// tests returns the AccessTests of all builds. Several may hold the same one, and an
// application may have some of its own.
func (e Environment) tests() ([]model.AccessTest, finding.List) {
	var (
		out      []model.AccessTest
		findings finding.List
	)
	dirs := map[string]string{}
	for _, b := range e.Builds {
		for _, t := range b.Request.Tests {
			at := slices.IndexFunc(out, func(o model.AccessTest) bool { return o.Name == t.Name })
			switch {
			case at < 0:
				out, dirs[t.Name] = append(out, t), b.Dir
			case !t.Equal(out[at]):
				findings.Add(finding.New(finding.InputAmbiguous, b.Request.Config, "spec.accessTests", "%s and %s hold different AccessTests called %q", dirs[t.Name], b.Dir, t.Name).
					WithRemedy("make them the same, or rename one"))
			}
		}
	}
	return out, findings
}

func (b Build) scope(version string) derive.Scope {
	out := derive.Scope{Platform: b.Request.Platform, Owner: b.Request.Owner}
	if b.Request.StampVersion {
		out.Version = version
	}
	return out
}

// registered reports Argo CD Applications whose path leads to another
// environment's overlay, or in production to one that lacks a component.
func registered(set *resource.Set, environment string, all []Build) finding.List {
	var out finding.List
	for _, o := range set.Kind("argoproj.io", "Application") {
		path := resource.String(o.Content(), "spec", "source", "path")
		for _, b := range all {
			if b.Unjudged || path == "" || !isSuffix(b.Dir, path) {
				continue
			}
			platform := b.Request.Platform
			if platform.Environment != environment {
				out.Add(finding.New(finding.ApplicationEnvironment, o.Ref(), "spec.source.path", "%q is an overlay of environment %q", path, platform.Environment).WithValues(path, nil))
			}
			for _, component := range []string{policy.ComponentEnrollment, policy.ComponentEnforcement} {
				if platform.Tier == "production" && !slices.Contains(b.Request.Components, component) {
					out.Add(finding.New(finding.ApplicationComponent, o.Ref(), "spec.source.path", "%q is a production overlay without component %s", path, component).WithValues(path, nil))
				}
			}
		}
	}
	return out
}

// isSuffix reports whether a directory is the one that a path from some root names.
func isSuffix(dir, path string) bool {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		absolute = dir
	}
	return strings.HasSuffix(filepath.ToSlash(absolute), "/"+strings.Trim(path, "/"))
}

// Summary counts what one build holds.
type Summary struct {
	Objects, Policies, Enrolled int
}

// Summary counts the build's objects, the policies that are ours and the pod
// templates of applications that ask for a sidecar.
func (b Build) Summary() Summary {
	out := Summary{}
	set, _ := objects([]Build{b})
	origin := policy.OriginOf(b.scope(""))
	for o := range set.All() {
		out.Objects++
		if o.Ref().Group() == "security.istio.io" && origin.Made(o) {
			out.Policies++
		}
	}
	for t := range set.PodTemplates() {
		if t.Labels[enrollment.LabelInject] == "true" && !verify.RunsGateway(t) {
			out.Enrolled++
		}
	}
	return out
}
