package probe

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// after answers the request of number n, from 1 on, by its own handler of the list, those beyond it by the last one.
func after(handlers ...http.HandlerFunc) http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		i := min(int(n.Add(1)), len(handlers)) - 1
		handlers[i](w, r)
	}
}

func pass(w http.ResponseWriter, _ *http.Request) { w.Header().Set(upstreamHeader, "1") }

func refuse(w http.ResponseWriter, _ *http.Request) { deny(w) }

func TestRetries(t *testing.T) {
	cases := map[string]struct {
		reason             string
		answers            []http.HandlerFunc // to the requests for the rejected host
		retries, successes int
		ok                 bool
		attempts           int
	}{
		"at-once":                  {"nothing to wait for", []http.HandlerFunc{refuse}, 3, 0, true, 1},
		"no-retries":               {"it is asked once", []http.HandlerFunc{pass, refuse}, 0, 0, false, 1},
		"policy-arrives":           {"it takes a while to reach the gateway", []http.HandlerFunc{pass, pass, refuse}, 3, 0, true, 3},
		"policy-arrives-at-last":   {"the last attempt counts", []http.HandlerFunc{pass, pass, refuse}, 2, 0, true, 3},
		"policy-never-arrives":     {"attempts end", []http.HandlerFunc{pass}, 3, 0, false, 4},
		"every-pod-denies":         {"three in a row", []http.HandlerFunc{refuse}, 0, 3, true, 3},
		"one-pod-lags":             {"a success is forgotten where a failure follows", []http.HandlerFunc{refuse, pass, refuse}, 1, 2, true, 4},
		"one-pod-lags-for-good":    {"no more retries", []http.HandlerFunc{refuse, pass, refuse, pass, refuse, refuse}, 1, 2, false, 4},
		"one-pod-lags-to-the-last": {"it ends with a failure", []http.HandlerFunc{refuse, refuse, pass}, 0, 3, false, 3},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rejected := after(c.answers...)
			g := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Host == "rejected.invalid" {
					rejected(w, r)
					return
				}
				pass(w, r)
			}))
			p := quick()
			p.Retries, p.Successes, p.Delay = c.retries, c.successes, time.Millisecond
			got := find(t, probe(t, p, g), Rejected)
			assert.Equal(t, c.ok, got.OK, "%s: %s", c.reason, got.Reason)
			assert.Equal(t, c.attempts, got.Attempts, c.reason)
			assert.Positive(t, got.Duration)
		})
	}
}

func TestDelayAndCancel(t *testing.T) {
	g := serve(t, http.HandlerFunc(refuse))
	p := quick()
	p.Retries, p.Delay = 1, 30*time.Millisecond
	got := find(t, probe(t, p, g), Accepted)
	assert.GreaterOrEqual(t, got.Duration, p.Delay)

	p.Retries, p.Delay = 1000, time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	report, err := p.Probe(ctx, g)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Len(t, report.Checks, 1, "what was not asked is not reported")
	assert.False(t, report.Checks[0].OK)
}
