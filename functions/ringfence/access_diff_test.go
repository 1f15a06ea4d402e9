package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/access/report"
)

// TestDiff climbs the ladder with the example platform, and jumps.
func TestDiff(t *testing.T) {
	at := func(name string) string {
		return filepath.Join("..", "..", "test", "compositions", "testdata", name)
	}
	changes := func(text string) string { return written(t, text) }
	allowAll := changes(shop(`rules: [{}]`))
	scoped := changes(shop(onlyWeb))
	unparsable := changes(shop(`rules: [{from: [{source: {principles: [a]}}]}]`))
	renamed := changes(strings.Replace(shop(onlyWeb), "serviceAccountName: web", "serviceAccountName: frontend", 1))
	strict := `
---
{apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: cart, namespace: shop}, spec: {selector: {matchLabels: {app: cart}}, mtls: {mode: STRICT}}}`
	callerOutside := changes(strings.Replace(shop(`rules: [{}]`), `app: web, sidecar.istio.io/inject: "true"`, `app: web`, 1))
	enforced := changes(shop(onlyWeb) + strict)
	for name, c := range map[string]struct {
		reason         string
		old, now       string
		status         int
		stdout, stderr []string
		without        []string
	}{
		"unchanged":    {reason: "the same objects", old: at("staging"), now: at("staging"), stdout: []string{"No access changes."}},
		"enroll":       {reason: "sidecars close nothing to pods", old: at("dev"), now: at("staging-permissive"), status: changed, stdout: []string{"HOSTS"}, without: []string{"CLOSED", "OPENED", "REFUSED"}},
		"enforce":      {reason: "everybody but the callers", old: at("staging-permissive"), now: at("staging"), status: changed, stdout: []string{"CLOSED", "themelio/k8s-root-actor:3000 to\n      everybody, outside of the cluster too, but not themelio/web\n"}, without: []string{"OPENED", "REFUSED"}},
		"roll-back":    {reason: "it opens them again", old: at("staging"), now: at("staging-permissive"), status: changed, stdout: []string{"OPENED"}, without: []string{"CLOSED", "REFUSED"}},
		"jump":         {reason: "the callers have no sidecars yet", old: at("dev"), now: at("staging"), status: failed, stdout: []string{"REFUSED", "themelio/k8s-root-actor goes from open to enforced in one step"}, stderr: []string{"refused: themelio/k8s-root-actor: open-to-enforced: themelio/web", "sidecars in a change of its own"}},
		"not-enrolled": {reason: "the destination has a proxy, the caller none", old: callerOutside, now: enforced, status: failed, stdout: []string{"shop/cart is enforced before its callers have sidecars"}, stderr: []string{"callers-not-enrolled: shop/web"}},
		"enrolled":     {reason: "both have", old: allowAll, now: enforced, status: changed, without: []string{"REFUSED"}},
		"opened":       {reason: "an empty rule admits everybody", old: scoped, now: allowAll, status: changed, stdout: []string{"OPENED\n  shop/cart:8080 to\n      shop/cart, everybody outside of the cluster\n"}},
		"renamed":      {reason: "the policy names the old identity", old: scoped, now: renamed, status: changed, stdout: []string{"BREAKING", "shop/web\n      was cluster.local/ns/shop/sa/web, is cluster.local/ns/shop/sa/frontend", "CLOSED\n  shop/cart:8080 to\n      shop/web"}},
		"unparsable":   {reason: "what it does isn't known", old: scoped, now: unparsable, status: changed, stdout: []string{"NO LONGER KNOWN"}, stderr: []string{"not judged: ", ":8: AuthorizationPolicy shop/cart"}},
		"unjudged":     {reason: "on both sides", old: unparsable, now: unparsable, status: uncertain, stdout: []string{"No access changes."}, stderr: []string{"not judged"}},
		"mended":       {reason: "the file is the old one", old: unparsable, now: scoped, status: changed, stderr: []string{"not judged: " + unparsable + ":8: AuthorizationPolicy shop/cart"}},
		"missing":      {reason: "the file is named", old: scoped, now: "missing.yaml", status: failed, stderr: []string{`"missing.yaml"`}},
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := accessed("", "diff", c.old, c.now)
			assert.Equal(t, c.status, status, "%s\n%s%s", c.reason, stdout, stderr)
			for _, text := range c.stdout {
				assert.Contains(t, stdout, text, c.reason)
			}
			for _, text := range c.stderr {
				assert.Contains(t, stderr, text, c.reason)
			}
			for _, text := range c.without {
				assert.NotContains(t, stdout, text, c.reason)
			}
			_, again, _ := accessed("", "diff", c.old, c.now)
			assert.Equal(t, stdout, again)
		})
	}
	status, _, stderr := accessed("", "diff", scoped)
	assert.Equal(t, misused, status)
	assert.Contains(t, stderr, "OLD and NEW")
}

// TestDiffIsMatrices holds a difference against the two matrices.
func TestDiffIsMatrices(t *testing.T) {
	at := func(name string) string {
		return filepath.Join("..", "..", "test", "compositions", "testdata", name)
	}
	answers := func(dir string) map[string]string {
		_, text, _ := accessed("", "matrix", "-o", "csv", "--all", dir)
		out := map[string]string{}
		for _, line := range strings.Split(text, "\n")[2:] {
			if fields := strings.Split(line, ","); len(fields) == 5 && fields[2] == "" {
				out[fields[0]+" "+fields[1]] = fields[3]
			}
		}
		return out
	}
	for _, pair := range [][2]string{{"dev", "staging"}, {"staging", "staging-permissive"}} {
		old, now := answers(at(pair[0])), answers(at(pair[1]))
		want := map[string]string{}
		for key := range now {
			if old[key] != now[key] {
				want[key] = old[key] + " " + now[key]
			}
		}
		_, text, _ := accessed("", "diff", "-o", "json", at(pair[0]), at(pair[1]))
		var d report.Diff
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.DisallowUnknownFields()
		require.NoError(t, decoder.Decode(&d))
		got := map[string]string{}
		for _, c := range d.Changes {
			for _, i := range c.Clients {
				from := d.Clients[i].Workloads
				if d.Clients[i].Outside {
					from = append(from, "(outside)")
				}
				for _, f := range from {
					for _, to := range d.Servers[c.Servers].Ports {
						got[f+" "+to] = c.Old + " " + c.New
					}
				}
			}
		}
		assert.NotEmpty(t, want)
		assert.Equal(t, want, got)
	}
}

func TestDiffMarkdown(t *testing.T) {
	status, stdout, _ := accessed("", "diff", "-o", "markdown", written(t, shop(onlyWeb)), written(t, shop(`rules: [{}]`)))
	assert.Equal(t, changed, status)
	assert.Contains(t, stdout, "## Who can reach what\n\n### Opened\n\n- shop/cart:8080 to: shop/cart, everybody outside of the cluster\n")
}
