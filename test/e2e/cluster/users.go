package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Rule is what a role allows. The built-in roles view, edit and admin are empty
// here, for a controller would fill them.
type Rule struct {
	APIGroups     []string `json:"apiGroups"`
	Resources     []string `json:"resources"`
	ResourceNames []string `json:"resourceNames,omitempty"`
	Verbs         []string `json:"verbs"`
}

// Admin returns the access of a user who may do everything.
func (s *Server) Admin() Access { return s.admin }

// User returns the access of a user by a client certificate. Without a Grant the
// user may do nothing.
func (s *Server) User(validity Validity, name string, groups ...string) (Access, error) {
	pair, err := s.authority.client(validity, name, groups...)
	if err != nil {
		return Access{}, err
	}
	return Access{Server: s.admin.Server, Authority: s.admin.Authority, Certificate: pair.certificate, Key: pair.key}, nil
}

// Token returns the access of a ServiceAccount by a token, and makes the account
// if there is none. For Grant its name is system:serviceaccount:<namespace>:<name>.
func (s *Server) Token(ctx context.Context, namespace, name string) (Access, error) {
	account := fmt.Sprintf("{apiVersion: v1, kind: ServiceAccount, metadata: {name: %s}}", name)
	if err := s.Client.Apply(ctx, manager, namespace, []byte(account)); err != nil {
		return Access{}, err
	}
	accounts, err := s.Client.Kind(ctx, ServiceAccount, namespace)
	if err != nil {
		return Access{}, err
	}
	request := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"expirationSeconds": int64((24 * time.Hour).Seconds())},
	}}
	answer, err := accounts.Create(ctx, request, metav1.CreateOptions{}, "token")
	if err != nil {
		return Access{}, fmt.Errorf("requesting a token of %s/%s: %w", namespace, name, err)
	}
	token, _, err := unstructured.NestedString(answer.Object, "status", "token")
	if err != nil {
		return Access{}, fmt.Errorf("requesting a token of %s/%s: %w", namespace, name, err)
	}
	return Access{Server: s.admin.Server, Authority: s.admin.Authority, Token: token}, nil
}

// Grant allows a user something in a namespace, or everywhere when that is empty,
// beside nothing else: an earlier grant there is replaced.
func (s *Server) Grant(ctx context.Context, user, namespace string, rules ...Rule) error {
	role, binding := "Role", "RoleBinding"
	if namespace == "" {
		role, binding = "ClusterRole", "ClusterRoleBinding"
	}
	const (
		group   = "rbac.authorization.k8s.io"
		version = group + "/v1"
	)
	metadata := map[string]any{"name": "e2e-" + strings.ReplaceAll(user, ":", "-")}
	for _, object := range []map[string]any{
		{"apiVersion": version, "kind": role, "metadata": metadata, "rules": rules},
		{
			"apiVersion": version, "kind": binding, "metadata": metadata,
			"roleRef":  map[string]any{"apiGroup": group, "kind": role, "name": metadata["name"]},
			"subjects": []any{map[string]any{"apiGroup": group, "kind": "User", "name": user}},
		},
	} {
		text, err := yaml.Marshal(object)
		if err != nil {
			return fmt.Errorf("writing a %s for %q: %w", object["kind"], user, err)
		}
		if err := s.Client.Apply(ctx, manager, namespace, text); err != nil {
			return fmt.Errorf("granting %q: %w", user, err)
		}
	}
	return nil
}
