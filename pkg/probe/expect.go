package probe

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// expectation says why an answer of a kind is not the one that a check wants, and
// what to look at. It is empty where it is.
type expectation func(answer, Kind) string

func expectAccepted(_ answer, k Kind) string    { return kinds[k].accepted }
func expectRejected(_ answer, k Kind) string    { return kinds[k].rejected }
func expectNotRejected(_ answer, k Kind) string { return kinds[k].notRejected }

// expectStatus wants one of the codes, whoever answers.
func expectStatus(codes []int) expectation {
	return func(a answer, k Kind) string {
		switch {
		case k == Unreachable:
			return kinds[k].accepted
		case slices.Contains(codes, a.status):
			return ""
		default:
			return "it should be " + listed(codes)
		}
	}
}

func expectReady(a answer, k Kind) string {
	switch {
	case k == Unreachable:
		return "look at the readiness port, which is 15021 in the pod and has a NodePort of its own on a node"
	case a.status == http.StatusOK:
		return ""
	default:
		return "it isn't ready; look at the gateway's pods"
	}
}

func expectMetrics(a answer, k Kind) string {
	switch {
	case k == Unreachable:
		return "look at the metrics port, which is 15090 or 15020 in the pod"
	case a.status != http.StatusOK:
		return "its metrics aren't there; look at the port and the path"
	case !bytes.Contains(a.body, []byte("# TYPE ")):
		return "these are no metrics in Prometheus' form; look at the port and the path"
	default:
		return ""
	}
}

// said describes an answer: `got 503 "no healthy upstream" from the gateway`.
func said(a answer, k Kind) string {
	if k == Unreachable {
		return "got no answer: " + a.err.Error()
	}
	out := fmt.Sprintf("got %d", a.status)
	if text := a.text(); text != "" {
		out += fmt.Sprintf(" %q", text)
	}
	return out + " from " + from(a, k)
}

// from says whose an answer is. A refusal or a redirect may be the application's or that
// of an external authorization before it: Envoy may pass the latter on as it came.
func from(a answer, k Kind) string {
	refused := a.status == http.StatusUnauthorized || a.status == http.StatusForbidden || a.status/100 == 3
	if k == Application && refused {
		return "the application or an external authorization"
	}
	return kinds[k].from
}

func listed(codes []int) string {
	out := make([]string, 0, len(codes))
	for _, code := range codes {
		out = append(out, fmt.Sprint(code))
	}
	return strings.Join(out, " or ")
}
