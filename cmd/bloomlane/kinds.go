package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/family"
	"github.com/bloomlane/bloomlane/filter/kinds"
	"github.com/bloomlane/bloomlane/report/command"
)

// allKinds are the kinds of filters that commands know. Tests add kinds to it.
var allKinds = slices.Concat(kinds.All(), family.All())

// kindNames returns the names of the kinds that can do something, separated by commas.
func kindNames(can func(base.Kind) bool) string {
	var names []string
	for _, k := range allKinds {
		if can(k) {
			names = append(names, k.Name)
		}
	}
	return strings.Join(names, ", ")
}

// builds reports whether a filter of a kind can be built from keys, as a filter.Set.
func builds(k base.Kind) bool { return k.From == "" }

// cannotError says that filters of a kind cannot do what a command does.
type cannotError struct{ file, kind, what string }

func (e *cannotError) Error() string {
	return fmt.Sprintf("%s has kind %s, which cannot %s (bloomlane kinds lists what each kind can)",
		e.file, e.kind, e.what)
}

// kindResult is what kinds prints of a kind.
type kindResult struct {
	Name     string   `json:"name"`
	Promises []string `json:"promises"`
	Commands []string `json:"commands"` // that change or make its filters
	Source   string   `json:"source"`
}

// kindsResult is what kinds prints.
type kindsResult struct {
	Kinds []kindResult `json:"kinds"`
}

func (r kindsResult) String() string {
	var rows [][2]string
	for _, k := range r.Kinds {
		rows = append(rows, [2]string{k.Name, strings.Join(k.Promises, ", ")},
			[2]string{"", "commands: " + strings.Join(k.Commands, ", ")}, [2]string{"", k.Source})
	}
	return command.Table(rows...)
}

func newKindsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "kinds",
		Short: "List the kinds of filters, what they promise, and which commands they take",
		Long: `List the kinds of filters, what they promise, and which commands they take.

"bloomlane build --kind" takes the kinds that have build among their commands. Every kind takes
query and info.

Exit code: 0.`,
		Example: `  bloomlane kinds
  bloomlane kinds --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var result kindsResult
			for _, k := range allKinds {
				result.Kinds = append(result.Kinds, newKindResult(k))
			}
			return command.PrintResult(cmd, cmd.OutOrStdout(), result)
		},
	}
}

func newKindResult(k base.Kind) kindResult {
	r := kindResult{k.Name, strings.Split(k.Promises.String(), ", "), []string{}, k.Source}
	if builds(k) {
		r.Commands = append(r.Commands, "build")
		// What a filter can do is a matter of its type, so a small one tells.
		if f, err := k.New(filter.Sizing{Members: 1, BitsPerKey: 16}); err == nil {
			r.Commands = append(r.Commands, "add")
			if _, ok := f.(filter.Deleter); ok {
				r.Commands = append(r.Commands, "delete")
			}
			if canRebuild(f) {
				r.Commands = append(r.Commands, "rebuild")
			}
			if _, ok := f.(filter.Merger); ok {
				r.Commands = append(r.Commands, "merge")
			}
			if folds(f) {
				r.Commands = append(r.Commands, "merge --fold")
			}
			if _, ok := f.(filter.Intersecter); ok {
				r.Commands = append(r.Commands, "intersect")
			}
			_ = f.Close() // it is in memory only
		}
	}
	return r
}
