package browser

import (
	"bytes"
	"context"
	"image"
	_ "image/png" // what a screenshot is
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// environment names the browser's executable.
const environment = "RINGFENCE_BROWSER"

// executable returns the browser.
func executable(tb testing.TB) string {
	tb.Helper()
	for _, name := range []string{os.Getenv(environment), "chromium", "chromium-browser", "google-chrome"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	require.FailNow(tb, "no browser", "run `make browser` in the root of the repository, or name a Chromium in %s", environment)
	return ""
}

// page is a page in a browser of its own, and what went wrong in it.
type page struct {
	context.Context
	tb testing.TB

	mu     sync.Mutex
	errors []string
	// requests are addresses that the page asked for, its own file aside.
	requests []string
}

// open loads a file in a window of a size, light or dark.
func open(tb testing.TB, file, fragment, scheme string, width, height int64) *page {
	tb.Helper()
	// A folder of our own: what the browser still writes when it is ended would fail tb.TempDir.
	profile, err := os.MkdirTemp("", "browser")
	require.NoError(tb, err)
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(executable(tb)), chromedp.UserDataDir(profile), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Flag("hide-scrollbars", true),
	}
	// It is to ask nobody for anything.
	for _, flag := range []string{"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "disable-default-apps", "disable-extensions"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, end := chromedp.NewExecAllocator(tb.Context(), options...)
	ctx, leave := chromedp.NewContext(allocator)
	ctx, stop := context.WithTimeout(ctx, 30*time.Second)
	tb.Cleanup(func() {
		stop()
		leave()
		end()
		_ = os.RemoveAll(profile)
	})
	p := &page{Context: ctx, tb: tb}
	address := "file://" + file
	chromedp.ListenTarget(ctx, func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch event := event.(type) {
		case *runtime.EventExceptionThrown:
			p.errors = append(p.errors, event.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if event.Type == runtime.APITypeError || event.Type == runtime.APITypeWarning {
				p.errors = append(p.errors, string(event.Type))
			}
		case *log.EventEntryAdded:
			p.errors = append(p.errors, event.Entry.Text)
		case *network.EventRequestWillBeSent:
			if event.Request.URL != address && event.Request.URL != "data:," {
				p.requests = append(p.requests, event.Request.URL)
			}
		}
	})
	p.run(network.Enable(), log.Enable(), chromedp.EmulateViewport(width, height),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate(address+fragment), chromedp.WaitVisible(".chip", chromedp.ByQuery))
	return p
}

func (p *page) run(actions ...chromedp.Action) {
	p.tb.Helper()
	require.NoError(p.tb, chromedp.Run(p, actions...))
}

// eval returns what a JavaScript expression gives.
func eval[T any](p *page, expression string) T {
	p.tb.Helper()
	var out T
	p.run(chromedp.Evaluate(expression, &out))
	return out
}

// screenshot returns what a person sees, and keeps it where RINGFENCE_SCREENSHOTS names a folder.
func (p *page) screenshot(name string) image.Image {
	p.tb.Helper()
	var data []byte
	p.run(chromedp.CaptureScreenshot(&data))
	if folder := os.Getenv("RINGFENCE_SCREENSHOTS"); folder != "" {
		require.NoError(p.tb, os.WriteFile(filepath.Join(folder, name+".png"), data, 0o600))
	}
	out, _, err := image.Decode(bytes.NewReader(data))
	require.NoError(p.tb, err)
	return out
}
