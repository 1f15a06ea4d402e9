package probe

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// Validate reports everything that keeps the gateway from being asked. The names
// before the colons are those of the module's options.
func (g Gateway) Validate() error {
	errs := []error{
		named("scheme", scheme(g.Scheme)),
		named("address", address(g.Address)),
		named("port", port(g.Port)),
		named("path", path(g.Path)),
		named("rejected_host", g.rejectedHost()),
		named("url", public(g.URL)),
	}
	if len(g.Hosts) == 0 {
		errs = append(errs, errors.New("hosts: there is none that it must admit, so that nothing would be proved"))
	}
	for _, host := range g.Hosts {
		errs = append(errs, named("hosts", hostName(host.Name)))
		for _, number := range host.Ports {
			errs = append(errs, named("host_ports", port(number)))
		}
	}
	return errors.Join(append(errs, g.Readiness.validate("readiness"), g.Metrics.validate("metrics"))...)
}

func (e *Endpoint) validate(name string) error {
	if e == nil {
		return nil
	}
	return errors.Join(named(name+"_address", address(e.Address)), named(name+"_port", port(e.Port)), named(name+"_path", path(e.Path)))
}

func named(field string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", field, err)
}

func scheme(s string) error {
	if s != "http" && s != "https" {
		return fmt.Errorf("%q is neither http nor https", s)
	}
	return nil
}

func address(s string) error {
	if _, err := netip.ParseAddr(s); err == nil {
		return nil
	}
	switch {
	case s == "":
		return errors.New("it is empty; give a node's address or name")
	case strings.ContainsAny(s, "/@?#[]% \t\r\n"):
		return fmt.Errorf("%q is neither an address nor a host name; give it without scheme, path and brackets", s)
	case strings.Contains(s, ":"):
		return fmt.Errorf("%q has a port; give that as the port", s)
	}
	return nil
}

func port(n int) error {
	if n < 1 || n > 65535 {
		return fmt.Errorf("%d is no port number: those are 1 to 65535", n)
	}
	return nil
}

func hostName(s string) error {
	if s == "" || strings.ContainsAny(s, "*/:@?# \t\r\n") {
		return fmt.Errorf("%q is no host name that can be asked for", s)
	}
	return nil
}

func (g Gateway) rejectedHost() error {
	if err := hostName(g.RejectedHost); err != nil {
		return err
	}
	for _, host := range g.Hosts {
		if strings.EqualFold(host.Name, g.RejectedHost) {
			return fmt.Errorf("%q is one of the hosts that the gateway must admit", g.RejectedHost)
		}
	}
	return nil
}

// path reads what follows the authority of a URL. "//x" would be an authority itself.
func path(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return fmt.Errorf("%q is no path of a URL", s)
	case !strings.HasPrefix(u.Path, "/") || u.Host != "" || u.Scheme != "" || u.User != nil:
		return fmt.Errorf("%q doesn't begin with one slash", s)
	}
	return nil
}

// public reads the URL that anybody may ask. Its user and password are no part of
// it: they would stand in every log.
func public(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return errors.New("it is no URL")
	case u.User != nil:
		return errors.New("it holds a user or password; send those in headers")
	case u.Hostname() == "":
		return errors.New("it has no host")
	}
	return scheme(u.Scheme)
}
