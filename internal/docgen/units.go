package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/functions"
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/pkg/finding"
)

type unit = krm.Unit

var units = functions.Units

func (s *sources) unitTable() string {
	rows := [][]string{{"function", "what it does", "selected by component"}}
	for _, u := range s.units {
		rows = append(rows, []string{
			linked(u.Name, "functions/"+u.Name+"/README.md"), prose(u.Summary), components(u, "components/"),
		})
	}
	return table(rows...)
}

// components names the components of a unit as links into a folder.
func components(u unit, folder string) string {
	var out []string
	for _, c := range u.Components {
		if c == krm.Always {
			return "every build"
		}
		out = append(out, linked(c, folder+c+"/README.md"))
	}
	return strings.Join(out, ", ")
}

func (s *sources) unit(name string) (int, error) {
	i := slices.IndexFunc(s.units, func(u unit) bool { return u.Name == name })
	if i < 0 {
		return 0, fmt.Errorf("there is no unit %q", name)
	}
	return i, nil
}

func (s *sources) unitSummary(name string) (string, error) {
	i, err := s.unit(name)
	if err != nil {
		return "", err
	}
	u := s.units[i]
	neighbours := make([]string, 0, len(s.units))
	for j, other := range s.units {
		if i == j {
			neighbours = append(neighbours, "**"+other.Name+"**")
		} else {
			neighbours = append(neighbours, fmt.Sprintf("[%s](../%s/README.md)", other.Name, other.Name))
		}
	}
	return table(
		[]string{code(u.Name), prose(u.Summary)},
		[]string{"selected by", components(u, "../../components/")},
		[]string{"order", strings.Join(neighbours, " → ")},
	), nil
}

// unitRules lists what a unit can report. One that judges repeats what the others
// say; they are left out.
func (s *sources) unitRules(name string) (string, error) {
	i, err := s.unit(name)
	if err != nil {
		return "", err
	}
	intro := "Beside the rules of the input, which every function reports:"
	ids := s.reports[name]
	if s.units[i].Judges {
		intro = "Beside the rules of the input and those of the functions before it:"
		ids = slices.DeleteFunc(slices.Clone(ids), func(id finding.ID) bool {
			return slices.ContainsFunc(s.units, func(u unit) bool { return !u.Judges && slices.Contains(s.reports[u.Name], id) })
		})
	}
	rows := [][]string{{"rule", "severity", "what holds"}}
	for _, g := range s.groups {
		for _, r := range g.rules {
			if slices.Contains(ids, r.id) {
				rows = append(rows, []string{linked(string(r.id), "../../docs/rules.md#"+string(r.id)), r.Severity.String(), prose(r.Summary)})
			}
		}
	}
	return intro + "\n\n" + table(rows...), nil
}
