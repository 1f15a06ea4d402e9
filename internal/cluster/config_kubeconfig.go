package cluster

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	// The one provider of kubeconfigs that is no program of its own.
	_ "k8s.io/client-go/plugin/pkg/client/auth/oidc"
)

// maxFile is the largest kubeconfig, and file that one names, that is read.
const maxFile = 4 << 20

// Kubeconfig is a kubeconfig's path, or its content.
type Kubeconfig struct {
	// Path of a file, or of several with colons between. With Content it only says
	// where that comes from: relative paths in it start there.
	Path    string
	Content []byte
}

func (k Kubeconfig) given() bool { return k.Path != "" || len(k.Content) > 0 }

// errNoKubeconfig says that no file was named and there is none in the default place.
var errNoKubeconfig = errors.New("there is no kubeconfig")

// configText is one kubeconfig as text.
type configText struct {
	// name says where it comes from, for messages.
	name string
	// origin is the path where relative paths in it start, "" for the working directory.
	origin string
	text   []byte
}

// texts reads them, in the order in which they count. As for kubectl, a
// file of several may be missing.
func (k Kubeconfig) texts() ([]configText, error) {
	if len(k.Content) > 0 {
		name := "the value of kubeconfig"
		if k.Path != "" {
			name = fmt.Sprintf("kubeconfig %q", k.Path)
		}
		return []configText{{name: name, origin: k.Path, text: k.Content}}, nil
	}
	if k.isText() {
		return nil, errors.New("kubeconfig is a text and no path: give the path, or a mapping, which the filter from_yaml makes of a text")
	}
	paths, missing, err := k.paths()
	if err != nil {
		return nil, err
	}
	var out []configText
	for _, path := range paths {
		text, err := readBounded(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading kubeconfig %q: %w: give a file that the task's user may read", path, err)
		}
		out = append(out, configText{name: fmt.Sprintf("kubeconfig %q", path), origin: path, text: text})
	}
	if len(out) == 0 {
		return nil, missing
	}
	return out, nil
}

// isText reports whether somebody gave a document's text in place of its path,
// which no message may show then.
func (k Kubeconfig) isText() bool {
	return strings.Contains(k.Path, "\n") || strings.HasPrefix(strings.TrimSpace(k.Path), "{")
}

// paths returns the files to read, and the error for the case that none exists.
func (k Kubeconfig) paths() (paths []string, missing, err error) {
	list := k.Path
	missing = fmt.Errorf("kubeconfig %q doesn't exist: give a path on the machine where the module runs", list)
	if list == "" {
		list = os.Getenv(clientcmd.RecommendedConfigPathEnvVar)
		missing = fmt.Errorf("%w at %q, which KUBECONFIG names", errNoKubeconfig, list)
	}
	home, homeErr := os.UserHomeDir()
	if list == "" {
		if homeErr != nil {
			return nil, nil, fmt.Errorf("%w: the home directory is unknown (%w)", errNoKubeconfig, homeErr)
		}
		list = filepath.Join(home, clientcmd.RecommendedHomeDir, clientcmd.RecommendedFileName)
		missing = fmt.Errorf("%w at %q", errNoKubeconfig, list)
	}
	for _, path := range filepath.SplitList(list) {
		if rest, ok := strings.CutPrefix(path, "~/"); ok && homeErr == nil {
			path = filepath.Join(home, rest)
		}
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths, missing, nil
}

func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, cause(err)
	}
	defer file.Close() //nolint:errcheck // it is only read
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, cause(err)
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return text, nil
}

// parse reads one kubeconfig, with paths in it made absolute.
func (s configText) parse() (*api.Config, error) {
	out, err := clientcmd.Load(s.text)
	if err != nil {
		return nil, fmt.Errorf("%s is no kubeconfig%s: compare it with one that kubectl accepts", s.name, place(err))
	}
	for _, cluster := range out.Clusters {
		cluster.LocationOfOrigin = s.origin
	}
	for _, user := range out.AuthInfos {
		user.LocationOfOrigin = s.origin
	}
	if s.origin == "" {
		return out, nil
	}
	if err := clientcmd.ResolveLocalPaths(out); err != nil {
		return nil, fmt.Errorf("completing the relative paths in %s: %w", s.name, err)
	}
	return out, nil
}

