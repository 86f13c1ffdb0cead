package vectors

import (
	"fmt"
	"os"
	"testing"

	"github.com/bloomlane/bloomlane/kernel"
)

// A test of an implementation that cannot run fails.
func TestMain(m *testing.M) {
	if err := kernel.VariableError(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
