package clustertest

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Request is one that the server got.
type Request struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         []byte
}

// Writes reports whether the request would change something.
func (r Request) Writes() bool { return r.Method != http.MethodGet && !r.DryRun() }

// DryRun reports whether the request is a dry run; a deletion says so in its body, too.
func (r Request) DryRun() bool {
	if r.Query.Has("dryRun") || r.Method != http.MethodDelete {
		return r.Query.Has("dryRun")
	}
	var options metav1.DeleteOptions
	return json.Unmarshal(r.Body, &options) == nil && len(options.DryRun) > 0
}

// Requests returns the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// ForgetRequests empties the list of requests.
func (s *Server) ForgetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// Hook answers a request in the server's place, or has next answer it.
type Hook func(w http.ResponseWriter, r *http.Request, next http.Handler)

type hook struct {
	method string
	path   *regexp.Regexp
	do     Hook
}

// On has a hook see the requests of a method, "" for all, whose path an expression
// finds. The hook that was added last sees them first.
func (s *Server) On(method, path string, do Hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hooks = append(s.hooks, hook{method: method, path: regexp.MustCompile(path), do: do})
}

// hooked returns the handler with the hooks for a request before it.
func (s *Server) hooked(r *http.Request, handler http.Handler) http.Handler {
	s.mu.Lock()
	hooks := slices.Clone(s.hooks)
	s.mu.Unlock()
	for _, h := range hooks {
		if h.method != "" && h.method != r.Method || !h.path.MatchString(r.URL.Path) {
			continue
		}
		next := handler
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.do(w, r, next) })
	}
	return handler
}

// Times has a hook see the first n requests only.
func Times(n int, do Hook) Hook {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		mu.Lock()
		n--
		mine := n >= 0
		mu.Unlock()
		if mine {
			do(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	}
}

// Fail answers with an error of the API.
func Fail(err *apierrors.StatusError) Hook {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { writeError(w, err) }
}

// Hang doesn't answer until the client gives up.
func Hang(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }

// Reset cuts the connection before anything is done.
func Reset(w http.ResponseWriter, _ *http.Request, _ http.Handler) { reset(w) }

// Lose does what the request asks for, and cuts the connection in place of an answer.
func Lose(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(httptest.NewRecorder(), r)
	reset(w)
}

func reset(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2: the stream is reset
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset, not an end
	}
	_ = connection.Close()
}

// Warn adds a warning to the answer.
func Warn(text string) Hook {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Add("Warning", `299 - "`+text+`"`)
		next.ServeHTTP(w, r)
	}
}

// Admit has a webhook see, and change, each object that is to be written. The
// operation is CREATE, UPDATE or DELETE. An error refuses the write. It must not
// call the server.
func (s *Server) Admit(webhook func(operation string, o *unstructured.Unstructured) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.admits = append(s.admits, webhook)
}

func (s *Server) admit(operation string, o *unstructured.Unstructured) *apierrors.StatusError {
	for _, webhook := range s.admits {
		if err := webhook(operation, o); err != nil {
			return denied(err)
		}
	}
	return nil
}

// forbidden is what nobody may do.
type forbidden struct{ verb, plural, namespace string }

// Forbid refuses a verb of the API ("get", "list", "create", "update", "patch",
// "delete"; "*" for all) on a resource ("deployments") in a namespace, "" for all,
// as an API server does when RBAC doesn't allow it.
func (s *Server) Forbid(verb, plural, namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forbids = append(s.forbids, forbidden{verb, plural, namespace})
}
