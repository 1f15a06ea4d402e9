// Package rbac evaluates Envoy's RBAC filters on requests that are known whole, as
// Envoy documents them (envoy.config.rbac.v3 and the matchers that it uses). It
// is written from that documentation alone, so that it shares no mistake with the
// judge that is compared with it; the tests with a real Envoy compare both.
package rbac
