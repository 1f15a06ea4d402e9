package main

import (
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

// readDocuments reads the model's files, or says what is wrong with them.
func readDocuments(name string, files []string, s krm.Streams) (model.Documents, bool) {
	documents, findings := krm.ReadDocuments(files)
	s.Print(name, findings)
	return documents, !findings.Failed()
}
