package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// columns are those of the terminal that helps are written for.
const columns = 100

// groupsKey is the annotation of a command with its groups of flags, and of a flag with its group.
const groupsKey = "groups"

// Group has the help list these flags of a command together, under a heading. Groups are in the
// order in which they are made, before the flags of no group.
func Group(cmd *cobra.Command, heading string, names ...string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[groupsKey] += heading + "\n"
	for _, name := range names {
		if err := cmd.Flags().SetAnnotation(name, groupsKey, []string{heading}); err != nil {
			panic(err) // there is no such flag
		}
	}
}

// groups returns the headings of a command's own flags, and the flags under each.
func groups(cmd *cobra.Command) (headings []string, flags map[string]*pflag.FlagSet) {
	others := "Flags"
	if headings = strings.Split(cmd.Annotations[groupsKey], "\n"); len(headings) > 1 {
		others = "Other flags"
	}
	headings = append(headings, others)
	flags = map[string]*pflag.FlagSet{}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "help" || cmd.Root().PersistentFlags().Lookup(flag.Name) == flag {
			return // every command has it
		}
		heading := others
		if of := flag.Annotations[groupsKey]; len(of) > 0 {
			heading = of[0]
		}
		if flags[heading] == nil {
			flags[heading] = pflag.NewFlagSet("", pflag.ContinueOnError)
		}
		flags[heading].AddFlag(flag)
	})
	return headings, flags
}

// writeHelp writes the help of a command without commands below it: what it does, how it is called,
// and then the rest of its text.
func writeHelp(w io.Writer, cmd *cobra.Command) {
	first, rest, _ := strings.Cut(cmd.Long, "\n\n")
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n\nExamples:\n%s\n", first, cmd.UseLine(), cmd.Example)
	headings, flags := groups(cmd)
	for _, heading := range headings {
		if set := flags[heading]; set != nil {
			fmt.Fprintf(w, "\n%s:\n%s", heading, set.FlagUsagesWrapped(columns))
		}
	}
	fmt.Fprint(w, "\nEvery command has --help, --json and --quiet too.\n")
	if rest != "" {
		fmt.Fprintf(w, "\n%s\n", rest)
	}
}
