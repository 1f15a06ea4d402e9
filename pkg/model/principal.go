package model

import (
	"fmt"
	"strings"

	"github.com/spiffe/go-spiffe/v2/spiffeid"
	"k8s.io/apimachinery/pkg/util/validation"
)

// TrustDomain is the trust domain of a mesh.
type TrustDomain = spiffeid.TrustDomain

// Principal is a workload's SPIFFE identity in Istio's form. Its zero value is nobody.
type Principal struct {
	id                        spiffeid.ID
	namespace, serviceAccount string
}

// NewPrincipal returns the identity of pods that run as a ServiceAccount.
func NewPrincipal(td TrustDomain, namespace, serviceAccount string) (Principal, error) {
	if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
		return Principal{}, fmt.Errorf("%q is no namespace: %s", namespace, rule(problems))
	}
	if problems := validation.IsDNS1123Subdomain(serviceAccount); len(problems) > 0 {
		return Principal{}, fmt.Errorf("%q is no ServiceAccount name: %s", serviceAccount, rule(problems))
	}
	id, err := spiffeid.FromSegments(td, "ns", namespace, "sa", serviceAccount)
	if err != nil {
		return Principal{}, fmt.Errorf("it is no SPIFFE ID: %w", err)
	}
	return Principal{id: id, namespace: namespace, serviceAccount: serviceAccount}, nil
}

// ParsePrincipal reads "<trust domain>/ns/<namespace>/sa/<ServiceAccount>", with
// or without "spiffe://" before it. Other shapes never match in Istio, nor do
// wildcards expand trust domain aliases, so they are errors.
func ParsePrincipal(s string) (Principal, error) {
	id, err := spiffeid.FromString("spiffe://" + strings.TrimPrefix(s, "spiffe://"))
	if err != nil {
		return Principal{}, fmt.Errorf("it is no SPIFFE ID: %w", err)
	}
	segments := strings.Split(id.Path(), "/") // the path starts with "/"
	if len(segments) != 5 || segments[1] != "ns" || segments[3] != "sa" {
		return Principal{}, fmt.Errorf("it isn't of Istio's form, %s/ns/<namespace>/sa/<ServiceAccount>", id.TrustDomain().Name())
	}
	return NewPrincipal(id.TrustDomain(), segments[2], segments[4])
}

// String returns what an AuthorizationPolicy's principals hold: the SPIFFE ID without its scheme.
func (p Principal) String() string {
	if p.IsZero() {
		return ""
	}
	return p.id.TrustDomain().Name() + p.id.Path()
}

// IsZero reports whether p is nobody.
func (p Principal) IsZero() bool { return p.id.IsZero() }

// TrustDomain returns the trust domain.
func (p Principal) TrustDomain() TrustDomain { return p.id.TrustDomain() }

// Namespace returns the namespace of the ServiceAccount.
func (p Principal) Namespace() string { return p.namespace }

// ServiceAccount returns the name of the ServiceAccount.
func (p Principal) ServiceAccount() string { return p.serviceAccount }
