package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// row is what was measured of one way at one size.
type row struct {
	size    int
	way     string
	samples []sample
	missing []string // executables that it lacks
}

// sample is one run.
type sample struct {
	cpu, wall time.Duration // cpu of all its processes
	filter    time.Duration // cpu of the filter alone, where it is one of two commands
	ratio     float64       // of cpu to that of kustomize in the same turn; 0 without one
	peak      int64         // bytes of the largest process
}

// measureAll hands over the rows of each size as it is done.
func measureAll(ctx context.Context, o options, done func([]row) error) error {
	for _, scale := range []struct {
		sizes []int
		runs  int
		in    func(way) bool
	}{
		{o.sizes, o.runs, func(way) bool { return true }},
		{o.large, o.runs, func(w way) bool { return w.large }},
		{o.streams, o.runs, func(w way) bool { return w.stream }},
	} {
		chosen := slices.DeleteFunc(slices.Clone(ways), func(w way) bool { return !scale.in(w) })
		for _, size := range scale.sizes {
			rows, err := measureSize(ctx, o, size, scale.runs, chosen)
			if err != nil {
				return fmt.Errorf("with %d resources: %w", size, err)
			}
			if err := done(rows); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o options) say(format string, args ...any) {
	_, _ = fmt.Fprintf(o.progress, format, args...) // nobody is there to be told
}

// measureSize lets the ways take turns.
func measureSize(ctx context.Context, o options, size, runs int, ways []way) (rows []row, err error) {
	dir, err := os.MkdirTemp("", "performance-*")
	if err != nil {
		return nil, fmt.Errorf("making a directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	in, err := generate(size, filepath.Join(dir, "resources.yaml"))
	if err != nil {
		return nil, err
	}
	rows = make([]row, len(ways))
	for i, w := range ways {
		rows[i] = row{size: size, way: w.name, missing: missing(o.bin, w.needs)}
		if len(rows[i].missing) > 0 {
			o.say("%d resources: %s: not measured: %s lacks %s\n", size, w.name, o.bin, strings.Join(rows[i].missing, ", "))
		}
	}
	for turn := range runs {
		var kustomize time.Duration
		for i, w := range ways {
			if len(rows[i].missing) > 0 {
				continue
			}
			s, err := measure(ctx, w, in, o.bin)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			if w.name == alone {
				kustomize = s.cpu
			}
			if kustomize > 0 {
				s.ratio = s.cpu.Seconds() / kustomize.Seconds()
			}
			rows[i].samples = append(rows[i].samples, s)
			o.say("%d resources, turn %d of %d: %s: %.2f s CPU\n", size, turn+1, runs, w.name, s.cpu.Seconds())
		}
	}
	return rows, nil
}

func missing(bin string, needs []string) []string {
	return slices.DeleteFunc(slices.Clone(needs), func(name string) bool {
		_, err := exec.LookPath(filepath.Join(bin, name))
		return err == nil
	})
}

// measure runs a way once, in a directory of its own.
func measure(ctx context.Context, w way, in input, bin string) (s sample, err error) {
	dir, err := os.MkdirTemp("", "performance-*")
	if err != nil {
		return s, fmt.Errorf("making a directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	at := setting{input: in, dir: filepath.Join(dir, "build"), bin: bin}
	if err := w.prepare(at); err != nil {
		return s, fmt.Errorf("writing its input: %w", err)
	}
	var stdin *os.File // none is an empty one
	if w.file != "" {
		if stdin, err = os.Open(filepath.Join(at.dir, w.file)); err != nil {
			return s, fmt.Errorf("opening its input: %w", err)
		}
	}
	result := filepath.Join(dir, "result.yaml")
	out, err := os.Create(result)
	if err != nil {
		return s, fmt.Errorf("making a file: %w", err)
	}
	s, err = pipe(ctx, stdin, out, w.commands(at))
	if err != nil || !w.derives {
		return s, err
	}
	found, err := derived(result)
	if err == nil && found < in.ours {
		err = fmt.Errorf("the result holds %d policies of the %d that are derived", found, in.ours)
	}
	return s, err
}

// pipe runs commands that read each other's output, the first of them stdin and the
// last into out. It closes both.
func pipe(ctx context.Context, stdin, out *os.File, commands [][]string) (s sample, err error) {
	var (
		errs    bytes.Buffer
		running []*exec.Cmd
		open    = []*os.File{stdin, out} // ours, until the processes have them
	)
	start := time.Now()
	for i, args := range commands {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stderr = &errs
		if stdin != nil {
			cmd.Stdin = stdin
		}
		cmd.Stdout = out
		if i+1 < len(commands) {
			reader, writer, err := os.Pipe()
			if err != nil {
				return s, fmt.Errorf("making a pipe: %w", err)
			}
			open = append(open, reader, writer)
			cmd.Stdout, stdin = writer, reader
		}
		if err := cmd.Start(); err != nil {
			return s, fmt.Errorf("starting %s: %w", args[0], err)
		}
		running = append(running, cmd)
	}
	for _, file := range open {
		if file != nil {
			err = errors.Join(err, file.Close())
		}
	}
	for _, cmd := range running {
		if failed := cmd.Wait(); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), failed))
		}
		s.filter = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		s.cpu += s.filter
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			s.peak = max(s.peak, usage.Maxrss<<10) // Linux counts KiB
		}
	}
	s.wall = time.Since(start)
	if len(running) == 1 {
		s.filter = 0
	}
	if err != nil {
		return s, fmt.Errorf("%w\n%s", err, errs.String())
	}
	return s, nil
}
