package command

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCommand(program string) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Long: `Print the version of this program, as the Go command recorded it.

That is a release, or the commit that the program was built from.

Exit code: 0.`,
		Example: "  " + program + " version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return PrintResult(cmd, cmd.OutOrStdout(), newVersion(program))
		},
	}
}

// Version is what version prints.
type Version struct {
	// of the module; (devel) where it was built from a checkout that is no release
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"` // that it was built from, where Git told
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`

	program string // its name
}

func newVersion(program string) Version {
	result := Version{Version: "unknown", Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, program: program}
	if info, ok := debug.ReadBuildInfo(); ok {
		result.read(info)
	}
	return result
}

func (r *Version) read(info *debug.BuildInfo) {
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

// commit returns the commit, and whether there were changes; "" where Git did not tell.
func (r Version) commit() string {
	return r.Commit + map[bool]string{true: ", with changes"}[r.Modified]
}

// name returns the program, its version and the commit, on one line.
func (r Version) name() string {
	if r.Commit == "" {
		return r.program + " " + r.Version
	}
	return r.program + " " + r.Version + ", commit " + r.commit()
}

func (r Version) String() string {
	rows := [][2]string{{r.program, r.Version}}
	if r.Commit != "" {
		rows = append(rows, [2]string{"commit", r.commit()})
	}
	return Table(append(rows, [2]string{"built by", r.Go}, [2]string{"for", r.Platform})...)
}
