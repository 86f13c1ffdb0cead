package commandtest

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bloomlane/bloomlane/report/command"
)

// Help tests the commands of a program. Each help begins with a sentence that says what the command
// does, shows how to call it and has its exit codes, in lines that a terminal of 100 columns holds.
// Each has --json, and for each flag whose value can be wrong there are words for what is expected.
func Help(t *testing.T, root *cobra.Command) {
	t.Helper()
	for _, c := range root.Commands() {
		if c.InheritedFlags().Lookup("json") == nil {
			t.Errorf("%s has no --json", c.Name())
		}
	}
	walk(root, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			kind := flag.Value.Type()
			if kind != "string" && kind != "stringArray" && command.Expectations[kind] == "" {
				t.Errorf("%s: --%s is %s, and nothing says what is expected", cmd.CommandPath(),
					flag.Name, kind)
			}
		})
		first, _, _ := strings.Cut(cmd.Long, "\n")
		if !strings.HasSuffix(first, ".") {
			t.Errorf("%s: the help begins %q, expected a whole sentence", cmd.CommandPath(), first)
		}
		if cmd.HasSubCommands() {
			return
		}
		if !strings.Contains(cmd.Long, "Exit code") {
			t.Errorf("%s: the help has no exit codes", cmd.CommandPath())
		}
		if !strings.Contains(cmd.Example, root.Name()+" "+cmd.Name()) &&
			!strings.Contains(cmd.Example, " "+cmd.Name()+" ") {
			t.Errorf("%s: the help has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
			if n := len(strings.TrimRight(line, "\n")); n > 100 {
				t.Errorf("%s: %d columns in the help, expected 100 at most: %s",
					cmd.CommandPath(), n, line)
			}
		}
	})
}

// walk calls a function with a command, after those below it.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	for _, c := range cmd.Commands() {
		walk(c, visit)
	}
	visit(cmd)
}
