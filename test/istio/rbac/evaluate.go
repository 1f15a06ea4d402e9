package rbac

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	rbacv3 "github.com/envoyproxy/go-control-plane/envoy/config/rbac/v3"
	rbachttpv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/rbac/v3"
	rbactcpv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/rbac/v3"
	uritemplatev3 "github.com/envoyproxy/go-control-plane/envoy/extensions/path/match/uri_template/v3"
	"google.golang.org/protobuf/types/known/anypb"
)

// Filter is a filter of an HTTP chain, or of one that reads no HTTP.
type Filter interface {
	GetName() string
	GetTypedConfig() *anypb.Any
}

// Rules returns the rules of filters in their order, but for shadow rules, which
// decide nothing.
func Rules[F Filter](filters []F) ([]*rbacv3.RBAC, error) {
	var out []*rbacv3.RBAC
	for _, f := range filters {
		rules, err := rulesOf(f.GetTypedConfig())
		if err != nil {
			return nil, fmt.Errorf("reading filter %q: %w", f.GetName(), err)
		}
		if rules != nil {
			out = append(out, rules)
		}
	}
	return out, nil
}

func rulesOf(config *anypb.Any) (*rbacv3.RBAC, error) {
	message, err := config.UnmarshalNew()
	if err != nil {
		return nil, err
	}
	switch m := message.(type) {
	case *rbachttpv3.RBAC:
		return m.GetRules(), nil
	case *rbactcpv3.RBAC:
		return m.GetRules(), nil
	}
	return nil, nil
}

// Allowed reports whether all filters let a request through. A matcher of a kind
// that isn't known here is an error.
func Allowed(filters []*rbacv3.RBAC, r Request) (bool, error) {
	for _, f := range filters {
		matched, err := matches(f, r)
		if err != nil {
			return false, err
		}
		switch f.GetAction() {
		case rbacv3.RBAC_ALLOW:
			if !matched {
				return false, nil
			}
		case rbacv3.RBAC_DENY:
			if matched {
				return false, nil
			}
		case rbacv3.RBAC_LOG:
		}
	}
	return true, nil
}

// matches reports whether any policy of a filter matches: one of its permissions and one of its principals.
func matches(f *rbacv3.RBAC, r Request) (bool, error) {
	for _, name := range slices.Sorted(maps.Keys(f.GetPolicies())) {
		policy := f.GetPolicies()[name]
		permitted, err := some(policy.GetPermissions(), func(p *rbacv3.Permission) (bool, error) { return permission(p, r) })
		if err != nil {
			return false, fmt.Errorf("policy %q: %w", name, err)
		}
		identified, err := some(policy.GetPrincipals(), func(p *rbacv3.Principal) (bool, error) { return principal(p, r) })
		if err != nil {
			return false, fmt.Errorf("policy %q: %w", name, err)
		}
		if permitted && identified {
			return true, nil
		}
	}
	return false, nil
}

func some[T any](list []T, holds func(T) (bool, error)) (bool, error) {
	for _, entry := range list {
		if ok, err := holds(entry); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func every[T any](list []T, holds func(T) (bool, error)) (bool, error) {
	for _, entry := range list {
		if ok, err := holds(entry); !ok || err != nil {
			return ok, err
		}
	}
	return true, nil
}

func not(ok bool, err error) (bool, error) { return !ok, err }

func permission(p *rbacv3.Permission, r Request) (bool, error) {
	recurse := func(p *rbacv3.Permission) (bool, error) { return permission(p, r) }
	switch rule := p.GetRule().(type) {
	case *rbacv3.Permission_Any:
		return rule.Any, nil
	case *rbacv3.Permission_AndRules:
		return every(rule.AndRules.GetRules(), recurse)
	case *rbacv3.Permission_OrRules:
		return some(rule.OrRules.GetRules(), recurse)
	case *rbacv3.Permission_NotRule:
		return not(recurse(rule.NotRule))
	case *rbacv3.Permission_Header:
		return header(rule.Header, r)
	case *rbacv3.Permission_UrlPath:
		path, there := r.path()
		if !there {
			return false, nil
		}
		return text(rule.UrlPath.GetPath(), path)
	case *rbacv3.Permission_UriTemplate:
		var config uritemplatev3.UriTemplateMatchConfig
		if err := rule.UriTemplate.GetTypedConfig().UnmarshalTo(&config); err != nil {
			return false, err
		}
		path, there := r.path()
		return there && template(config.GetPathTemplate(), path), nil
	case *rbacv3.Permission_DestinationIp:
		return within(rule.DestinationIp, r.Destination)
	case *rbacv3.Permission_DestinationPort:
		return rule.DestinationPort == r.Port, nil
	case *rbacv3.Permission_RequestedServerName:
		return text(rule.RequestedServerName, r.SNI)
	case *rbacv3.Permission_Metadata:
		return metadata(rule.Metadata, r)
	}
	return false, fmt.Errorf("permission %T is of no known kind", p.GetRule())
}

func principal(p *rbacv3.Principal, r Request) (bool, error) {
	recurse := func(p *rbacv3.Principal) (bool, error) { return principal(p, r) }
	switch id := p.GetIdentifier().(type) {
	case *rbacv3.Principal_Any:
		return id.Any, nil
	case *rbacv3.Principal_AndIds:
		return every(id.AndIds.GetIds(), recurse)
	case *rbacv3.Principal_OrIds:
		return some(id.OrIds.GetIds(), recurse)
	case *rbacv3.Principal_NotId:
		return not(recurse(id.NotId))
	case *rbacv3.Principal_Authenticated_:
		if r.Principal == "" {
			return false, nil
		}
		if id.Authenticated.GetPrincipalName() == nil {
			return true, nil
		}
		return text(id.Authenticated.GetPrincipalName(), r.Principal)
	case *rbacv3.Principal_FilterState:
		if id.FilterState.GetKey() != statePrincipal {
			return false, fmt.Errorf("filter state %q is none of Istio's", id.FilterState.GetKey())
		}
		if r.Principal == "" {
			return false, nil
		}
		return text(id.FilterState.GetStringMatch(), r.Principal)
	case *rbacv3.Principal_DirectRemoteIp:
		return within(id.DirectRemoteIp, r.Direct)
	case *rbacv3.Principal_RemoteIp:
		return within(id.RemoteIp, r.Remote)
	case *rbacv3.Principal_Header:
		return header(id.Header, r)
	case *rbacv3.Principal_Metadata:
		return metadata(id.Metadata, r)
	}
	return false, fmt.Errorf("principal %T is of no known kind", p.GetIdentifier())
}

func within(block *corev3.CidrRange, address netip.Addr) (bool, error) {
	base, err := netip.ParseAddr(block.GetAddressPrefix())
	if err != nil {
		return false, err
	}
	prefix, err := base.Prefix(int(block.GetPrefixLen().GetValue()))
	if err != nil {
		return false, err
	}
	return prefix.Contains(address), nil
}
