package istio_test

import (
	"os"
	"testing"

	"istio.io/istio/pkg/log"
)

// TestMain silences Istio, which says of every odd policy that it is odd.
func TestMain(m *testing.M) {
	for _, scope := range log.Scopes() {
		scope.SetOutputLevel(log.ErrorLevel)
	}
	os.Exit(m.Run())
}
