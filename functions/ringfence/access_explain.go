package main

import (
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/spelling"
	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/report"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

const accessExplainUsage = `Says whether FROM reaches TO, stage by stage, and what decides:

  ringfence access explain FROM TO[:PORT] PATH...

FROM is one of
  NAMESPACE/NAME                 pods of an object; KIND/NAMESPACE/NAME where several have the name
  external, external:ADDRESS     a client outside of the cluster
  node, node:ADDRESS             a node
  pods:NAMESPACE/SERVICEACCOUNT  pods that no object makes; behind it, separated by commas:
                                 injected (they have a proxy), key=value (a label)
TO is NAMESPACE/NAME, and the port is the pods' own, not a Service's. Of a gateway, ask
with --host. What flags don't say of the request isn't known; once one header is given,
the request has no others.

Exit status: 0 the answer is known, 1 the input is wrong, 2 the command line is, 3 the
answer isn't known.

Example:
  ringfence access explain shop/web shop/cart:8080 rendered/
  ringfence access explain external istio-system/gateway --host shop.example.org rendered/
  ringfence access explain pods:shop/web,injected,app=web shop/cart --method GET --path / rendered/`

// requestFlags say what is known of a request.
type requestFlags struct {
	set                     *pflag.FlagSet
	host, method, path, sni string
	headers                 []string
}

func requestFlagsOf(set *pflag.FlagSet) *requestFlags {
	f := &requestFlags{set: set}
	set.StringVar(&f.host, "host", "", "Host or :authority of the request, with a port if the client writes one")
	set.StringVar(&f.method, "method", "", "method, such as GET")
	set.StringVar(&f.path, "path", "", "path without query")
	set.StringArrayVar(&f.headers, "header", nil, "NAME=VALUE; repeatable")
	set.StringVar(&f.sni, "sni", "", "server name that an outside client asks for in its TLS handshake")
	return f
}

// apply puts what is known into a request.
func (f *requestFlags) apply(r *access.Request) error {
	text := func(flag, value string) authz.Text {
		if !f.set.Changed(flag) {
			return authz.Text{}
		}
		return authz.Is(value)
	}
	r.SNI = text("sni", f.sni)
	if !slices.ContainsFunc([]string{"host", "method", "path", "header"}, f.set.Changed) {
		return nil
	}
	r.HTTP = &authz.HTTP{Host: text("host", f.host), Method: text("method", f.method), Path: text("path", f.path)}
	if path, query, has := strings.Cut(f.path, "?"); has {
		return fmt.Errorf("--path %q has a query, which policies don't see: write --path %q without %q", f.path, path, "?"+query)
	}
	for _, header := range f.headers {
		name, value, ok := strings.Cut(header, "=")
		if !ok || name == "" {
			return fmt.Errorf("--header %q is no NAME=VALUE", header)
		}
		if r.HTTP.Headers == nil {
			r.HTTP.Headers = map[string]authz.Text{}
		}
		r.HTTP.Headers[strings.ToLower(name)] = authz.Is(value)
	}
	return nil
}

func accessExplain(args []string, s krm.Streams) int {
	set := pflag.NewFlagSet("explain", pflag.ContinueOnError)
	output := set.StringP("output", "o", "text", "text or json")
	known, f := requestFlagsOf(set), meshFlagsOf(set)
	if status, ok := accessFlags(set, accessExplainUsage, args, s); !ok {
		return status
	}
	if err := f.chosen(*output, "text", "json"); err != nil {
		return f.misuse(s, "%v", err)
	}
	if set.NArg() < 3 {
		return f.misuse(s, "give FROM, TO[:PORT], and the rendered files, directories of them, or -; there are %d arguments", set.NArg())
	}
	var r access.Request
	if err := known.apply(&r); err != nil {
		return f.misuse(s, "%v", err)
	}
	j, status, ok := f.open(set.Args()[2:], s)
	if !ok {
		return status
	}
	from, err := j.subject(set.Arg(0))
	if err != nil {
		return f.fail(s, err)
	}
	r.From = from
	if r.To, r.Port, err = j.destination(set.Arg(1)); err != nil {
		return f.fail(s, err)
	}
	if note := j.note(r); note != "" {
		_, _ = fmt.Fprintf(s.Err, "ringfence access explain: note: %s\n", note)
	}
	explanation := report.ExplanationOf(j.mesh, r)
	j.locate(explanation.Unjudged)
	if *output == "json" {
		err = explanation.JSON(s.Out)
	} else {
		err = explanation.Text(s.Out, isTerminal(s))
	}
	if err != nil {
		return f.fail(s, err)
	}
	unjudged(s, set.Name(), explanation.Unjudged)
	if explanation.Answer.Answer == truth.Unknown.String() {
		return uncertain
	}
	return succeeded
}

// isTerminal says that a person looks at the output, and wants colours.
func isTerminal(s krm.Streams) bool {
	out, ok := s.Out.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(out.Fd()))
}

// subject returns who asks.
func (j judged) subject(text string) (access.Subject, error) {
	word, rest, _ := strings.Cut(text, ":")
	switch word {
	case "external", "node":
		out := access.Subject{Node: word == "node"}
		if rest == "" {
			return out, nil
		}
		address, err := netip.ParseAddr(rest)
		if err != nil {
			return out, fmt.Errorf("reading %q: %q is no IP address", text, rest)
		}
		out.Address = address
		return out, nil
	case "pods":
		pods, err := podsOf(rest)
		if err != nil {
			return access.Subject{}, fmt.Errorf("reading %q: %w", text, err)
		}
		return access.Subject{Workload: j.mesh.Imagine(pods)}, nil
	}
	if !strings.Contains(text, "/") {
		return access.Subject{}, fmt.Errorf("%q is nobody%s: name pods as NAMESPACE/NAME, or say external, node or pods:NAMESPACE/SERVICEACCOUNT", text, spelling.DidYouMean(text, []string{"external", "node"}))
	}
	w, err := j.workload(text)
	return access.Subject{Workload: w}, err
}

// podsOf reads "<namespace>/<ServiceAccount>[,injected][,<label>=<value>]".
func podsOf(text string) (access.Pods, error) {
	words := strings.Split(text, ",")
	namespace, account, ok := strings.Cut(words[0], "/")
	if !ok || namespace == "" || account == "" {
		return access.Pods{}, fmt.Errorf("%q is no NAMESPACE/SERVICEACCOUNT", words[0])
	}
	out := access.Pods{Namespace: namespace, ServiceAccount: account, Labels: map[string]string{}}
	for _, word := range words[1:] {
		key, value, isLabel := strings.Cut(word, "=")
		switch {
		case word == "injected":
			out.Injected = true
		case isLabel && key != "":
			out.Labels[key] = value
		default:
			return out, fmt.Errorf("%q is neither injected nor a label key=value", word)
		}
	}
	return out, nil
}

// destination returns who is asked. Where the pods have one port, it needn't be said.
func (j judged) destination(text string) (*access.Workload, int32, error) {
	name, written, has := strings.Cut(text, ":")
	w, err := j.workload(name)
	if err != nil {
		return nil, 0, err
	}
	if has {
		port, err := strconv.ParseUint(written, 10, 16)
		if err != nil || port == 0 {
			return nil, 0, fmt.Errorf("reading %q: %q is no port: give its number, 1 to 65535", text, written)
		}
		return w, int32(port), nil
	}
	ports := j.mesh.Served(w)
	switch len(ports) {
	case 0:
		return nil, 0, fmt.Errorf("no container and no Service declares a port of %s: say which one, as in %s:8080", name, name)
	case 1:
		return w, ports[0], nil
	default:
		return nil, 0, fmt.Errorf("%s has several ports: say which one of %s, as in %s:%d", name, listed(ports), name, ports[0])
	}
}

// note says what may be amiss with a question.
func (j judged) note(r access.Request) string {
	if ports := j.mesh.Served(r.To); len(ports) > 0 && !slices.Contains(ports, r.Port) {
		return fmt.Sprintf("nothing declares port %d of %s; declared are %s. Ports are the pods' own, not a Service's", r.Port, r.To, listed(ports))
	}
	if r.To.Gateway && (r.HTTP == nil || r.HTTP.Host == authz.Text{}) {
		var hosts []string
		for _, e := range j.mesh.Entries() {
			if e.Gateway == r.To && e.Port == r.Port && e.Host != access.OtherHost {
				hosts = append(hosts, e.Host)
			}
		}
		const most = 10
		if len(hosts) > most {
			hosts = append(hosts[:most], "and more")
		}
		if len(hosts) > 0 {
			return fmt.Sprintf("where a gateway leads depends on the host: ask with --host, one of %s", strings.Join(hosts, ", "))
		}
	}
	return ""
}

func listed(ports []int32) string {
	out := make([]string, 0, len(ports))
	for _, port := range ports {
		out = append(out, strconv.Itoa(int(port)))
	}
	return strings.Join(out, ", ")
}
