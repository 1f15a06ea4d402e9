package ansible_test

import (
	"os"
	"testing"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
)

func TestMain(m *testing.M) { os.Exit(ansible.Main(m)) }
