package gatewayprobe

import (
	"math"
	"time"

	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/pkg/probe"
)

const (
	always   = "always"
	asked    = "unless the parameters are wrong"
	deployed = "where the gateway is deployed"
)

var returns = []ansible.Return{
	{Name: "passed", Type: ansible.Bool, Returned: asked, Description: []string{"Whether every check of every deployed gateway had the answer that it wants."}},
	{
		Name: "gateways", Type: ansible.List, Elements: ansible.Dict, Returned: asked,
		Description: []string{"What was found, in the order of O(gateways)."},
		Contains: []ansible.Return{
			{Name: "name", Type: ansible.String, Returned: always, Description: []string{"The gateway."}},
			{Name: "deployed", Type: ansible.Bool, Returned: always, Description: []string{"Whether it is deployed here, and so was asked."}},
			{Name: "skipped_reason", Type: ansible.String, Returned: "where the gateway isn't deployed", Description: []string{"Who says that it isn't deployed."}},
			{Name: "ok", Type: ansible.Bool, Returned: deployed, Description: []string{"Whether all its checks had the wanted answer."}},
			{Name: "expect_rejection", Type: ansible.Bool, Returned: deployed, Description: []string{"Whether an unknown host had to be denied."}},
			{
				Name: "checks", Type: ansible.List, Elements: ansible.Dict, Returned: always,
				Description: []string{"The checks, in their order; none where the gateway isn't deployed."},
				Contains: []ansible.Return{
					{Name: "check", Type: ansible.String, Returned: always, Sample: probe.Rejected, Description: []string{
						"V(accepted), V(accepted-with-port), V(rejected), V(not-rejected) in its place where no rejection is expected, V(readiness), V(metrics) or V(url).",
					}},
					{Name: "host", Type: ansible.String, Returned: always, Sample: defaultRejectedHost, Description: []string{"The Host header; empty where it is the URL's own."}},
					{Name: "url", Type: ansible.String, Returned: always, Sample: "http://10.0.0.11:30084/", Description: []string{"What was asked, without its query."}},
					{Name: "ok", Type: ansible.Bool, Returned: always, Description: []string{"Whether the answer is the wanted one."}},
					{Name: "answer", Type: ansible.String, Returned: always, Sample: "no-route", Description: []string{
						"Who answered, and how: V(application), V(authentication), V(redirect), V(denied) by the gateway's policy, V(denied-behind) by the application's proxy, " +
							"V(denied-elsewhere), V(denied-unexplained), V(no-route), V(http10), V(gateway-error), V(unavailable), V(application-error), V(unreachable), or V(proxy) for readiness and metrics.",
					}},
					{Name: "status", Type: ansible.Int, Returned: always, Sample: 404, Description: []string{"The status; 0 without an answer."}},
					{Name: "server", Type: ansible.String, Returned: always, Sample: "istio-envoy", Description: []string{"The Server header."}},
					{Name: "body", Type: ansible.String, Returned: always, Description: []string{"The printable beginning of the body, at most 200 bytes."}},
					{Name: "attempts", Type: ansible.Int, Returned: always, Sample: 1, Description: []string{"How often it was asked; the rest is of the last time."}},
					{Name: "duration", Type: ansible.Float, Returned: always, Sample: 0.012, Description: []string{"The seconds that all attempts and the waits between them took."}},
					{
						Name: "reason", Type: ansible.String, Returned: always, Sample: "got 404 from the gateway, which has no route for it: no VirtualService of this gateway serves the host",
						Description: []string{"What was answered, and where that is a failure, why and what to look at."},
					},
				},
			},
		},
	},
	ansible.FindingsReturn,
}

// value is what the result holds of a report. One that ended early is no success.
func (t target) value(r probe.Report, err error) map[string]any {
	checks := []any{}
	for _, c := range r.Checks {
		checks = append(checks, map[string]any{
			"check": c.Name, "host": c.Host, "url": c.URL, "ok": c.OK, "answer": c.Kind.String(), "status": c.Status, "server": c.Server,
			"body": c.Body, "attempts": c.Attempts, "duration": seconds(c.Duration), "reason": c.Reason,
		})
	}
	return map[string]any{"name": t.Name, "deployed": true, "ok": err == nil && r.OK(), "expect_rejection": t.Rejects, "checks": checks}
}

func (t target) skippedValue() map[string]any {
	return map[string]any{"name": t.Name, "deployed": false, "skipped_reason": t.skipped, "checks": []any{}}
}

// seconds rounds to milliseconds: more is noise.
func seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }
