package probe

import "time"

// Gateway is one ingress gateway to probe.
type Gateway struct {
	Name string
	// Scheme is "http" or "https". Address and Port are where the gateway itself
	// listens, such as a node and its NodePort, with no other proxy on the way.
	Scheme, Address string
	Port            int
	// Hosts that it must admit; at least one.
	Hosts []Host
	// Rejects says that it must deny requests for all other hosts. Else it must not
	// deny them: the policy of a rung above would still be alive.
	Rejects bool
	// RejectedHost is a host that it doesn't serve.
	RejectedHost string
	// Path and Method of the requests.
	Path, Method string
	// Readiness and Metrics are asked where they are given.
	Readiness, Metrics *Endpoint
	// URL is asked as any client would, through DNS and whatever stands before the gateway; it may be empty.
	URL string
	// URLStatus are the codes that URL may answer. Without any, it is judged as an admitted host.
	URLStatus []int
}

// Host is one that a gateway must admit.
type Host struct {
	// Name is no wildcard.
	Name string
	// Ports are those with which it must be admitted as well: "name:port".
	Ports []int
}

// Endpoint is an HTTP port of a gateway's proxy beside its listeners.
type Endpoint struct {
	Address string
	Port    int
	Path    string
}

// The checks, by their names in a report.
const (
	Accepted         = "accepted"
	AcceptedWithPort = "accepted-with-port"
	Rejected         = "rejected"
	NotRejected      = "not-rejected"
	Readiness        = "readiness"
	Metrics          = "metrics"
	URL              = "url"
)

// Report is what came of probing one gateway.
type Report struct {
	Gateway string
	Checks  []Check
	// Warnings say what the checks could not tell.
	Warnings []string
}

// OK reports whether every check had the answer that it wants.
func (r Report) OK() bool { return len(r.Failures()) == 0 }

// Failures returns a line for each check that failed.
func (r Report) Failures() []string {
	var out []string
	for _, c := range r.Checks {
		if !c.OK {
			out = append(out, "gateway "+r.Gateway+": "+c.String())
		}
	}
	return out
}

// Check is one request, repeated until it had the answer that it wants or no attempt was left.
type Check struct {
	// Name is that of the check: Accepted, Rejected and so on.
	Name string
	// Host is the Host header; empty where the URL's own is sent. URL is without its query.
	Host, URL string
	OK        bool
	// Kind, Status, Body and Server are those of the last answer. Body is its printable
	// beginning. Body and Server are empty where they could repeat a header that was given.
	Kind         Kind
	Status       int
	Body, Server string
	// Reason says what was answered, and where that fails the check, why and what to look at.
	Reason   string
	Attempts int
	// Duration is that of all attempts with the waits between them.
	Duration time.Duration
}

// String names the request and says what came of it, on one line.
func (c Check) String() string {
	subject := c.Host
	if subject == "" {
		subject = c.URL
	}
	return c.Name + ": " + subject + " " + c.Reason
}
