package command

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/report/quantity"
)

// usageErrors are the messages of the command library, which have no types, and what is printed in
// their place, of the command and the parts of the message.
var usageErrors = []struct {
	message *regexp.Regexp
	words   func(cmd *cobra.Command, parts []string) string
}{
	{regexp.MustCompile(`^(?:requires|accepts) .*arg\(s\), (?:only )?received (\d+)$`),
		func(cmd *cobra.Command, parts []string) string {
			n := cmd.Flags().NArg()
			return fmt.Sprintf("found %s, expected %s", quantity.Of(n, "argument"), cmd.UseLine())
		}},
	{regexp.MustCompile(`(?s)^unknown command "(.*?)" for "[^"]*"`),
		func(cmd *cobra.Command, parts []string) string {
			if !cmd.HasSubCommands() {
				return fmt.Sprintf("found the argument %s, expected none", parts[1])
			}
			return noCommand(cmd, parts[1])
		}},
	{regexp.MustCompile(`^required flag\(s\) "(.*)" not set$`),
		func(cmd *cobra.Command, parts []string) string {
			return fmt.Sprintf("expected --%s, which %s needs",
				strings.ReplaceAll(parts[1], `", "`, " and --"), cmd.CommandPath())
		}},
	{regexp.MustCompile(`^if any flags in the group .* none of the others can be; \[(.*)\] were`),
		func(_ *cobra.Command, parts []string) string {
			names := strings.ReplaceAll(parts[1], " ", " and --")
			return fmt.Sprintf("found --%s, expected one of them", names)
		}},
	{regexp.MustCompile(`^at least one of the flags in the group \[(.*)\] is required$`),
		func(_ *cobra.Command, parts []string) string {
			return "expected --" + strings.ReplaceAll(parts[1], " ", " or --")
		}},
}

// inOurWords returns the text of an error, in the words of this command where it is one of the
// command library.
func inOurWords(cmd *cobra.Command, text string) string {
	for _, e := range usageErrors {
		if parts := e.message.FindStringSubmatch(text); parts != nil {
			return e.words(cmd, parts)
		}
	}
	return text
}

// noCommand says that a command has no other one of this name, and which ones may be meant.
func noCommand(cmd *cobra.Command, name string) string {
	such := ""
	if names := cmd.SuggestionsFor(name); len(names) > 0 {
		such = " such as " + strings.Join(names, " or ")
	}
	const text = "found %s, expected a command%s (%s --help lists them)"
	return fmt.Sprintf(text, name, such, cmd.CommandPath())
}

// newHelpCommand returns the help command, which the command library's own is too lenient for: it
// exits with 0 where there is no such command.
func newHelpCommand(examples string) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command",
		Long: `Print the help of a command, as its flag --help does.

Exit codes: 0 done; 2 there is no such command.`,
		Example: examples,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return errors.New(noCommand(cmd.Root(), strings.Join(args, " ")))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
