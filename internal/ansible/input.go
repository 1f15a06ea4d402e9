package ansible

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/cluster"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// The parameters that hold the input.
const (
	paramModel       = "model"
	paramEnvironment = "environment"
	paramOwner       = "owner"
	paramProfile     = "security_profile"
	paramDNS         = "dns"
	paramTrustDomain = "trust_domain"
	paramStrict      = "strict"
)

// InputOptions are the options of a module that derives from the model.
var InputOptions = []Option{
	{
		Name: paramModel, Type: Raw, Required: true,
		Description: []string{
			"The AccessModel: a path, or the document as a mapping.",
			"A path is looked up on the controller as for other files of a role or playbook (C(files/)); it may be encrypted with Ansible Vault.",
		},
	},
	{
		Name: paramEnvironment, Type: Raw,
		Description: []string{
			"The Environment: a path, or the document as a mapping.",
			"Without it O(security_profile) and O(dns) say what the environment is.",
		},
	},
	{
		Name: paramOwner, Type: String, Required: true,
		Description: []string{"The owner of the model whose objects these are: the role. Its tool must be Ansible."},
	},
	{
		Name: paramProfile, Type: String, Choices: []string{"open", "permissive", "enforced"},
		Description: []string{
			"The profile of the environment, as the inventory has it.",
			"It counts before that of O(environment); where both are given and differ, a warning says so.",
		},
	},
	{
		Name: paramDNS, Type: Dict,
		Description: []string{
			"Host names by the names that the model's hostRefs use, as the inventory has them: each a string or a list of strings.",
			"An entry counts before that of O(environment). Entries that the model doesn't use are ignored.",
		},
	},
	{
		Name: paramTrustDomain, Type: String,
		Description: []string{"The trust domain of the mesh. The default is that of O(environment), else V(cluster.local)."},
	},
	{
		Name: paramStrict, Type: Bool, Default: false,
		Description: []string{"Let every warning about the input or the objects fail the task."},
	},
}

// UnionOptions are InputOptions for a module that looks at every owner, or at one.
func UnionOptions(owner string) []Option {
	out := slices.Clone(InputOptions)
	for i := range out {
		if out[i].Name == paramOwner {
			out[i].Required, out[i].Description = false, []string{owner}
		}
	}
	return out
}

// Platform reads the whole input for a module that has no owner.
func (c *Call) Platform() (*model.Platform, finding.List) {
	docs, findings := c.Documents()
	if findings.Failed() {
		return nil, findings
	}
	platform, problems := model.ParseUnion(docs)
	findings.Add(problems...)
	if c.Bool(paramStrict) {
		findings = findings.Strict()
	}
	return platform, findings
}

// Report returns a result that holds findings, their warnings said, and an error
// when there is one among them.
func (c *Call) Report(findings finding.List) (Result, error) {
	result := c.report(cluster.Outcome{}, findings)
	delete(result.Values, "changes")
	if findings.Failed() {
		return result, failed(findings)
	}
	return result, nil
}

// Documents reads the model, the environment and what the inventory says.
// Problems are findings; the list failed when there is an error among them.
func (c *Call) Documents() (model.Documents, finding.List) {
	var (
		docs     model.Documents
		findings finding.List
	)
	read := func(param, kind string) []model.Document {
		file, text, err := c.document(param, kind)
		if err != nil {
			findings.Add(finding.New(finding.InputUnreadable, resource.Ref{}, param, "%v", err))
			return nil
		}
		if text == nil {
			return nil
		}
		parsed, problems := model.ParseDocuments(file, text)
		findings.Add(problems...)
		for _, doc := range parsed {
			if doc.Ref.Kind != kind {
				findings.Add(finding.New(finding.InputInvalidValue, doc.Ref, param, "it is of kind %q", doc.Ref.Kind).In(file, 0).
					WithRemedy("give this parameter a document of kind %s", kind))
			}
		}
		return slices.DeleteFunc(parsed, func(d model.Document) bool { return d.Ref.Kind != kind })
	}
	docs.Models = read(paramModel, v1alpha1.KindAccessModel)
	docs.Environments = read(paramEnvironment, v1alpha1.KindEnvironment)
	docs.Inventory = &model.Inventory{SecurityProfile: c.String(paramProfile), DNS: c.dns(), TrustDomain: c.String(paramTrustDomain)}
	return docs, findings
}

// Request reads the whole input. Its findings include warnings and what is worth
// knowing; the request is only good when none is an error.
func (c *Call) Request() (model.Request, finding.List) {
	docs, findings := c.Documents()
	if findings.Failed() {
		return model.Request{}, findings
	}
	request, problems := model.Parse(docs, v1alpha1.RingfenceSpec{Owner: c.String(paramOwner), Strict: c.Bool(paramStrict)})
	findings.Add(problems...)
	if !findings.Failed() && request.Owner.Tool != model.Ansible {
		findings.Add(finding.New(finding.OwnerTool, resource.Ref{}, paramOwner, "the objects of owner %q are written by %s, not by Ansible", request.Owner.Name, request.Owner.Tool))
	}
	if c.Bool(paramStrict) {
		findings = findings.Strict()
	}
	return request, findings
}

// document returns the text of a parameter that is a path or a mapping, and the
// file that it came from. Without a value both are empty.
func (c *Call) document(param, kind string) (file string, text []byte, err error) {
	switch value := c.Params[param].(type) {
	case nil:
		return "", nil, nil
	case map[string]any:
		text, err := yaml.Marshal(value)
		if err != nil {
			return "", nil, fmt.Errorf("serialising the mapping: %w", err)
		}
		return "", text, nil
	case string:
		if file, ok := c.Files[param]; ok {
			return file.Path, file.Content, nil
		}
		if strings.ContainsAny(value, "\n") {
			return "", nil, fmt.Errorf("it is a text of several lines: give a path, or the %s as a mapping (from_yaml makes one of a text)", kind)
		}
		text, err := readFile(value, model.MaxDocumentBytes)
		return value, text, err
	default:
		return "", nil, fmt.Errorf("it is %s: give a path, or the %s as a mapping", typeName(value), kind)
	}
}

// readFile reads a file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // a path that the task names
	if err != nil {
		if fault, ok := errors.AsType[*fs.PathError](err); ok {
			err = fault.Err
		}
		return nil, fmt.Errorf("reading the file %q: %w", path, err)
	}
	defer file.Close() //nolint:errcheck // it is only read
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading the file %q: %w", path, err)
	}
	if n > limit {
		return nil, fmt.Errorf("the file %q has more than %d bytes", path, limit)
	}
	return b.Bytes(), nil
}

// dns returns the inventory's host names: each entry a string or a list of strings.
// What is neither becomes a text that is no host, for only the model knows
// whether anybody uses the name, and then it is reported.
func (c *Call) dns() map[string][]string {
	out := map[string][]string{}
	for name, value := range c.Dict(paramDNS) {
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		hosts := make([]string, 0, len(list))
		for _, entry := range list {
			host, ok := entry.(string)
			if !ok {
				host = "<" + typeName(entry) + ">"
			}
			hosts = append(hosts, host)
		}
		out[name] = hosts
	}
	return out
}

func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "nothing"
	case bool:
		return "a truth value"
	case int64, float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	default:
		return fmt.Sprintf("of type %T", value)
	}
}
