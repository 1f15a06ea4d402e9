package probe

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// row is one of the table in answers.md.
type row struct {
	status                          int
	upstream                        bool
	server, contentType, body, kind string
	accepted, rejected, notRejected string
}

func (r row) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header["Date"] = []string{"Tue, 01 Dec 2026 00:00:00 GMT"}
	if header["Content-Type"] = nil; r.contentType != "" { // nil: net/http is to guess none
		header.Set("Content-Type", r.contentType)
	}
	if r.server != "" {
		header.Set("Server", r.server)
	}
	if r.upstream {
		header.Set(upstreamHeader, "3")
	}
	if r.status/100 == 3 {
		header.Set("Location", "https://login.example.org/?state=1")
	}
	w.WriteHeader(r.status)
	write(w, r.body)
}

func table(tb testing.TB) []row {
	tb.Helper()
	text, err := os.ReadFile("answers.md")
	require.NoError(tb, err)
	var out []row
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		status, err := strconv.Atoi(cells[0])
		if err != nil {
			continue
		}
		require.Len(tb, cells, 9, line)
		out = append(out, row{
			status: status, upstream: cells[1] == "yes", server: cells[2], contentType: cells[3], body: cells[4], kind: cells[5],
			accepted: cells[6], rejected: cells[7], notRejected: cells[8],
		})
	}
	return out
}

func TestAnswers(t *testing.T) {
	rows := table(t)
	seen := map[string]bool{Unreachable.String(): true, Proxy.String(): true} // no answer of a listener
	for _, r := range rows {
		seen[r.kind] = true
		t.Run(fmt.Sprintf("%s-%d", r.kind, r.status), func(t *testing.T) {
			gateway := serve(t, r)
			for name, want := range map[string]struct {
				rejects bool
				verdict string
			}{
				Accepted: {true, r.accepted}, Rejected: {true, r.rejected}, NotRejected: {false, r.notRejected},
			} {
				gateway.Rejects = want.rejects
				got := find(t, probe(t, quick(), gateway), name)
				assert.Equal(t, r.kind, got.Kind.String(), name)
				assert.Equal(t, r.status, got.Status)
				assert.Equal(t, want.verdict, map[bool]string{true: "ok", false: "fails"}[got.OK], "%s: %s", name, got.Reason)
				assert.Equal(t, got.OK, strings.HasSuffix(got.Reason, " from "+from(answer{status: got.Status}, got.Kind)), "a remedy stands where something fails: %s", got.Reason)
			}
		})
	}
	for kind := range kinds {
		assert.True(t, seen[Kind(kind).String()], "%s is in no row", Kind(kind))
	}
}

// TestDenialProvesItself: of all that can be answered, one kind alone shows that a gateway denies.
func TestDenialProvesItself(t *testing.T) {
	for i := range kinds {
		k := Kind(i)
		if k == Proxy {
			continue // no request for a host is answered so
		}
		assert.Equal(t, k == Denied, kinds[k].rejected == "", k)
		assert.False(t, kinds[k].rejected == "" && kinds[k].accepted == "", k)
		assert.NotEmpty(t, k.String())
		for _, remedy := range []string{kinds[k].accepted, kinds[k].rejected, kinds[k].notRejected} {
			assert.Regexp(t, `^$|look at|compare|probe|limit|set `, remedy, "%s: a person is told what to do", k)
		}
	}
}

// TestServers: a gateway may have another name for itself, and then no other server speaks for it.
func TestServers(t *testing.T) {
	for server, want := range map[string]Kind{"shop-edge": Denied, "istio-envoy": DeniedElsewhere, "": Denied} {
		p := quick()
		p.Servers = []string{"shop-edge"}
		got := find(t, probe(t, p, serve(t, row{status: http.StatusForbidden, server: server, contentType: "text/plain", body: rbacText})), Rejected)
		assert.Equal(t, want.String(), got.Kind.String(), server)
		assert.Equal(t, want == Denied, got.OK)
	}
}
