package cluster

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// process is a program that runs until it is stopped or the test ends, however that ends.
type process struct {
	command *exec.Cmd
	log     string
	ended   chan struct{} // closed once it has ended
	err     error         // why it ended; to be read after that
}

// startProcess starts a program in the folder where its files go, its log too.
func startProcess(dir, program string, args ...string) (*process, error) {
	name := filepath.Base(program)
	log, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", name, err)
	}
	p := &process{command: exec.Command(program, args...), log: log.Name(), ended: make(chan struct{})}
	p.command.Dir = dir
	p.command.Stdout, p.command.Stderr = log, log
	p.command.SysProcAttr = endWithParent()

	started := make(chan error)
	go func() {
		// Linux takes the thread that started a process for its parent, and this one must outlive it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.command.Start()
		started <- err
		if err == nil {
			p.err = p.command.Wait()
		}
		if err := log.Close(); err != nil && p.err == nil {
			p.err = err
		}
		close(p.ended)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return p, nil
}

// stop kills the process: nothing that it would save on its way down is needed.
func (p *process) stop() {
	_ = p.command.Process.Kill() // the only error is that it has ended
	<-p.ended
}

// failure says why a process that should run has ended, with the end of its log.
func (p *process) failure() error {
	const most = 2000
	text, err := os.ReadFile(p.log)
	if err != nil {
		text = []byte(err.Error())
	}
	text = bytes.TrimSpace(text)
	return fmt.Errorf("%s ended (%w); its log %s ends with:\n%s", filepath.Base(p.command.Path), p.err, p.log, text[max(0, len(text)-most):])
}
