package rbac

import (
	"fmt"
	"regexp"
	"strings"

	routev3 "github.com/envoyproxy/go-control-plane/envoy/config/route/v3"
	matcherv3 "github.com/envoyproxy/go-control-plane/envoy/type/matcher/v3"
	"google.golang.org/protobuf/types/known/structpb"
)

// path is the request's, without what stands behind "?" or "#".
func (r Request) path() (string, bool) {
	path, there := r.Headers[headerPath]
	if at := strings.IndexAny(path, "?#"); at >= 0 {
		path = path[:at]
	}
	return path, there
}

func text(m *matcherv3.StringMatcher, value string) (bool, error) {
	fold := func(s string) string {
		if m.GetIgnoreCase() {
			return strings.ToLower(s)
		}
		return s
	}
	switch pattern := m.GetMatchPattern().(type) {
	case *matcherv3.StringMatcher_Exact:
		return fold(value) == fold(pattern.Exact), nil
	case *matcherv3.StringMatcher_Prefix:
		return strings.HasPrefix(fold(value), fold(pattern.Prefix)), nil
	case *matcherv3.StringMatcher_Suffix:
		return strings.HasSuffix(fold(value), fold(pattern.Suffix)), nil
	case *matcherv3.StringMatcher_Contains:
		return strings.Contains(fold(value), fold(pattern.Contains)), nil
	case *matcherv3.StringMatcher_SafeRegex:
		return whole(pattern.SafeRegex.GetRegex(), value)
	}
	return false, fmt.Errorf("text matcher %T is of no known kind", m.GetMatchPattern())
}

// whole reports whether an expression matches a value from start to end.
func whole(expression, value string) (bool, error) {
	compiled, err := regexp.Compile(`\A(?:` + expression + `)\z`)
	if err != nil {
		return false, err
	}
	return compiled.MatchString(value), nil
}

func header(m *routev3.HeaderMatcher, r Request) (bool, error) {
	if r.Headers == nil {
		return false, fmt.Errorf("header %q is asked for where no HTTP is read", m.GetName())
	}
	value, there := r.Headers[strings.ToLower(m.GetName())]
	if present, ok := m.GetHeaderMatchSpecifier().(*routev3.HeaderMatcher_PresentMatch); ok {
		return (there == present.PresentMatch) != m.GetInvertMatch(), nil
	}
	if !there && !m.GetTreatMissingHeaderAsEmpty() {
		return false, nil
	}
	var matched bool
	var err error
	switch specifier := m.GetHeaderMatchSpecifier().(type) {
	case *routev3.HeaderMatcher_StringMatch:
		matched, err = text(specifier.StringMatch, value)
	case nil:
		matched = there
	default:
		return false, fmt.Errorf("header matcher %T is of no known kind", specifier)
	}
	return matched != m.GetInvertMatch(), err
}

func metadata(m *matcherv3.MetadataMatcher, r Request) (bool, error) {
	if m.GetFilter() != filterToken {
		return false, fmt.Errorf("%w: filter %q leaves it", ErrElsewhere, m.GetFilter())
	}
	var value *structpb.Value
	if r.Claims != nil {
		value = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{keyPayload: structpb.NewStructValue(r.Claims)}})
		for _, segment := range m.GetPath() {
			value = value.GetStructValue().GetFields()[segment.GetKey()]
		}
	}
	matched, err := claim(m.GetValue(), value)
	return matched != m.GetInvert(), err
}

// claim reports whether a value matches; nil is one that isn't there.
func claim(m *matcherv3.ValueMatcher, value *structpb.Value) (bool, error) {
	switch pattern := m.GetMatchPattern().(type) {
	case *matcherv3.ValueMatcher_StringMatch:
		s, ok := value.GetKind().(*structpb.Value_StringValue)
		if !ok {
			return false, nil
		}
		return text(pattern.StringMatch, s.StringValue)
	case *matcherv3.ValueMatcher_ListMatch:
		return some(value.GetListValue().GetValues(), func(entry *structpb.Value) (bool, error) {
			return claim(pattern.ListMatch.GetOneOf(), entry)
		})
	case *matcherv3.ValueMatcher_OrMatch:
		return some(pattern.OrMatch.GetValueMatchers(), func(m *matcherv3.ValueMatcher) (bool, error) { return claim(m, value) })
	case *matcherv3.ValueMatcher_PresentMatch:
		return (value != nil) == pattern.PresentMatch, nil
	}
	return false, fmt.Errorf("value matcher %T is of no known kind", m.GetMatchPattern())
}

// template reports whether a path is one of a URI template's: "*" stands for one
// segment, "**" for any number of them, everything else for itself. The
// characters of a segment are those of RFC 3986.
func template(pattern, path string) bool {
	const character = `[a-zA-Z0-9\-._~%!$&'()+,;:@=]`
	var expression strings.Builder
	for i, segment := range strings.Split(pattern, "/") {
		if i > 0 {
			expression.WriteString("/")
		}
		for rest := segment; rest != ""; {
			at := strings.Index(rest, "*")
			if at < 0 {
				expression.WriteString(regexp.QuoteMeta(rest))
				break
			}
			expression.WriteString(regexp.QuoteMeta(rest[:at]))
			if rest = rest[at+1:]; strings.HasPrefix(rest, "*") {
				rest = rest[1:]
				expression.WriteString(`(?:` + character + `|/)*`)
			} else {
				expression.WriteString(character + `+`)
			}
		}
	}
	matched, err := whole(expression.String(), path)
	return err == nil && matched
}
