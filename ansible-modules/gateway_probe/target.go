package gatewayprobe

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/probe"
)

// target is a gateway to probe, or the reason why it isn't.
type target struct {
	probe.Gateway
	skipped string
}

// targets reads the gateways of a task. The platform is nil without a model. All
// problems are reported together, before anything is sent.
func targets(call *ansible.Call, platform *model.Platform) ([]target, error) {
	entries := call.Dicts("gateways")
	if len(entries) == 0 {
		return nil, errors.New("gateways: the list is empty, so that nothing would be proved; name the gateways")
	}
	var (
		out  []target
		errs []error
	)
	for i, params := range entries {
		entry := &ansible.Call{Params: params}
		t, err := read(call, entry, platform)
		if err == nil && t.skipped == "" {
			err = t.Validate()
		}
		if err != nil {
			// A joined error has a line for each.
			for line := range strings.Lines(err.Error()) {
				errs = append(errs, fmt.Errorf("gateways[%d] (%s): %s", i, entry.String("name"), strings.TrimSuffix(line, "\n")))
			}
		}
		out = append(out, t)
	}
	return out, errors.Join(errs...)
}

// read reads one gateway. What the task says of it counts before the model.
func read(call, entry *ansible.Call, platform *model.Platform) (target, error) {
	t := target{Gateway: probe.Gateway{
		Name: entry.String("name"), Scheme: entry.String("scheme"), Address: entry.String("address"), Port: entry.Int("port"),
		RejectedHost: call.String("rejected_host"), Path: entry.String("path"), Method: entry.String("method"),
		URL: entry.String("url"), URLStatus: numbers(entry, "url_status"),
	}}
	known, err := find(call, platform, t.Name)
	if err != nil {
		return t, err
	}
	switch {
	case !entry.Bool("deployed"):
		t.skipped = "the task says that it isn't deployed"
		return t, nil
	case known != nil && known.Absent:
		t.skipped = fmt.Sprintf("environment %q doesn't have it", platform.Environment)
		return t, nil
	}
	t.Rejects = rejects(call, entry, known)
	if entry.Bool("readiness") {
		t.Readiness = &probe.Endpoint{Address: cmp.Or(entry.String("readiness_address"), t.Address), Port: entry.Int("readiness_port"), Path: "/healthz/ready"}
	}
	if entry.Has("metrics_port") {
		t.Metrics = &probe.Endpoint{Address: cmp.Or(entry.String("metrics_address"), t.Address), Port: entry.Int("metrics_port"), Path: entry.String("metrics_path")}
	}
	err = t.addHosts(entry, known)
	return t, err
}

// find returns the gateway of a name; nil without a model.
func find(call *ansible.Call, platform *model.Platform, name string) (*model.Gateway, error) {
	if platform == nil {
		return nil, nil //nolint:nilnil // there is none to be found
	}
	owner := call.String("owner")
	var names []string
	for _, g := range platform.Gateways {
		if g.Name == name && owner != "" && g.Owner != owner {
			return nil, fmt.Errorf("name: the gateway is owner %q's, and the task is owner %q's", g.Owner, owner)
		}
		if g.Name == name {
			return g, nil
		}
		names = append(names, g.Name)
	}
	return nil, fmt.Errorf("name: the model has no such gateway; it has %s", strings.Join(names, ", "))
}

// rejects says whether unknown hosts must be denied: the nearest that says it counts.
func rejects(call, entry *ansible.Call, known *model.Gateway) bool {
	switch {
	case entry.Has("expect_rejection"):
		return entry.Bool("expect_rejection")
	case call.Has("expect_rejection"):
		return call.Bool("expect_rejection")
	case known != nil:
		return known.HostPolicy && known.Profile.Enforces()
	case call.Has("security_profile"):
		return call.String("security_profile") == model.Enforced.String()
	default:
		return true
	}
}

// addHosts resolves the hosts to ask for and the ports to name beside them.
func (t *target) addHosts(entry *ansible.Call, known *model.Gateway) error {
	var (
		hosts     []model.Host
		wildcards []int // the ports beside a wildcard host
		errs      []error
	)
	if known != nil {
		hosts = known.Hosts
		for _, port := range known.HostPorts {
			wildcards = append(wildcards, int(port.Number()))
		}
	}
	if entry.Has("hosts") {
		hosts = nil
		for _, text := range entry.Strings("hosts") {
			host, err := model.ParseHost(text)
			if err != nil {
				errs = append(errs, fmt.Errorf("hosts: %q: %w", text, err))
				continue
			}
			hosts = append(hosts, host)
		}
	}
	rejected, err := model.ParseHost(t.RejectedHost)
	if err != nil {
		errs = append(errs, fmt.Errorf("rejected_host: %q: %w", t.RejectedHost, err))
	}
	for _, host := range hosts {
		if host.Covers(rejected) {
			errs = append(errs, fmt.Errorf("rejected_host: the gateway's host %q covers %q, which must be one that it doesn't serve", host, rejected))
		}
		ports := []int{t.Port}
		switch {
		case entry.Has("host_ports"):
			ports = numbers(entry, "host_ports")
		case host.IsWildcard():
			ports = wildcards
		}
		t.Hosts = append(t.Hosts, probe.Host{Name: below(host), Ports: slices.Clone(ports)})
	}
	return errors.Join(errs...)
}

// below returns a name that a host covers: itself, or one below a wildcard.
func below(host model.Host) string {
	if domain, wildcard := strings.CutPrefix(host.String(), "*"); wildcard {
		return "probe" + domain
	}
	return host.String()
}

// numbers returns a parameter of type list with elements int.
func numbers(call *ansible.Call, name string) []int {
	var out []int
	list, _ := call.Params[name].([]any)
	for _, entry := range list {
		if n, ok := entry.(int64); ok {
			out = append(out, int(n))
		}
	}
	return out
}
