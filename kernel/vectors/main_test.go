package vectors

import (
	"fmt"
	"os"
	"testing"

	"github.com/bloomlane/bloomlane/kernel"
)

// A test that was to run on an implementation that cannot run has failed.
func TestMain(m *testing.M) {
	if err := kernel.VariableError(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
