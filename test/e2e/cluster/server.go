package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// manager is the field manager of what the server itself sets up.
const manager = "e2e"

// Server is a kube-apiserver with its etcd, and what stands in for the rest of a cluster.
type Server struct {
	Client      *Client // of the admin
	Controllers *Controllers

	authority *authority
	admin     Access
	processes []*process
	cancel    context.CancelFunc
}

// Start starts an API server from the executables in bin, with its files in dir,
// and returns when it serves Istio's and KServe's kinds. It must be stopped; if
// the test dies first, what was started dies with it.
func Start(ctx context.Context, dir, bin string) (*Server, error) {
	if err := checkBinaries(bin); err != nil {
		return nil, err
	}
	authority, err := newAuthority()
	if err != nil {
		return nil, err
	}
	s := &Server{authority: authority, cancel: func() {}}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	if err := s.start(ctx, dir, bin); err != nil {
		s.Stop()
		return nil, fmt.Errorf("starting an API server in %s: %w", dir, err)
	}
	return s, nil
}

// Stop ends the server at once. What is in it is gone.
func (s *Server) Stop() {
	s.cancel()
	if s.Controllers != nil {
		<-s.Controllers.ended
	}
	for _, p := range s.processes {
		p.stop()
	}
}

// Namespace makes a namespace whose name begins with the given prefix.
func (s *Server) Namespace(ctx context.Context, prefix string, labels map[string]string) (string, error) {
	namespaces, err := s.Client.Kind(ctx, Namespace, "")
	if err != nil {
		return "", err
	}
	namespace := &unstructured.Unstructured{}
	namespace.SetGroupVersionKind(Namespace)
	namespace.SetGenerateName(prefix + "-")
	namespace.SetLabels(labels)
	namespace, err = namespaces.Create(ctx, namespace, metav1.CreateOptions{FieldManager: manager})
	if err != nil {
		return "", fmt.Errorf("making a namespace: %w", err)
	}
	return namespace.GetName(), nil
}

func (s *Server) start(ctx context.Context, dir, bin string) error {
	// Sockets, for etcd asks nobody who they are. What looks like a host is a file in the working directory.
	const socket = "unix://etcd:1"
	if err := s.run(dir, filepath.Join(bin, etcd),
		"--data-dir=data", "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls="+socket, "--advertise-client-urls="+socket,
		"--listen-peer-urls=unix://peer:1", "--initial-advertise-peer-urls=unix://peer:1",
		"--initial-cluster=default=unix://peer:1",
	); err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	if err := s.writeKeys(dir); err != nil {
		return err
	}
	if err := s.run(dir, filepath.Join(bin, apiServer),
		"--etcd-servers="+socket,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port="+port,
		"--tls-cert-file=server.crt", "--tls-private-key-file=server.key", "--client-ca-file=authority.crt",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=server.key", "--service-account-signing-key-file=server.key",
		"--service-cluster-ip-range=10.0.0.0/24", "--endpoint-reconciler-type=none",
		"--authorization-mode=RBAC",
		// It wants the token of each account, which a controller would make.
		"--disable-admission-plugins=ServiceAccount",
	); err != nil {
		return err
	}
	s.admin = Access{Server: "https://127.0.0.1:" + port, Authority: s.authority.pem()}
	if s.admin, err = s.User(Valid(), "admin", "system:masters"); err != nil {
		return err
	}
	if s.Client, err = NewClient(s.admin); err != nil {
		return err
	}
	if err := s.await(ctx, s.ready); err != nil {
		return err
	}
	if err := s.defineKinds(ctx, bin); err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	s.Controllers, err = startControllers(running, s.Client, filepath.Join(dir, "controllers.log"))
	return err
}

func (s *Server) run(dir, program string, args ...string) error {
	p, err := startProcess(dir, program, args...)
	if err == nil {
		s.processes = append(s.processes, p)
	}
	return err
}

func (s *Server) writeKeys(dir string) error {
	pair, err := s.authority.server(Valid())
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"authority.crt": s.authority.pem(), "server.crt": pair.certificate, "server.key": pair.key,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return fmt.Errorf("writing the API server's keys: %w", err)
		}
	}
	return nil
}

func (s *Server) ready(ctx context.Context) error {
	_, err := s.Client.get(ctx, "/readyz")
	return err
}

// await asks until there is no error, as long as both processes run.
func (s *Server) await(ctx context.Context, ask func(context.Context) error) error {
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		for _, p := range s.processes {
			select {
			case <-p.ended:
				return p.failure()
			default:
			}
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// freePort returns a port on which nobody listens now.
func freePort() (string, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	if err := listener.Close(); err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}
