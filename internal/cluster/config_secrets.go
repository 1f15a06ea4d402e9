package cluster

import (
	"encoding/base64"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Secrets returns what of the connection no output may hold: tokens, passwords and
// keys, also those of every user in the kubeconfig, as they are written and
// decoded. A kubeconfig that can't be read has none: nothing of it is repeated.
func (c Config) Secrets() []string {
	s := secrets{}
	s.add(c.APIKey)
	s.basic(c.Username, c.Password)
	s.pair(c.ProxyHeaders.BasicAuth)
	s.pair(c.ProxyHeaders.ProxyBasicAuth)
	s.address(c.Proxy)
	s.address(c.Host)
	if c.selfContained() && !c.Kubeconfig.given() {
		return s.sorted()
	}
	kubeconfig := c.Kubeconfig
	if kubeconfig.isText() {
		s.add(kubeconfig.Path)
		kubeconfig = Kubeconfig{Content: []byte(kubeconfig.Path)}
	}
	texts, err := kubeconfig.texts()
	if err != nil {
		return s.sorted() // REST says so
	}
	for _, text := range texts {
		s.document(text)
	}
	return s.sorted()
}

type secrets []string

func (s secrets) sorted() []string {
	slices.Sort(s)
	return slices.Compact(s)
}

// minEncoded is the length from which a text may be base64 on purpose.
const minEncoded = 16

// add adds a text, and what it is in base64, as a kubeconfig has keys.
func (s *secrets) add(text string) {
	if text == "" {
		return
	}
	*s = append(*s, text)
	if len(text) < minEncoded {
		return
	}
	if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
		*s = append(*s, string(decoded))
	}
}

// basic adds a password, and what an Authorization header makes of it.
func (s *secrets) basic(user, password string) {
	if password == "" {
		return
	}
	s.add(password)
	s.add(base64.StdEncoding.EncodeToString([]byte(user + ":" + password)))
}

// pair adds what "user:password" holds.
func (s *secrets) pair(text string) {
	if user, password, ok := strings.Cut(text, ":"); ok {
		s.basic(user, password)
		s.add(text)
		return
	}
	s.add(text)
}

// userinfo finds credentials in anything that looks like a URL, whether or not it is one.
var userinfo = regexp.MustCompile(`^[^/?#]*//([^/?#]*)@|^([^/?#]*)@`)

func (s *secrets) address(text string) {
	found := userinfo.FindStringSubmatch(text)
	if found == nil {
		return
	}
	user, password, ok := strings.Cut(found[1]+found[2], ":")
	if !ok {
		return
	}
	s.add(password)
	if decoded, err := url.PathUnescape(password); err == nil {
		s.basic(user, decoded)
	}
}

// secretField are the fields of a kubeconfig that hold credentials, or the whole
// of which says nothing to a person; so are variables of a plugin's environment.
var secretField = regexp.MustCompile(`(?i)token|passw|secret|credential|key-data|certificate-data|authority-data|api[-_]?key|access[-_]?key|private`)

func isSecretField(name string) bool {
	return secretField.MatchString(name) && !strings.HasSuffix(strings.ToLower(name), "file")
}

// document adds what the secret fields of a kubeconfig hold, be it valid or not.
func (s *secrets) document(text configText) {
	var content any
	if err := yaml.Unmarshal(text.text, &content); err != nil {
		return // it isn't used either
	}
	s.fields(text.origin, "", content)
}

func (s *secrets) fields(origin, name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		if variable, ok := value["name"].(string); ok {
			if text, ok := value["value"].(string); ok && isSecretField(variable) {
				s.add(text)
			}
		}
		for name, field := range value {
			s.fields(origin, name, field)
		}
	case []any:
		for _, entry := range value {
			s.fields(origin, name, entry)
		}
	case string:
		if isSecretField(name) {
			s.add(value)
		}
		if name == "tokenFile" {
			s.file(origin, value)
		}
		s.address(value)
	}
}

// file adds the content of a token's file.
func (s *secrets) file(origin, path string) {
	if origin != "" && !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(origin), path)
	}
	text, err := readBounded(path)
	if err != nil {
		return // REST says so
	}
	s.add(strings.TrimSpace(string(text)))
}
