package model

import (
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// problems collects what is wrong with one document, and knows on which line each path stands.
type problems struct {
	file      string
	object    resource.Ref
	lines     map[string]int
	list      finding.List
	exhausted bool
}

func newProblems(doc Document) *problems {
	return &problems{file: doc.File, object: doc.Ref, lines: map[string]int{}}
}

func (p *problems) add(id finding.ID, path, format string, args ...any) {
	p.addAt(p.line(path), id, path, format, args...)
}

func (p *problems) addAt(line int, id finding.ID, path, format string, args ...any) {
	if p.file == "" {
		line = 0 // a line of a text that another tool wrote and no one can open
	}
	p.list.Add(finding.New(id, p.object, path, format, args...).In(p.file, line))
}

// line returns the line of path, or of the nearest value around it.
func (p *problems) line(path string) int {
	for path != "" {
		if line, ok := p.lines[path]; ok {
			return line
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			break
		}
		path = path[:cut]
	}
	return p.lines[""]
}
