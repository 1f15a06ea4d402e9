package main

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// application is what the plugin server's variables say.
// https://argo-cd.readthedocs.io/en/stable/operator-manual/config-management-plugins/
type application struct {
	name string
	// path is that of its source in the repository, root where the repository lies.
	path, root string
	// hidden is the part of the repository's paths that root is below of: Argo CD may
	// hand over the files of manifest-generate-paths alone, without the directories
	// above all of them.
	hidden string
	// owner, environment and strict are its parameters; environment is a path of the repository.
	owner, environment string
	strict             bool
}

const (
	variableName       = "ARGOCD_APP_NAME"
	variablePath       = "ARGOCD_APP_SOURCE_PATH"
	variableParameters = "ARGOCD_APP_PARAMETERS"
	// Argo CD puts these before the names of an Application's parameters, in upper case, and of its env.
	prefixParameter = "PARAM_"
	prefixEnv       = "ARGOCD_ENV_RINGFENCE_"
)

// parameters are the names that an Application may set.
var parameters = []string{"owner", "environment", "strict"}

// readApplication reads the variables. All problems are returned together.
func readApplication() (application, finding.List) {
	out := application{name: os.Getenv(variableName), path: path.Clean(os.Getenv(variablePath))}
	findings := unknownParameters()
	values := map[string]string{}
	for _, name := range parameters {
		value, more := parameter(name)
		values[name] = value
		findings.Add(more...)
	}
	out.owner = values["owner"]
	switch values["strict"] {
	case "true":
		out.strict = true
	case "", "false":
	default:
		findings.Add(invalid("parameter strict", "it is %q", values["strict"]).WithRemedy(`write "true" or "false"`))
	}
	findings.Add(out.findRoot()...)
	if values["environment"] != "" {
		out.environment = path.Clean(values["environment"])
		findings.Add(out.checkEnvironment()...)
	}
	return out, findings
}

// parameter returns the value of a parameter, or of the variable in its place.
// Two that differ are an error: nothing says which of them was forgotten.
func parameter(name string) (string, finding.List) {
	upper := strings.ToUpper(name)
	value, given := os.LookupEnv(prefixParameter + upper)
	other, too := os.LookupEnv(prefixEnv + upper)
	switch {
	case given && too && value != other:
		return value, finding.List{finding.New(finding.InputAmbiguous, resource.Ref{}, "parameter "+name,
			"it is %q, and RINGFENCE_%s of the Application's env is %q", value, upper, other).WithRemedy("give one of the two")}
	case given:
		return value, nil
	}
	return other, nil
}

// unknownParameters reports what an Application sets and nobody reads: a misspelt
// owner would be a missing one.
func unknownParameters() finding.List {
	var out finding.List
	remedy := "there are " + strings.Join(parameters, ", ")
	var given []struct {
		Name   string  `json:"name"`
		String *string `json:"string"`
	}
	if text := os.Getenv(variableParameters); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			out.Add(invalid(variableParameters, "it can't be read: %v", err).WithRemedy("let Argo CD's plugin server set it"))
		}
	}
	seen := map[string]bool{}
	for _, p := range given {
		name := strings.ToLower(p.Name)
		switch {
		case !slices.Contains(parameters, name):
			out.Add(invalid("parameter "+p.Name, "there is no such parameter").WithRemedy("%s", remedy))
		case p.String == nil:
			out.Add(invalid("parameter "+p.Name, "it is no string").WithRemedy("set its field string"))
		case seen[name]:
			out.Add(invalid("parameter "+p.Name, "it is given twice").WithRemedy("remove one of the two"))
		}
		seen[name] = true
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if rest, ok := strings.CutPrefix(name, prefixEnv); ok && !slices.Contains(parameters, strings.ToLower(rest)) {
			out.Add(invalid("env RINGFENCE_"+rest, "there is no such variable").WithRemedy("%s", remedy))
		}
	}
	return out
}

// findRoot finds the repository: the working directory less the source's path.
func (a *application) findRoot() finding.List {
	if os.Getenv(variablePath) == "" {
		return finding.List{missing(variablePath, "it isn't set").WithRemedy("let Argo CD's plugin server run this command, or set it to the path of the working directory in its repository")}
	}
	dir, err := workingDirectory()
	if err != nil {
		return finding.List{invalid(variablePath, "%v", err)}
	}
	if !filepath.IsLocal(a.path) {
		return finding.List{invalid(variablePath, "%q leads out of the repository", a.path)}
	}
	elements := strings.Split(a.path, "/")
	if a.path == "." {
		elements = nil
	}
	at, hidden := dir, len(elements)
	for ; hidden > 0 && filepath.Base(at) == elements[hidden-1]; hidden-- {
		at = filepath.Dir(at)
	}
	if hidden == len(elements) && hidden > 0 {
		return finding.List{invalid(variablePath, "the working directory %q doesn't end in %q", dir, a.path).
			WithRemedy("let the path of the Application be no symbolic link")}
	}
	a.root, a.hidden = at, path.Join(elements[:hidden]...)
	return nil
}

// checkEnvironment looks whether the environment is a path of the files handed over.
func (a *application) checkEnvironment() finding.List {
	if !filepath.IsLocal(a.environment) {
		return finding.List{invalid("parameter environment", "%q leads out of the repository", a.environment).
			WithRemedy("write a path from the root of the repository, without ..")}
	}
	if a.hidden != "" && !strings.HasPrefix(a.environment, a.hidden+"/") {
		return finding.List{invalid("parameter environment", "Argo CD doesn't hand %q over", a.environment).
			WithRemedy("name it in the Application's annotation argocd.argoproj.io/manifest-generate-paths")}
	}
	return nil
}

// locate returns where a path of the repository lies.
func (a *application) locate(path string) string {
	if a.hidden != "" {
		path = strings.TrimPrefix(path, a.hidden+"/")
	}
	return filepath.Join(a.root, path)
}
