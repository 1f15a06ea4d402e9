package access

import (
	"maps"
	"regexp"
	"strings"

	networkingv1alpha3 "istio.io/api/networking/v1alpha3"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// matchesHTTP reports whether a match of a VirtualService's route is for a request
// on a gateway's server (pilot/pkg/networking/core/route, TranslateRouteMatch).
func matchesHTTP(match *networkingv1alpha3.HTTPMatchRequest, r Request, b bound) truth.Value {
	if !forServer(match, r.To, b) {
		return truth.No
	}
	h := r.HTTP
	out := truth.Yes
	if match.GetUri() != nil {
		out = min(out, matchesURI(match, h.Path))
	}
	if match.GetScheme() != nil {
		scheme := "http"
		if !b.server.plain() {
			scheme = "https"
		}
		out = min(out, matchesText(match.GetScheme(), authz.Is(scheme)))
	}
	if match.GetMethod() != nil {
		out = min(out, matchesText(match.GetMethod(), h.Method))
	}
	if match.GetAuthority() != nil {
		out = min(out, matchesText(match.GetAuthority(), h.Host))
	}
	for name, want := range match.GetHeaders() {
		out = min(out, matchesText(want, header(h, name)))
	}
	for name, want := range match.GetWithoutHeaders() {
		out = min(out, truth.Not(matchesText(want, header(h, name))))
	}
	if len(match.GetQueryParams()) > 0 {
		out = min(out, truth.Unknown)
	}
	return out
}

// forServer reports whether the match is for the server, and for gateways like these pods.
func forServer(match *networkingv1alpha3.HTTPMatchRequest, w *Workload, b bound) bool {
	if match.GetPort() != 0 && match.GetPort() != b.server.GetPort().GetNumber() {
		return false
	}
	if names := match.GetGateways(); len(names) > 0 {
		return l4(0, names, b) == truth.Yes
	}
	return (len(match.GetSourceLabels()) == 0 || resource.Selects(match.GetSourceLabels(), w.labels)) &&
		(match.GetSourceNamespace() == "" || match.GetSourceNamespace() == w.namespace)
}

// header returns a header of the request. What stands for one that a RequestAuthentication fills isn't known.
func header(h *authz.HTTP, name string) authz.Text {
	if h.Headers == nil || strings.HasPrefix(name, "@") {
		return authz.Text{}
	}
	if text, there := h.Headers[strings.ToLower(name)]; there {
		return text
	}
	return authz.None()
}

func matchesURI(match *networkingv1alpha3.HTTPMatchRequest, path authz.Text) truth.Value {
	if match.GetUri().GetPrefix() == "/" {
		return truth.Yes
	}
	value, there := path.Value()
	if !match.GetIgnoreUriCase() || there != truth.Yes {
		return matchesText(match.GetUri(), path)
	}
	folded := &networkingv1alpha3.StringMatch{}
	switch want := match.GetUri().GetMatchType().(type) {
	case *networkingv1alpha3.StringMatch_Exact:
		folded.MatchType = &networkingv1alpha3.StringMatch_Exact{Exact: strings.ToLower(want.Exact)}
	case *networkingv1alpha3.StringMatch_Prefix:
		folded.MatchType = &networkingv1alpha3.StringMatch_Prefix{Prefix: strings.ToLower(want.Prefix)}
	default:
		return matchesText(match.GetUri(), path) // an expression says itself what it ignores
	}
	return matchesText(folded, authz.Is(strings.ToLower(value)))
}

// matchesText reports whether a text is there and matches. A match without a value,
// and the expression "*", are for a text that is there.
func matchesText(want *networkingv1alpha3.StringMatch, text authz.Text) truth.Value {
	value, there := text.Value()
	if there != truth.Yes {
		return there
	}
	switch match := want.GetMatchType().(type) {
	case *networkingv1alpha3.StringMatch_Exact:
		return truth.Of(value == match.Exact)
	case *networkingv1alpha3.StringMatch_Prefix:
		return truth.Of(strings.HasPrefix(value, match.Prefix))
	case *networkingv1alpha3.StringMatch_Regex:
		if match.Regex == "*" {
			return truth.Yes
		}
		expression, err := regexp.Compile("^(?:" + match.Regex + ")$")
		if err != nil {
			return truth.Unknown // Istio refuses it
		}
		return truth.Of(expression.MatchString(value))
	}
	return truth.Yes
}

// rewritten returns the request as a route changes it.
func rewritten(r Request, route *networkingv1alpha3.HTTPRoute) *authz.HTTP {
	out := changed(r.HTTP, route.GetHeaders().GetRequest())
	rewrite := route.GetRewrite()
	if rewrite == nil {
		return out
	}
	with := *out
	if rewrite.GetAuthority() != "" {
		with.Host = authz.Is(rewrite.GetAuthority())
	}
	if rewrite.GetUri() != "" || rewrite.GetUriRegexRewrite() != nil {
		with.Path = authz.Text{} // what it was before says which part is replaced
		if path, there := r.HTTP.Path.Value(); there == truth.Yes && len(route.GetMatch()) == 1 && rewrite.GetUri() != "" {
			switch match := route.GetMatch()[0].GetUri().GetMatchType().(type) {
			case *networkingv1alpha3.StringMatch_Exact:
				with.Path = authz.Is(rewrite.GetUri())
			case *networkingv1alpha3.StringMatch_Prefix:
				if rest, ok := strings.CutPrefix(path, match.Prefix); ok {
					with.Path = authz.Is(rewrite.GetUri() + rest)
				}
			}
		}
	}
	return &with
}

// changed returns a request with headers set, added and removed.
func changed(h *authz.HTTP, by *networkingv1alpha3.Headers_HeaderOperations) *authz.HTTP {
	if len(by.GetSet())+len(by.GetAdd())+len(by.GetRemove()) == 0 {
		return h
	}
	out := *h
	out.Headers = maps.Clone(h.Headers)
	for name, value := range by.GetSet() {
		switch strings.ToLower(name) {
		case "host", ":authority":
			out.Host = authz.Is(value)
		default:
			if out.Headers != nil {
				out.Headers[strings.ToLower(name)] = authz.Is(value)
			}
		}
	}
	if out.Headers == nil {
		return &out
	}
	for name := range by.GetAdd() {
		out.Headers[strings.ToLower(name)] = authz.Text{} // how several are joined isn't ours to say
	}
	for _, name := range by.GetRemove() {
		delete(out.Headers, strings.ToLower(name))
	}
	return &out
}
