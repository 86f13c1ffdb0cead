package commandtest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bloomlane/bloomlane/report/command"
)

// Help tests the commands of a program. Each help begins with a sentence that says what the command
// does, shows how to call it, and has all its flags and its exit codes, on a page of a terminal.
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
		var help bytes.Buffer
		cmd.SetOut(&help)
		_ = cmd.Help() // into memory
		cmd.SetOut(nil)
		const columns, rows = 100, 60
		if n := bytes.Count(help.Bytes(), []byte("\n")); n > rows {
			t.Errorf("%s: %d lines of help, expected %d at most", cmd.CommandPath(), n, rows)
		}
		for line := range strings.Lines(help.String()) {
			if n := len(strings.TrimRight(line, "\n")); n > columns {
				t.Errorf("%s: %d columns in the help, expected %d at most: %s",
					cmd.CommandPath(), n, columns, line)
			}
		}
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if !strings.Contains(help.String(), "--"+flag.Name) {
				t.Errorf("%s: the help does not have --%s", cmd.CommandPath(), flag.Name)
			}
		})
	})
}

// walk calls a function with a command, after those below it.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	for _, c := range cmd.Commands() {
		walk(c, visit)
	}
	visit(cmd)
}
