package envoy

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what Envoy answers into pkg/probe/testdata/envoy")

// answers are the requests whose answers pkg/probe/testdata/envoy holds, by the names of its files.
var answers = map[string]struct {
	gateway, host, path string
	http10              bool
}{
	"application":            {gateway: "enforced", host: host},
	"application-other-case": {gateway: "enforced", host: "APP.Example.ORG"},
	"application-with-port":  {gateway: "enforced", host: host + ":30080"},
	"application-redirect":   {gateway: "enforced", host: host, path: "302"},
	"application-401":        {gateway: "enforced", host: host, path: "401"},
	"application-403":        {gateway: "enforced", host: host, path: "403/not%20yours"},
	"application-404":        {gateway: "enforced", host: host, path: "404/no%20such%20page"},
	"application-404-empty":  {gateway: "enforced", host: host, path: "404"},
	"application-500":        {gateway: "enforced", host: host, path: "500/oops"},
	"application-wildcard":   {gateway: "wildcard", host: "probe.example.org"},
	"application-open":       {gateway: "open-wildcard", host: rejected},
	"application-hidden":     {gateway: "hidden", host: host},
	"application-slow":       {gateway: "enforced", host: host, path: "slow"},
	"backend-denies":         {gateway: "backend-denies", host: rejected},
	"backend-drains":         {gateway: "backend-drains", host: host},
	"denied":                 {gateway: "enforced", host: rejected},
	"denied-no-host":         {gateway: "enforced"},
	"denied-suffix":          {gateway: "enforced", host: "evil" + host},
	"denied-prefix":          {gateway: "enforced", host: host + ".evil.example"},
	"denied-with-port":       {gateway: "host-without-port", host: host + ":30080"},
	"denied-wildcard-port":   {gateway: "wildcard", host: "probe.example.org:30080"},
	"denied-without-rules":   {gateway: "nobody", host: host},
	"denied-before-route":    {gateway: "no-route", host: rejected},
	"denied-before-redirect": {gateway: "redirect", host: rejected},
	"denied-hidden":          {gateway: "hidden", host: rejected},
	"denied-after-login":     {gateway: "login-any-host", host: rejected, path: "200"},
	"denied-without-login":   {gateway: "login", host: rejected, path: "302"},
	"http10":                 {gateway: "enforced", host: host, http10: true},
	"http10-rejected":        {gateway: "enforced", host: rejected, http10: true},
	"limited":                {gateway: "limited", host: host},
	"login-redirect":         {gateway: "login", host: host, path: "302"},
	"login-401":              {gateway: "login", host: host, path: "401"},
	"login-403":              {gateway: "login", host: host, path: "403/not%20in%20the%20group"},
	"login-403-empty":        {gateway: "login", host: host, path: "403"},
	"login-any-host":         {gateway: "login-any-host", host: rejected, path: "302"},
	"login-narrow-redirect":  {gateway: "login-narrow", host: host, path: "302"},
	"login-narrow-401":       {gateway: "login-narrow", host: host, path: "401"},
	"login-narrow-403":       {gateway: "login-narrow", host: host, path: "403/not%20in%20the%20group"},
	"login-narrow-403-empty": {gateway: "login-narrow", host: host, path: "403"},
	"login-unreachable":      {gateway: "login-unreachable", host: host},
	"no-cluster":             {gateway: "no-cluster", host: host},
	"no-endpoint":            {gateway: "no-endpoint", host: host},
	"no-route":               {gateway: "no-route", host: host},
	"no-route-open":          {gateway: "open", host: rejected},
	"redirect-to-https":      {gateway: "redirect", host: host},
	"refused":                {gateway: "refused", host: host},
	"token-missing":          {gateway: "token", host: host},
}

// TestAnswers holds what pkg/probe is tested with against Envoy itself.
func TestAnswers(t *testing.T) {
	folder := filepath.Join(repository(t), "pkg", "probe", "testdata", "envoy")
	kept, err := filepath.Glob(filepath.Join(folder, "*.http"))
	require.NoError(t, err)
	names := map[string]bool{}
	for name := range answers {
		names[name+".http"] = true
	}
	e := listening(t)
	exchange(t, e.ports["limited"], "GET / HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n") // the one that passes
	for name, a := range answers {
		t.Run(name, func(t *testing.T) {
			version := "1.1"
			if a.http10 {
				version = "1.0"
			}
			request := fmt.Sprintf("GET /%s HTTP/%s\r\nHost: %s\r\nConnection: close\r\n\r\n", a.path, version, a.host)
			got := stable(exchange(t, e.ports[a.gateway], request))
			file := filepath.Join(folder, name+".http")
			if *update {
				require.NoError(t, os.MkdirAll(folder, 0o755))
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "record it with -update, and say in pkg/probe what it means")
			assert.Equal(t, string(want), got, "Envoy answers otherwise than pkg/probe believes: look at it, then run with -update")
		})
	}
	if *update {
		return
	}
	for _, file := range kept {
		assert.True(t, names[filepath.Base(file)], "%s is no answer to any request here", file)
	}
}

// exchange sends bytes and returns the one answer that comes back. Envoy keeps the
// connection open a while after an answer of its own.
func exchange(tb testing.TB, port int, request string) string {
	tb.Helper()
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	require.NoError(tb, err)
	defer conn.Close() //nolint:errcheck // it is only read
	require.NoError(tb, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(conn, request)
	require.NoError(tb, err)
	var (
		answer strings.Builder
		length int64
		reader = bufio.NewReader(conn)
	)
	for line := ""; line != "\r\n"; {
		line, err = reader.ReadString('\n')
		require.NoError(tb, err)
		answer.WriteString(line)
		if number, ok := strings.CutPrefix(line, "content-length: "); ok {
			length, err = strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			require.NoError(tb, err)
		}
	}
	_, err = io.CopyN(&answer, reader, length)
	require.NoError(tb, err)
	return answer.String()
}

var varying = regexp.MustCompile(`(?m)^(date|x-envoy-upstream-service-time): .*$`)

// stable replaces what differs from one time to the next.
func stable(answer string) string {
	return varying.ReplaceAllString(strings.ReplaceAll(answer, "\r\n", "\n"), "$1: 0")
}
