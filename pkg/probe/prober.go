package probe

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Prober probes gateways, one request after the other. Its zero value asks each
// once and takes Timeout for none: set the fields.
type Prober struct {
	// Timeout of one attempt, from the dialling to the end of the body.
	Timeout time.Duration
	// Retries is how many answers may be other than wanted, each followed by another
	// attempt after Delay: a policy takes seconds to reach a gateway.
	Retries int
	Delay   time.Duration
	// Successes is how many attempts in a row must have the wanted answer; 0 means 1.
	// Each is a connection of its own, so that more of them find more of a gateway's pods.
	Successes int
	// Insecure says that certificates are not verified.
	Insecure bool
	// Headers are sent to gateways and their URLs. Where there are any, no part of an answer
	// is shown that could repeat them.
	Headers http.Header
	// Servers are the names that a gateway's proxy may have in its Server header, if it has
	// that; none means those of Istio and of Envoy.
	Servers []string
}

// DefaultServers are the names that gateways have for themselves, unless told otherwise.
var DefaultServers = []string{"istio-envoy", "envoy"}

// Probe runs the checks of one gateway in their order. It fails only where the gateway
// can't be asked at all, or where ctx ends; then the report holds what was done.
func (p *Prober) Probe(ctx context.Context, g Gateway) (Report, error) {
	report := Report{Gateway: g.Name}
	if err := g.Validate(); err != nil {
		return report, err
	}
	checks, err := plan(g)
	if err != nil {
		return report, fmt.Errorf("reading what to ask: %w", err)
	}
	var traced, untraced bool
	for _, c := range checks {
		result, last := p.run(ctx, c)
		report.Checks = append(report.Checks, result)
		if err := ctx.Err(); err != nil {
			return report, fmt.Errorf("asking %s: %w", result.URL, err)
		}
		if direct := c.host != ""; direct && result.Kind == Application {
			traced, untraced = traced || last.upstream(), untraced || !last.upstream()
		}
	}
	if untraced && !traced {
		report.Warnings = append(report.Warnings, "gateway "+g.Name+": no answer of the application carries "+upstreamHeader+
			": either this is no gateway, or it hides Envoy's headers, and then a denial by the application's own proxy looks like the gateway's")
	}
	return report, nil
}

// run repeats a check until it has what it wants, and returns the last answer too.
func (p *Prober) run(ctx context.Context, c check) (out Check, last answer) {
	start := time.Now()
	defer func() { out.Duration = time.Since(start) }()
	out = Check{Name: c.name, Host: c.host, URL: withoutQuery(c.url)}
	for retries, inARow := p.Retries, 0; ; {
		last = p.ask(ctx, c)
		p.judge(&out, c, last)
		out.Attempts++
		if ctx.Err() != nil {
			return out, last
		}
		if out.OK {
			inARow++
			if inARow >= p.Successes {
				return out, last
			}
			continue
		}
		inARow = 0
		if retries <= 0 {
			return out, last
		}
		retries--
		wait(ctx, p.Delay)
	}
}

func (p *Prober) judge(out *Check, c check, a answer) {
	servers := p.Servers
	if len(servers) == 0 {
		servers = DefaultServers
	}
	out.Kind, out.Status = classify(a, servers), a.status
	if c.own && out.Kind != Unreachable {
		out.Kind = Proxy
	}
	out.Body, out.Server = shown(string(a.body)), shown(a.header.Get("Server"))
	if len(p.Headers) > 0 {
		out.Body = a.text()
		if !slices.Contains(servers, out.Server) {
			out.Server = ""
		}
	}
	out.Reason = said(a, out.Kind)
	why := c.want(a, out.Kind)
	if out.OK = why == ""; !out.OK {
		out.Reason += ": " + why
	}
}

// wait returns after d, or when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func withoutQuery(u *url.URL) string {
	out := *u
	out.RawQuery, out.ForceQuery, out.Fragment, out.User = "", false, "", nil
	return out.String()
}