var (
	errorLine  = regexp.MustCompile(`\bline \d+`)
	errorField = regexp.MustCompile(`Go struct field (\S+) of type`)
)

// place takes out of a decoder's error where the fault is, and nothing else: it
// may repeat what stands there.
func place(err error) string {
	if field := errorField.FindStringSubmatch(err.Error()); field != nil {
		return fmt.Sprintf(" (the value of %s is of another type)", field[1])
	}
	if line := errorLine.FindString(err.Error()); line != "" {
		return fmt.Sprintf(" (%s is no YAML)", line)
	}
	return ""
}

// load reads the kubeconfigs as one: of two entries of one name the first counts.
// Which of two current contexts counts, kubectl and kubernetes.core don't agree.
func (k Kubeconfig) load(context string) (*api.Config, string, error) {
	texts, err := k.texts()
	if err != nil {
		return nil, "", err
	}
	out, names, current := api.NewConfig(), make([]string, 0, len(texts)), ""
	for _, s := range texts {
		config, err := s.parse()
		if err != nil {
			return nil, "", err
		}
		names = append(names, s.name)
		addEntries(out.Clusters, config.Clusters)
		addEntries(out.AuthInfos, config.AuthInfos)
		addEntries(out.Contexts, config.Contexts)
		switch {
		case config.CurrentContext == "" || context != "":
		case out.CurrentContext == "":
			out.CurrentContext, current = config.CurrentContext, s.name
		case out.CurrentContext != config.CurrentContext:
			return nil, "", fmt.Errorf("%s and %s have different current contexts: name the one to use in context", current, s.name)
		}
	}
	if context != "" {
		out.CurrentContext = context
	}
	return out, strings.Join(names, " and "), nil
}

func addEntries[T any](to, from map[string]*T) {
	for name, entry := range from {
		if _, ok := to[name]; !ok {
			to[name] = entry
		}
	}
}

// fromKubeconfig returns the connection of the kubeconfig, with the host replaced
// where one is given: whether it is reached by TLS decides what else counts.
func (c Config) fromKubeconfig() (*rest.Config, error) {
	config, name, err := c.Kubeconfig.load(c.Context)
	if err != nil {
		return nil, err
	}
	if config.CurrentContext == "" {
		return nil, fmt.Errorf("%s has no current context: name one in context, or set it with kubectl config use-context", name)
	}
	context := config.Contexts[config.CurrentContext]
	if context == nil {
		return nil, fmt.Errorf("%s has no context %q: kubectl config get-contexts lists those that there are", name, config.CurrentContext)
	}
	cluster := config.Clusters[context.Cluster]
	if cluster == nil {
		return nil, fmt.Errorf("context %q of %s names a cluster that isn't in it: mend its field cluster", config.CurrentContext, name)
	}
	if c.Host != "" {
		cluster.Server = c.Host
	}
	var proxy *url.URL
	if cluster.ProxyURL != "" {
		if proxy, err = proxyURL(cluster.ProxyURL); err != nil {
			return nil, fmt.Errorf("the proxy-url of context %q of %s %w", config.CurrentContext, name, err)
		}
		cluster.ProxyURL = "" // an error of clientcmd would show it
	}
	out, err := clientcmd.NewNonInteractiveClientConfig(*config, config.CurrentContext, nil, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("reading context %q of %s: %w", config.CurrentContext, name, err)
	}
	if proxy != nil {
		out.Proxy = http.ProxyURL(proxy)
	}
	if out.AuthProvider != nil {
		out.AuthConfigPersister = forget{}
	}
	return out, nil
}

// forget keeps the tokens that a provider fetches for this process alone.
type forget struct{}

func (forget) Persist(map[string]string) error { return nil }
