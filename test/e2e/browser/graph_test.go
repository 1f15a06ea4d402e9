package browser

import (
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawn returns the file of the page of rendered manifests.
func drawn(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	var complaints strings.Builder
	command := exec.Command("ringfence", append([]string{"access", "graph", "-o", "html"}, args...)...)
	command.Stdin, command.Stderr = strings.NewReader(stdin), &complaints
	page, err := command.Output()
	require.NoError(t, err, "run `make build` in the root of the repository: %s", &complaints)
	file := filepath.Join(t.TempDir(), "access.html")
	require.NoError(t, os.WriteFile(file, page, 0o600))
	return file
}

// outOfTheMesh are what the platform uses and doesn't enroll.
const outOfTheMesh = `
{apiVersion: v1, kind: Service, metadata: {name: postgresql, namespace: databases}, spec: {type: ExternalName, externalName: postgresql.example.org}}
---
{apiVersion: v1, kind: Service, metadata: {name: valkey, namespace: databases}, spec: {ports: [{port: 6379}]}}
---
{apiVersion: networking.istio.io/v1, kind: ServiceEntry, metadata: {name: gitlab, namespace: themelio}, spec: {hosts: [gitlab.example.org], resolution: DNS, ports: [{number: 443, name: https, protocol: HTTPS}]}}
`

// TestStaging looks around in the example platform.
func TestStaging(t *testing.T) {
	file := drawn(t, outOfTheMesh, filepath.Join("..", "..", "compositions", "testdata", "staging"), "-")
	for _, window := range []struct {
		width  int64
		scheme string
	}{{390, "light"}, {1280, "dark"}, {1280, "light"}, {390, "dark"}} {
		t.Run(fmt.Sprint(window.width, "-", window.scheme), func(t *testing.T) {
			p := open(t, file, "", window.scheme, window.width, 1000)
			shown := func() int {
				return eval[int](p, `document.querySelectorAll(".namespace:not([hidden]) .chip:not([hidden])").length`)
			}
			all := shown()
			assert.Greater(t, all, 15)
			assert.Equal(t, 3, eval[int](p, `document.querySelectorAll(".chip.external").length`), "GitLab, PostgreSQL and Valkey")
			assert.Equal(t, 1, eval[int](p, `document.querySelectorAll(".chip.open").length`), "nothing of the mesh protects Argo CD's server")

			p.run(chromedp.SendKeys("#search", "root-actor", chromedp.ByQuery))
			assert.Equal(t, 2, shown(), "the search finds both")
			assert.Equal(t, "2 workloads", eval[string](p, `document.getElementById("count").textContent`))
			p.run(chromedp.SendKeys("#search", strings.Repeat(kb.Backspace, len("root-actor")), chromedp.ByQuery))
			assert.Equal(t, all, shown())

			choose := func(namespace string) {
				p.run(chromedp.Evaluate(fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("change")); })(document.getElementById("namespace"))`, namespace), nil))
			}
			choose("profile-bob")
			assert.Equal(t, 2, shown(), "the filter leaves one namespace")
			choose("")

			p.run(chromedp.Click(`[data-name="themelio/k8s-root-actor"]`, chromedp.ByQuery))
			details := eval[string](p, `document.getElementById("details").innerText`)
			assert.Contains(t, details, "Who reaches port 3000")
			assert.Contains(t, details, "themelio/web (a rule of the ALLOW policy themelio/k8s-root-actor-allow-web matches)")
			assert.Contains(t, details, "cluster.local/ns/themelio/sa/k8s-root-actor")
			assert.Positive(t, eval[int](p, `document.querySelectorAll("#lines path").length`))
			assert.Equal(t, "#themelio%2Fk8s-root-actor", eval[string](p, "location.hash"))

			p.run(chromedp.Click(`#details a`, chromedp.ByQuery))
			assert.Contains(t, eval[string](p, `document.querySelector("#details h2").textContent`), "themelio/web", "names lead on")
			look(t, p, window.width, fmt.Sprint("staging-", window.width, "-", window.scheme))
		})
	}
}

// TestKeyboard uses no mouse.
func TestKeyboard(t *testing.T) {
	p := open(t, drawn(t, "", filepath.Join("..", "..", "compositions", "testdata", "staging")), "#themelio%2Fweb", "light", 1280, 800)
	assert.Equal(t, "themelio/web", eval[string](p, `document.querySelector("#details h2").textContent`), "a link leads to a workload")
	// A key as a keyboard gives it, which types nothing where the page takes it.
	p.run(input.DispatchKeyEvent(input.KeyDown).WithKey("/").WithText("/"), input.DispatchKeyEvent(input.KeyUp).WithKey("/"), chromedp.KeyEvent("gitlab-root"))
	assert.Equal(t, "gitlab-root", eval[string](p, `document.activeElement.value`))
	p.run(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	assert.Equal(t, "themelio/gitlab-root-actor", eval[string](p, `document.querySelector("#details h2").textContent`))
	p.run(chromedp.KeyEvent(kb.Escape))
	assert.Equal(t, 0, eval[int](p, `document.querySelectorAll("[aria-pressed=true]").length`))
	look(t, p, 1280, "keyboard")
}

// TestHostile draws names that would be code in a page that trusts them.
func TestHostile(t *testing.T) {
	const name = `</script><img src=x onerror=alert(1)>`
	file := drawn(t, fmt.Sprintf(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: %q, namespace: "\"'>"}, spec: {template: {spec: {containers: [{name: main, ports: [{containerPort: 80}]}]}}}}`, name), "-")
	p := open(t, file, "", "light", 1280, 800)
	assert.Equal(t, 0, eval[int](p, `document.querySelectorAll("img").length`))
	assert.Equal(t, name, eval[string](p, `document.querySelector(".chip span").textContent`))
	look(t, p, 1280, "hostile")
}

// TestMany draws 2,000 workloads: the page stays small, and quick to search.
func TestMany(t *testing.T) {
	var b strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&b, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: app-%[1]d, namespace: ns-%[2]d}, spec: {template: {metadata: {labels: {app: app-%[1]d, sidecar.istio.io/inject: "true"}}, spec: {serviceAccountName: app-%[1]d, containers: [{name: main, ports: [{containerPort: 80}]}]}}}}
---
{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: app-%[1]d, namespace: ns-%[2]d}, spec: {selector: {matchLabels: {app: app-%[1]d}}, rules: [{from: [{source: {principals: [cluster.local/ns/ns-%[2]d/sa/app-%[3]d]}}]}]}}
---
`, i, i%50, (i+50)%2_000)
	}
	file := drawn(t, b.String(), "-")
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(2<<20))
	p := open(t, file, "", "light", 390, 1000)
	assert.Equal(t, 2_000, eval[int](p, `document.querySelectorAll(".chip").length`))
	start := time.Now()
	p.run(chromedp.SendKeys("#search", "app-77", chromedp.ByQuery))
	assert.Equal(t, "11 workloads", eval[string](p, `document.getElementById("count").textContent`))
	p.run(chromedp.Click(`[data-name="ns-27/app-77"]`, chromedp.ByQuery))
	assert.Less(t, time.Since(start), 10*time.Second, "six keys and a click, on a machine that is busy")
	assert.Contains(t, eval[string](p, `document.getElementById("details").innerText`), "ns-27/app-127")
	look(t, p, 390, "many")
}

// look is what holds of the page whatever a person did.
func look(t *testing.T, p *page, width int64, name string) {
	t.Helper()
	shot := p.screenshot(name)
	assert.LessOrEqual(t, eval[int64](p, "document.documentElement.scrollWidth"), width, "nothing sticks out to the side")
	colours := map[any]int{}
	bounds := shot.Bounds()
	assert.Equal(t, image.Pt(int(width), bounds.Dy()), bounds.Size())
	for y := bounds.Min.Y; y < bounds.Max.Y; y += 2 {
		for x := bounds.Min.X; x < bounds.Max.X; x += 2 {
			colours[shot.At(x, y)]++
		}
	}
	total := bounds.Dx() * bounds.Dy() / 4
	most := 0
	for _, n := range colours {
		most = max(most, n)
	}
	assert.Greater(t, len(colours), 20, "it is more than a background")
	assert.Less(t, most, total*98/100, "it is more than a background")
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Empty(t, p.errors, "of the browser's console")
	assert.Empty(t, p.requests, "it asks nobody for anything")
}
