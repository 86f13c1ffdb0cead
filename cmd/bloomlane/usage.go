package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
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
			return fmt.Sprintf("found %s, expected a command%s (%s --help lists them)", parts[1],
				similar(cmd, parts[1]), cmd.CommandPath())
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

// similar returns the commands that somebody may mean who wrote name.
func similar(cmd *cobra.Command, name string) string {
	names := cmd.SuggestionsFor(name)
	if len(names) == 0 {
		return ""
	}
	return " such as " + strings.Join(names, " or ")
}
