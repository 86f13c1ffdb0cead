package command

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// raw is a result whose text has whatever a name has.
type raw string

func (r raw) String() string { return string(r) }

// A terminal gets no control characters, whatever a result has. A pipe gets what the result has.
func TestResultOnATerminal(t *testing.T) {
	const text = "a\tb\x1b[2J\nc\u009b\xff\n"
	before := IsTerminal
	defer func() { IsTerminal = before }()
	for terminal, want := range map[bool]string{
		false: text, true: "a\tb\\033[2J\nc\\302\\233\\377\n",
	} {
		IsTerminal = func(io.Writer) bool { return terminal }
		var got strings.Builder
		if err := PrintResult(new(cobra.Command), &got, raw(text)); err != nil {
			t.Fatal(err)
		}
		if got.String() != want {
			t.Errorf("on a terminal %v: %q, want %q", terminal, got.String(), want)
		}
	}
}
