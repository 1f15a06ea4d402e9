package kustomize

import (
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
)

// noNetwork is in what is said where a build would fetch something.
const noNetwork = "nothing is fetched here"

// one build at a time: kustomize keeps its schema in variables of its own, and
// writes its warnings to the process's.
var one sync.Mutex

// alone runs a build while nobody else does, and returns the lines that kustomize
// writes on standard error meanwhile. Where it is to be local, it finds neither
// a network nor an executable; kustomize has no option that says so.
func alone(local bool, build func()) (notes []string) {
	one.Lock()
	defer one.Unlock()
	if local {
		restore := unreachable()
		defer restore()
	}
	read, write, err := os.Pipe()
	if err != nil { // no descriptor is left: the lines go where they went
		build()
		return nil
	}
	var text []byte
	done := make(chan struct{})
	go func() {
		defer close(done)
		text, _ = io.ReadAll(read) // what was read until then counts
	}()
	stderr, logger := os.Stderr, log.Writer()
	os.Stderr = write
	log.SetOutput(write)
	func() {
		defer func() {
			os.Stderr = stderr
			log.SetOutput(logger)
			_ = write.Close()
		}()
		build()
	}()
	<-done
	_ = read.Close()
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			notes = append(notes, scrubbed(line))
		}
	}
	return notes
}

// unreachable takes the network and PATH away until what it returns is called.
func unreachable() (restore func()) {
	transport, path := http.DefaultTransport, os.Getenv("PATH")
	http.DefaultTransport = refusing{}
	_ = os.Setenv("PATH", "")
	return func() {
		http.DefaultTransport = transport
		_ = os.Setenv("PATH", path)
	}
}

type refusing struct{}

// RoundTrip refuses.
func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New(noNetwork)
}
