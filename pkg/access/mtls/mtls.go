// Package mtls says which connections a workload's proxy takes: Istio's
// PeerAuthentications of the mesh, the namespace and the workload, merged.
package mtls

import (
	"cmp"
	"slices"

	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Mode is what a port takes.
type Mode string

// The modes. Permissive is Istio's default.
const (
	Permissive Mode = "PERMISSIVE" // mutual TLS and plaintext
	Strict     Mode = "STRICT"     // mutual TLS alone
	Disable    Mode = "DISABLE"    // plaintext alone
)

// Policy is one PeerAuthentication.
type Policy struct {
	Namespace, Name string
	// Created is the time of its creation as RFC 3339; empty in manifests, which have none.
	Created string
	Spec    *securityv1beta1.PeerAuthentication
}

func (p *Policy) String() string { return p.Namespace + "/" + p.Name }

// Setting is what is in force on one port.
type Setting struct {
	// Mode is empty where policies of one level contradict each other: the oldest
	// counts, and which that is isn't known.
	Mode Mode
	// Policies that decide: one, none where the default is in force, all of those that contradict.
	Policies []*Policy
}

// InForce returns what is in force on a port of pods. Of the policies of one level
// the oldest counts alone; a narrower level that sets a mode counts before a wider
// one; only a workload's policy sets modes by port (istio.io/istio
// pilot/pkg/security/authn, ComposePeerAuthentication).
func InForce(policies []*Policy, rootNamespace, namespace string, labels map[string]string, port uint32) Setting {
	var mesh, own, workload []*Policy
	for _, p := range policies {
		match := p.Spec.GetSelector().GetMatchLabels()
		switch {
		case p.Namespace == rootNamespace && len(match) == 0:
			mesh = append(mesh, p)
		case p.Namespace != namespace || p.Namespace == rootNamespace: // there a selector is ignored
		case len(match) == 0:
			own = append(own, p)
		case resource.Selects(match, labels):
			workload = append(workload, p)
		}
	}
	settings := []Setting{{Mode: Permissive}}
	for _, level := range []struct {
		policies []*Policy
		mode     func(p *Policy) Mode
	}{{mesh, (*Policy).mode}, {own, (*Policy).mode}, {workload, func(p *Policy) Mode { return p.modeOf(port) }}} {
		settings = narrowed(settings, oldest(level.policies), level.mode)
	}
	out := settings[0]
	for _, s := range settings[1:] {
		if s.Mode != out.Mode {
			out.Mode = ""
		}
		for _, p := range s.Policies {
			if !slices.Contains(out.Policies, p) {
				out.Policies = append(out.Policies, p)
			}
		}
	}
	return out
}

// narrowed returns the settings that may be in force below a level: any of its
// policies may be the one that counts.
func narrowed(wider []Setting, level []*Policy, mode func(*Policy) Mode) []Setting {
	if len(level) == 0 {
		return wider
	}
	var out []Setting
	for _, p := range level {
		if m := mode(p); m != "" {
			out = append(out, Setting{m, []*Policy{p}})
		} else {
			out = append(out, wider...)
		}
	}
	return out
}

// oldest returns the policy that counts, or all that may.
func oldest(level []*Policy) []*Policy {
	if slices.ContainsFunc(level, func(p *Policy) bool { return p.Created == "" }) {
		return level
	}
	if len(level) == 0 {
		return nil
	}
	created := slices.MinFunc(level, func(a, b *Policy) int { return cmp.Compare(a.Created, b.Created) }).Created
	return slices.DeleteFunc(level, func(p *Policy) bool { return p.Created != created })
}

func (p *Policy) mode() Mode { return modeIn(p.Spec.GetMtls()) }

func (p *Policy) modeOf(port uint32) Mode {
	if m := modeIn(p.Spec.GetPortLevelMtls()[port]); m != "" {
		return m
	}
	return p.mode()
}

// modeIn returns the mode that is set; empty where a wider level's counts.
func modeIn(m *securityv1beta1.PeerAuthentication_MutualTLS) Mode {
	if m.GetMode() == securityv1beta1.PeerAuthentication_MutualTLS_UNSET {
		return ""
	}
	return Mode(m.GetMode().String())
}
