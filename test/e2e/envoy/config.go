package envoy

import (
	"maps"
	"strings"
)

// object is a message of Envoy's API as JSON has it.
type object = map[string]any

const extensions = "type.googleapis.com/envoy.extensions."

// typed names an extension and its configuration.
func typed(name, message string, config object) object {
	out := object{"@type": extensions + message}
	maps.Copy(out, config)
	return object{"name": name, "typed_config": out}
}

// gateway is one listener, with the HTTP connection manager that Istio gives a gateway.
type gateway struct {
	name    string
	filters []object
	// hosts are the virtual hosts.
	hosts []object
	// manager and router hold fields beside the usual ones.
	manager, router object
	// tls is the transport of a TLS listener, serverNames those that it picks it by.
	tls         object
	serverNames []string
	// pipe is the socket of a listener that only Envoy itself connects to; others get a port.
	pipe string
}

func (g gateway) listener() object {
	manager := object{
		"stat_prefix": "outbound_" + g.name, "server_name": "istio-envoy", "use_remote_address": true, "normalize_path": true,
		// Istio's gateways route a host whatever port stands beside it; their policies don't.
		"route_config": object{"name": g.name, "virtual_hosts": g.hosts, "ignore_port_in_host_matching": true, "validate_clusters": false},
		"http_filters": append(g.filters, typed("envoy.filters.http.router", "filters.http.router.v3.Router", g.router)),
	}
	maps.Copy(manager, g.manager)
	chain := object{"filters": []object{
		typed("envoy.filters.network.http_connection_manager", "filters.network.http_connection_manager.v3.HttpConnectionManager", manager),
	}}
	// Two sockets that share a port would be asked in turn.
	out := object{"name": g.name, "address": address(0), "filter_chains": []object{chain}, "enable_reuse_port": false}
	if g.pipe != "" {
		out["address"] = pipe(g.pipe)
	}
	if g.tls != nil {
		chain["transport_socket"], chain["filter_chain_match"] = g.tls, object{"server_names": g.serverNames}
		out["listener_filters"] = []object{typed("envoy.filters.listener.tls_inspector", "filters.listener.tls_inspector.v3.TlsInspector", nil)}
	}
	return out
}

func address(port int) object {
	return object{"socket_address": object{"address": "127.0.0.1", "port_value": port}}
}

func pipe(path string) object { return object{"pipe": object{"path": path}} }

// allow is the filter that Istio makes of an AuthorizationPolicy whose one rule names hosts
// (pilot/pkg/security/authz): exact, suffix or prefix, all without regard to case.
func allow(hosts ...string) object {
	var permissions []object
	for _, host := range hosts {
		match := object{"ignore_case": true}
		switch {
		case strings.HasPrefix(host, "*"):
			match["suffix"] = host[1:]
		case strings.HasSuffix(host, "*"):
			match["prefix"] = strings.TrimSuffix(host, "*")
		default:
			match["exact"] = host
		}
		permissions = append(permissions, object{"header": object{"name": ":authority", "string_match": match}})
	}
	return rbac(object{"permissions": []object{{"and_rules": object{"rules": []object{{"or_rules": object{"rules": permissions}}}}}},
		"principals": []object{{"and_ids": object{"ids": []object{{"any": true}}}}}})
}

// allowNothing is the filter of a policy without rules.
func allowNothing() object { return rbac(nil) }

func rbac(policy object) object {
	rules := object{"action": "ALLOW"}
	if policy != nil {
		rules["policies"] = object{"ns[istio-system]-policy[edge]-rule[0]": policy}
	}
	return typed("envoy.filters.http.rbac", "filters.http.rbac.v3.RBAC", object{"rules": rules, "shadow_rules_stat_prefix": "istio_dry_run_allow_"})
}

// authorize is the filter of a CUSTOM policy whose provider speaks HTTP. headers are those
// that a client gets of its refusals (headersToDownstreamOnDeny); none means all.
func authorize(cluster string, headers ...string) object {
	service := object{"server_uri": object{"uri": "http://provider.example.org", "cluster": cluster, "timeout": "1s"}}
	if len(headers) > 0 {
		var patterns []object
		for _, name := range headers {
			patterns = append(patterns, object{"exact": name, "ignore_case": true})
		}
		service["authorization_response"] = object{"allowed_client_headers": object{"patterns": patterns}}
	}
	return typed("envoy.filters.http.ext_authz", "filters.http.ext_authz.v3.ExtAuthz", object{"transport_api_version": "V3", "http_service": service})
}

// authenticate is a filter that wants a token of every request. That of a RequestAuthentication
// lets those without one pass, and answers as this one does where a token is wrong.
func authenticate(keys string) object {
	return typed("envoy.filters.http.jwt_authn", "filters.http.jwt_authn.v3.JwtAuthentication", object{
		"providers": object{"issuer": object{"issuer": "https://issuer.example.org", "local_jwks": object{"inline_string": keys}}},
		"rules":     []object{{"match": object{"prefix": "/"}, "requires": object{"provider_name": "issuer"}}},
	})
}

// limit is a local rate limit that nothing passes after its first request.
func limit() object {
	all := object{"default_value": object{"numerator": 100, "denominator": "HUNDRED"}}
	return typed("envoy.filters.http.local_ratelimit", "filters.http.local_ratelimit.v3.LocalRateLimit", object{
		"stat_prefix": "limit", "filter_enabled": all, "filter_enforced": all,
		"token_bucket": object{"max_tokens": 1, "tokens_per_fill": 1, "fill_interval": "3600s"},
	})
}

// route sends the requests for a host to a cluster.
func route(host, cluster string) object {
	return object{"name": host + ":80", "domains": []string{host}, "routes": []object{
		{"match": object{"prefix": "/"}, "route": object{"cluster": cluster, "timeout": "1s"}},
	}}
}

// blackhole is what Istio gives a gateway to whose Gateway no VirtualService is bound.
func blackhole() object { return object{"name": "blackhole:80", "domains": []string{"*"}} }

// toHTTPS is what httpsRedirect of a Gateway's server makes.
func toHTTPS(host string) object {
	out := route(host, application)
	out["require_tls"] = "ALL"
	return out
}

// cluster is one with these addresses.
func cluster(name string, addresses ...object) object {
	endpoints := []object{}
	for _, a := range addresses {
		endpoints = append(endpoints, object{"endpoint": object{"address": a}})
	}
	return object{
		"name": name, "type": "STATIC", "connect_timeout": "1s",
		"load_assignment": object{"cluster_name": name, "endpoints": []object{{"lb_endpoints": endpoints}}},
	}
}

// certificate is the transport of a listener that ends TLS.
func certificate(chain, key string) object {
	return typed("envoy.transport_sockets.tls", "transport_sockets.tls.v3.DownstreamTlsContext", object{
		"common_tls_context": object{"tls_certificates": []object{{
			"certificate_chain": object{"inline_string": chain}, "private_key": object{"inline_string": key},
		}}},
	})
}
