package ansible

import "context"

// Module is one Ansible module. Its documentation, its argument spec and its
// behaviour come from this one value.
type Module struct {
	// Name without namespace and collection: "gateway_host_policy".
	Name string
	// Summary is one line without a full stop.
	Summary string
	// Description holds sentences, each a paragraph of the documentation.
	Description []string
	// Options are the parameters, in the order of the documentation.
	Options []Option
	// Rules between options.
	Rules Rules
	// Notes, Requirements and SeeAlso go to the documentation as they are. SeeAlso
	// names modules: "ringfence.mesh.access_info".
	Notes, Requirements, SeeAlso []string
	// Examples is a YAML list of tasks.
	Examples string
	// Returns are the values beside changed, failed, msg, diff, warnings and invocation.
	Returns []Return
	// ReadOnly says that the module changes nothing; then check mode is what it always does.
	ReadOnly bool
	// Run does the work. What it returns beside an error is emitted as well.
	Run func(ctx context.Context, call *Call) (Result, error)
}

// Type is the type of an option, by Ansible's names.
type Type string

// The types of Ansible's argument specs that the modules use.
const (
	String Type = "str"
	Bool   Type = "bool"
	Int    Type = "int"
	Float  Type = "float"
	List   Type = "list"
	Dict   Type = "dict"
	Path   Type = "path"
	Raw    Type = "raw"
)

// Option is one parameter.
type Option struct {
	Name string
	// Type is String when empty; Elements is that of a List's entries.
	Type, Elements Type
	// Description holds sentences.
	Description []string
	// Default is nil where there is none.
	Default  any
	Required bool
	Choices  []string
	Aliases  []string
	// Env is the environment variable that stands in where the parameter is absent.
	Env string
	// Secret keeps the value out of all output (no_log).
	Secret bool
	// SecretUnlessPath does so unless the value is a path: for a document with
	// secrets, such as a kubeconfig, that is given by its path or as it is. What in
	// such a document is secret, the module says with Call.Secret; all of it would
	// be names and addresses that messages need.
	SecretUnlessPath bool
	// Public says that the value is none although its name looks like it (no_log: false).
	Public bool
	// Options are those of a Dict, or of the entries of a List of Dict.
	Options []Option
}

func (o Option) kind() Type {
	if o.Type == "" {
		return String
	}
	return o.Type
}

// Rules are what an argument spec says of several options together. Each entry lists names.
type Rules struct {
	MutuallyExclusive, RequiredTogether, RequiredOneOf [][]string
}

// Return is one value of a result.
type Return struct {
	Name           string
	Type, Elements Type
	Description    []string
	// Returned says when: "always".
	Returned string
	Sample   any
	Contains []Return
}

// Result is what a module answers.
type Result struct {
	Changed bool
	// Message for a person; may be empty.
	Message string
	// Skipped is the reason for which there was nothing to do.
	Skipped string
	// Diff holds an entry for each object that changed, and is emitted in diff mode alone.
	Diff []Diff
	// Values are the module's own return values.
	Values map[string]any
}

// Diff is one object before and after, as YAML; empty where there was or is none.
type Diff struct {
	Before       string `json:"before"`
	After        string `json:"after"`
	BeforeHeader string `json:"before_header"`
	AfterHeader  string `json:"after_header"`
}

// Failure is an error with values of its own for the result.
type Failure struct { //nolint:errname // Ansible's own word for a task that failed
	Message string
	Values  map[string]any
	// Err is what caused it; may be nil.
	Err error
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }
