package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// heading is that of the table.
const heading = "| resources | way | CPU | wall clock | to kustomize alone | of that the filter | peak memory |\n" +
	"| ---: | --- | ---: | ---: | ---: | ---: | ---: |\n"

// writeRows writes medians, and the least and the greatest ratio.
func writeRows(out io.Writer, rows []row) error {
	var b strings.Builder
	for _, r := range rows {
		if len(r.samples) == 0 {
			fmt.Fprintf(&b, "| %d | %s | not measured: there is no %s | | | | |\n", r.size, r.way, strings.Join(r.missing, ", "))
			continue
		}
		fmt.Fprintf(&b, "| %d | %s | %.3f s | %.3f s | %s | %s | %d MB |\n", r.size, r.way,
			r.median(func(s sample) float64 { return s.cpu.Seconds() }), r.median(func(s sample) float64 { return s.wall.Seconds() }),
			r.ratio(), r.filterShare(), int(r.median(func(s sample) float64 { return float64(s.peak) }))>>20)
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

func (r row) values(of func(sample) float64) []float64 {
	out := make([]float64, 0, len(r.samples))
	for _, s := range r.samples {
		out = append(out, of(s))
	}
	slices.Sort(out)
	return out
}

func (r row) median(of func(sample) float64) float64 {
	values := r.values(of)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

func (r row) ratio() string {
	ratios := r.values(func(s sample) float64 { return s.ratio })
	if ratios[0] == 0 {
		return "" // there was no kustomize in these turns
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", r.median(func(s sample) float64 { return s.ratio }), ratios[0], ratios[len(ratios)-1])
}

// filterShare returns the CPU time of the filter behind kustomize, and compares it with kustomize's.
func (r row) filterShare() string {
	filter := r.median(func(s sample) float64 { return s.filter.Seconds() })
	if filter == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f s, %.1f %%", filter, 100*r.median(func(s sample) float64 {
		return s.filter.Seconds() / (s.cpu - s.filter).Seconds()
	}))
}
