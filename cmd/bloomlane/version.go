package main

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Long: `Print the version of this program, as the Go command recorded it.

That is a release, or the commit that the program was built from.

Exit code: 0.`,
		Example: `  bloomlane version`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			result := versionResult{Version: "unknown", Go: runtime.Version(),
				Platform: runtime.GOOS + "/" + runtime.GOARCH}
			if info, ok := debug.ReadBuildInfo(); ok {
				result.read(info)
			}
			return printResult(cmd, cmd.OutOrStdout(), result)
		},
	}
}

// versionResult is what version prints.
type versionResult struct {
	// of the module; (devel) where it was built from a checkout that is no release
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"` // that it was built from, where Git told
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func (r *versionResult) read(info *debug.BuildInfo) {
	r.Version = cmp.Or(info.Main.Version, r.Version)
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			r.Commit = setting.Value
		case "vcs.modified":
			r.Modified = setting.Value == "true"
		}
	}
}

func (r versionResult) String() string {
	rows := [][2]string{{"bloomlane", r.Version}}
	if r.Commit != "" {
		rows = append(rows,
			[2]string{"commit", r.Commit + map[bool]string{true: ", with changes"}[r.Modified]})
	}
	return table(append(rows, [2]string{"built by", r.Go}, [2]string{"for", r.Platform})...)
}
