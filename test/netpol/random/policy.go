package random

// spec returns a NetworkPolicy's spec that an API server takes.
func (s Source) spec() Object {
	out := Object{"podSelector": s.selector(podKeys)}
	if s.chance(75) {
		s.rules(out, "ingress", "from")
	}
	if s.chance(60) {
		s.rules(out, "egress", "to")
	}
	if s.chance(50) {
		out["policyTypes"] = pick(s, []any{}, []any{"Ingress"}, []any{"Egress"}, []any{"Ingress", "Egress"}, []any{"Egress", "Ingress"})
	}
	return out
}

// rules puts rules for one direction into a spec: none, empty ones, or ones with peers and ports.
func (s Source) rules(spec Object, direction, peers string) {
	rules := []any{}
	for range s.IntN(3) {
		rule := Object{}
		if s.chance(75) {
			rule[peers] = some(s, s.peer)
		}
		if s.chance(55) {
			rule["ports"] = some(s, s.port)
		}
		rules = append(rules, rule)
	}
	spec[direction] = rules
}

// some returns a list, seldom an empty one, which is as none.
func some(s Source, one func() Object) []any {
	out := []any{}
	for range pick(s, 0, 1, 1, 1, 2, 2, 3) {
		out = append(out, one())
	}
	return out
}

func (s Source) peer() Object {
	switch s.IntN(5) {
	case 0:
		return Object{"podSelector": s.selector(podKeys)}
	case 1:
		return Object{"namespaceSelector": s.namespaces()}
	case 2:
		return Object{"podSelector": s.selector(podKeys), "namespaceSelector": s.namespaces()}
	}
	return Object{"ipBlock": s.block()}
}

func (s Source) block() Object {
	blocks := map[string][]any{
		"0.0.0.0/0": {"10.0.0.0/8", "203.0.113.0/24"}, "10.0.0.0/8": {"10.0.0.0/29", "10.1.0.0/16"}, "10.0.0.4/32": nil,
		"10.0.0.7/29":    {"10.0.0.4/31"}, // an address in its block stands for the block
		"203.0.113.0/24": {"203.0.113.0/25", "203.0.113.200/32"}, "::/0": {"2001:db8::/48"}, "2001:db8::/32": {"2001:db8:1::/48"},
	}
	cidr := pick(s, "0.0.0.0/0", "10.0.0.0/8", "10.0.0.4/32", "10.0.0.7/29", "203.0.113.0/24", "::/0", "2001:db8::/32")
	out := Object{"cidr": cidr}
	var except []any
	for _, block := range blocks[cidr] {
		if s.chance(40) {
			except = append(except, block)
		}
	}
	if except != nil {
		out["except"] = except
	}
	return out
}

func (s Source) port() Object {
	out := Object{}
	if s.chance(60) {
		out["protocol"] = pick(s, Protocols...)
	}
	switch s.IntN(5) {
	case 0: // each port
	case 1:
		out["port"] = pick(s, portNames...)
	case 2:
		first := pick(s, Numbers...)
		out["port"], out["endPort"] = first, first+pick[int32](s, 0, 1, 27, 1010)
	default:
		out["port"] = pick(s, Numbers...)
	}
	return out
}

func (s Source) namespaces() Object {
	if s.chance(20) {
		return Object{"matchLabels": Object{LabelName: pick(s, namespaces...)}}
	}
	out := s.selector(nsKeys)
	if s.chance(15) {
		out["matchExpressions"] = []any{s.requirement(LabelName, namespaces)}
	}
	return out
}

// selector returns one by labels, by expressions, by both, or by nothing.
func (s Source) selector(keys []string) Object {
	out := Object{}
	if s.chance(45) {
		key := pick(s, keys...)
		out["matchLabels"] = Object{key: pick(s, values[key]...)}
	}
	if s.chance(40) {
		expressions := []any{}
		for range 1 + s.IntN(2) {
			key := pick(s, keys...)
			expressions = append(expressions, s.requirement(key, values[key]))
		}
		out["matchExpressions"] = expressions
	}
	return out
}

func (s Source) requirement(key string, values []string) Object {
	out := Object{"key": key, "operator": pick(s, "In", "NotIn", "Exists", "DoesNotExist")}
	if out["operator"] == "In" || out["operator"] == "NotIn" {
		list := []any{}
		for range 1 + s.IntN(2) {
			list = append(list, pick(s, values...))
		}
		out["values"] = list
	}
	return out
}
