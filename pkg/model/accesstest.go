package model

import (
	"cmp"
	"net/netip"
	"reflect"
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// AccessTest is what some objects must hold against, whoever made them.
type AccessTest struct {
	Name  string
	Cases []AccessCase
}

// Equal reports whether two tests say the same, wherever they were written.
func (t AccessTest) Equal(other AccessTest) bool {
	return t.Name == other.Name && slices.EqualFunc(t.Cases, other.Cases, func(a, b AccessCase) bool {
		a.Origin, b.Origin = Origin{}, Origin{}
		return reflect.DeepEqual(a, b)
	})
}

// AccessCase is one request and what must become of it.
type AccessCase struct {
	// Name is unique within the test.
	Name string
	// Reason is its author's; it may be empty.
	Reason string
	// Origin is where it was written.
	Origin Origin

	From AccessSource
	To   ObjectName
	// Port of the pods; 0 is their only one.
	Port int32
	// LeadsTo is where a gateway must send the request; zero where that isn't asked.
	LeadsTo ObjectName
	Request AccessRequest
	// Expect is what must become of it, by Profile. Unasked is no answer.
	Expect [Enforced + 1]Answer
}

// Origin is where something was written.
type Origin struct {
	// File is empty where another tool handed the text in; then there is no Line.
	File   string
	Line   int
	Object resource.Ref
	Field  string
}

// Answer is what a case expects.
type Answer string

// The answers.
const (
	Unasked Answer = ""
	Allowed Answer = "Allowed"
	Denied  Answer = "Denied"
	Unknown Answer = "Unknown"
)

// ObjectName names an object that makes pods.
type ObjectName struct {
	// Kind is empty where any will do.
	Kind            string
	Namespace, Name string
}

// IsZero reports whether it names nothing.
func (n ObjectName) IsZero() bool { return n == ObjectName{} }

// String returns "<namespace>/<name>", with the kind in front where there is one.
func (n ObjectName) String() string {
	if n.Kind != "" {
		return n.Kind + "/" + n.Namespace + "/" + n.Name
	}
	return n.Namespace + "/" + n.Name
}

// AccessSource is who asks: a Workload or Pods, else a node or a client outside of the cluster.
type AccessSource struct {
	Workload ObjectName
	Pods     *AccessPods
	Node     bool
	// Address of a node or client; the zero Addr isn't known.
	Address netip.Addr
}

// String names the source as a command line does.
func (s AccessSource) String() string {
	word := "external"
	switch {
	case s.Pods != nil:
		return "pods:" + s.Pods.Namespace + "/" + cmp.Or(s.Pods.ServiceAccount, "default")
	case !s.Workload.IsZero():
		return s.Workload.String()
	case s.Node:
		word = "node"
	}
	if s.Address.IsValid() {
		word += ":" + s.Address.String()
	}
	return word
}

// AccessPods are pods that no object makes.
type AccessPods struct {
	Namespace, ServiceAccount string
	Labels                    map[string]string
	Injected                  bool
	// TrustDomain of their certificates; empty for the mesh's.
	TrustDomain string
}

// AccessRequest is what is known of a request. Empty fields aren't.
type AccessRequest struct {
	// Hosts are those that it is asked for, one by one, as the client writes them.
	Hosts []string
	// HostRef is the name of the Environment's dns that the hosts come from; without
	// hosts the environment has none of that name.
	HostRef      string
	Method, Path string
	// Headers are all that the request has; nil where they aren't known.
	Headers map[string]string
	// NoToken says that no RequestAuthentication would accept a token of it.
	NoToken bool
	SNI     string
}

// HTTP reports whether anything is known that a request has and a connection hasn't.
func (r AccessRequest) HTTP() bool {
	return len(r.Hosts) > 0 || r.HostRef != "" || r.Method != "" || r.Path != "" || r.Headers != nil || r.NoToken
}
