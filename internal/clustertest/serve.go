package clustertest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// maxBody is the limit of a real API server.
const maxBody = 3 << 20

// request is one on objects.
type request struct {
	*kind
	gvk             schema.GroupVersionKind
	namespace, name string
	subresource     string
	// manager is who writes.
	manager string
	options options
	http    *http.Request
	body    []byte
}

func (r *request) key() key { return r.kind.key(r.namespace, r.name) }

// serve takes a request in and gives it to the hooks first.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeError(w, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody)))
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header.Clone(), Body: body,
	})
	s.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.hooked(r, http.HandlerFunc(s.answer)).ServeHTTP(w, r)
}

// answer is what the server does when no hook says otherwise.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if s.options.Token != "" && r.Header.Get("Authorization") != "Bearer "+s.options.Token {
		writeError(w, apierrors.NewUnauthorized("Unauthorized"))
		return
	}
	if document := s.discovery(r.URL.Path); document != nil {
		writeJSON(w, http.StatusOK, document)
		return
	}
	req := s.route(r)
	if req == nil {
		// A real one says this of what it doesn't know at all: a kind without CRD.
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.authorize(req); err != nil {
		writeError(w, err)
		return
	}
	status, document, err := s.do(req)
	if err != nil {
		writeError(w, statusError(err))
		return
	}
	writeJSON(w, status, document)
}

// do carries a request out.
func (s *Server) do(r *request) (status int, document any, err error) {
	if err := r.readOptions(); err != nil {
		return 0, nil, err
	}
	status = http.StatusOK
	switch verb := r.verb(); verb {
	case "get":
		document, err = s.get(r)
	case "list":
		document, err = s.list(r)
	case "create":
		status = http.StatusCreated
		document, err = s.create(r)
	case "update":
		document, err = s.update(r)
	case "patch":
		var created bool
		if document, created, err = s.patch(r); created {
			status = http.StatusCreated
		}
	case "delete":
		document, err = s.delete(r)
	default:
		return 0, nil, apierrors.NewMethodNotSupported(r.resource(), cmp.Or(verb, r.http.Method))
	}
	return status, document, err
}

// verb returns what the request is to do, by the API's names; "" for what objects don't take.
func (r *request) verb() string {
	named := r.name != ""
	switch method := r.http.Method; {
	case method == http.MethodGet && r.http.URL.Query().Has("watch"):
		return "watch"
	case method == http.MethodGet && named:
		return "get"
	case method == http.MethodGet:
		return "list"
	case method == http.MethodPost && !named:
		return "create"
	case method == http.MethodPut && named:
		return "update"
	case method == http.MethodPatch && named:
		return "patch"
	case method == http.MethodDelete && named && r.subresource == "":
		return "delete"
	case method == http.MethodDelete:
		return "deletecollection"
	}
	return ""
}

// route reads a path: /api/v1 or /apis/<group>/<version>, namespaces/<namespace>
// if any, and the resource with name and subresource.
func (s *Server) route(r *http.Request) *request {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var gv schema.GroupVersion
	switch {
	case len(path) >= 3 && path[0] == "api":
		gv, path = schema.GroupVersion{Version: path[1]}, path[2:]
	case len(path) >= 4 && path[0] == "apis":
		gv, path = schema.GroupVersion{Group: path[1], Version: path[2]}, path[3:]
	default:
		return nil
	}
	out := &request{http: r, manager: manager(r)}
	if len(path) >= 3 && path[0] == "namespaces" && (gv.Group != "" || path[2] != "status") {
		out.namespace, path = path[1], path[2:]
	}
	if len(path) > 3 {
		return nil
	}
	path = append(path, "", "")
	i := slices.IndexFunc(s.kinds, func(k kind) bool {
		return k.group == gv.Group && k.plural == path[0] && slices.Contains(k.versions, gv.Version)
	})
	if i < 0 {
		return nil
	}
	out.kind, out.name, out.subresource = &s.kinds[i], path[1], path[2]
	out.gvk = out.in(gv.Version)
	overAll := !out.clusterScoped && out.namespace == ""
	switch {
	case out.clusterScoped && out.namespace != "", overAll && (out.name != "" || r.Method != http.MethodGet):
		return nil
	case out.subresource != "" && (out.subresource != "status" || !out.status):
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(fmt.Sprintf("clustertest: reading a body in memory: %v", err))
	}
	out.body = body
	return out
}

// authorize refuses what Forbid forbids.
func (s *Server) authorize(r *request) *apierrors.StatusError {
	verb := r.verb()
	for _, f := range s.forbids {
		if f.verb != "*" && f.verb != verb || f.plural != r.plural || f.namespace != "" && f.namespace != r.namespace {
			continue
		}
		scope := "at the cluster scope"
		if r.namespace != "" {
			scope = fmt.Sprintf("in the namespace %q", r.namespace)
		}
		resource := r.plural
		if r.subresource != "" {
			resource += "/" + r.subresource
		}
		return apierrors.NewForbidden(r.resource(), r.name, fmt.Errorf("User %q cannot %s resource %q in API group %q %s", //nolint:staticcheck // the API server's own words
			r.user(), verb, resource, r.group, scope))
	}
	return nil
}

// media returns the content type without its parameters.
func (r *request) media() string {
	media, _, err := mime.ParseMediaType(r.http.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

func (r *request) user() string { return cmp.Or(r.http.Header.Get("Impersonate-User"), "tester") }

// manager returns who writes: the field manager, or else the program.
func manager(r *http.Request) string {
	agent, _, _ := strings.Cut(r.UserAgent(), "/")
	return cmp.Or(r.URL.Query().Get("fieldManager"), agent, "unknown")
}
