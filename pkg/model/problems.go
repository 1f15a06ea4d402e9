package model

import (
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Limits of what is said about one document. A text with more problems is no
// model, and a value of that length is no name.
const (
	maxProblems = 1000
	maxMessage  = 600 // bytes
)

// problems collects what is wrong with one document, and knows on which line each path stands.
type problems struct {
	file   string
	object resource.Ref
	lines  map[string]int
	names  map[string]string // of the entries of lists, by their path
	said   map[string]bool   // paths at or below which something was said
	unread map[string]bool   // paths whose value could not be read whole
	list   finding.List
}

func newProblems(doc Document) *problems {
	return &problems{file: doc.File, object: doc.Ref, lines: map[string]int{}, names: map[string]string{}, said: map[string]bool{}, unread: map[string]bool{}}
}

// add says what is wrong at a path. An empty remedy is the rule's own.
func (p *problems) add(id finding.ID, path, remedy, format string, args ...any) {
	p.addAt(p.line(path), id, path, remedy, format, args...)
}

func (p *problems) addAt(line int, id finding.ID, path, remedy, format string, args ...any) {
	if len(p.list) > maxProblems {
		return
	}
	f := finding.New(id, p.object, shortened(path), format, args...)
	if len(p.list) == maxProblems {
		f = finding.New(finding.InputUnreadable, p.object, "", "it has more problems than the %d that are listed", maxProblems)
		line = 0
	} else if remedy != "" {
		f = f.WithRemedy("%s", remedy)
	}
	if entry := p.entry(path); entry != "" && f.Field != "" && !strings.Contains(f.Message, entry) {
		f.Message = entry + ": " + f.Message
	}
	f.Message = shortened(f.Message)
	if p.file == "" {
		line = 0 // a line of a text that another tool wrote and no one can open
	}
	p.list.Add(f.In(p.file, line))
	if id == finding.InputWrongType || id == finding.InputUnreadable {
		p.unread[path] = true
	}
	for ; path != "" && !p.said[path]; path = parent(path) {
		p.said[path] = true
	}
}

// report adds a problem, unless it may be the consequence of another: something
// was said at or below the path already, or what it lies in could not be read.
func (p *problems) report(id finding.ID, path, remedy, format string, args ...any) {
	for at := path; at != ""; at = parent(at) {
		if p.unread[at] {
			return
		}
	}
	if !p.said[path] {
		p.add(id, path, remedy, format, args...)
	}
}

// line returns the line of path, or of the nearest value around it.
func (p *problems) line(path string) int {
	for ; path != ""; path = parent(path) {
		if line, ok := p.lines[path]; ok {
			return line
		}
	}
	return p.lines[""]
}

// entry names the entry of a section that a path leads into: `workload "web"`. A
// text that comes through kustomize has no lines, and nobody counts to the 37th.
func (p *problems) entry(path string) string {
	section, field, _ := strings.Cut(path, "]")
	if at := strings.Index(path, ".cases["); at >= 0 { // within an embedded test
		section, field, _ = strings.Cut(path[at:], "]")
		section = path[:at] + section
	}
	name := p.names[section+"]"]
	if name == "" || field == ".name" {
		return ""
	}
	section = section[:strings.LastIndex(section, "[")]
	kind := map[string]string{"gateways": "gateway", "workloads": "workload", "tenants": "tenant", "cases": "case"}[section[strings.LastIndex(section, ".")+1:]]
	if kind == "" {
		return ""
	}
	return quoted(kind, name)
}

// parent returns the path of the value around the one at path.
func parent(path string) string { return path[:max(strings.LastIndexAny(path, ".["), 0)] }

func shortened(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	return strings.ToValidUTF8(s[:maxMessage], "") + "…"
}
