// Package recording is no API: what a study found is a recording in JSON, from which its page and
// its pictures are made.
package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/measure"
	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Schema is the version of the recordings' JSON.
const Schema = 1

// PageFile is the page in a folder that a run is written to.
const PageFile = "README.md"

// Run is what all recordings begin with.
type Run struct {
	Schema int `json:"schema"`
	result.Machine
	Seconds float64 `json:"seconds"` // that it took

	Libraries []result.Library `json:"libraries"`
}

// Begin returns the beginning of a recording of other libraries' filters too.
func Begin(peers []peer.Peer) Run {
	return Run{Schema: Schema, Machine: measure.Machine(), Libraries: measure.Libraries(peers)}
}

// Where says when and on what a command ran, and links to its recording.
func (r *Run) Where(command, recording string) string {
	revision := ""
	if r.Revision != "" {
		revision = ", at revision " + r.Revision
	}
	return fmt.Sprintf(`One run of "go run ./bench/studies %s" took %.0f s on %s
(%s, %s, %s)%s, begun %s.
The recording is [%s](%s).
`,
		command, r.Seconds, r.CPU, r.Platform, quantity.Of(r.Cores, "core"), r.Go, revision, r.Date,
		recording, recording)
}

// WriteLibraries writes the section on other libraries' filters.
func (r *Run) WriteLibraries(w io.Writer) {
	fmt.Fprint(w, "\n## The libraries\n\n")
	t := pivot.Rows("filter|module|version|what it is, and which calls are made", r.Libraries,
		func(l result.Library) []string { return []string{l.Name, l.Module, l.Version, l.Use} })
	t.Words = 3
	t.Markdown(w)
}

// Took says how long a run took.
func (r *Run) Took(d time.Duration) { r.Seconds = d.Round(time.Second).Seconds() }

// Recording is what a run found, as its JSON has it, and what is made of it.
type Recording interface {
	Took(d time.Duration) // of Run, with which it begins
	Name() string         // of its file
	Check() error         // that the page can be made; or what is [Malformed]
	Page(w io.Writer) error
	Pictures() map[string]*chart.Picture // by their files
}

// Malformed returns the error of a recording that no page can be made of.
func Malformed(format string, args ...any) error {
	return &result.FormatError{Err: fmt.Errorf(format, args...)}
}

// Write writes a recording as JSON.
func Write(w io.Writer, r Recording) error { return json.NewEncoder(w).Encode(r) }

// Read reads a recording into r, which is empty. Its errors are those of [result.Decode].
func Read(from io.Reader, r Recording) error {
	if err := result.Decode(from, Schema, r); err != nil {
		return err
	}
	return r.Check()
}

// Load reads the recording in a folder into r, which is empty.
func Load(folder string, r Recording) error {
	file, err := os.Open(filepath.Join(folder, r.Name()))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := Read(file, r); err != nil {
		return fmt.Errorf("%s: %w", file.Name(), err)
	}
	return nil
}

// save writes the pictures and the page of a recording into a folder, which is made where there is
// none, and a new recording too. Each file is replaced whole or stays as it was, and other files
// are left alone, but for pictures that are nil.
func save(folder string, r Recording, isNew bool) error {
	files := []file{{PageFile, r.Page}} // last, because it links the others
	for name, picture := range r.Pictures() {
		if picture != nil {
			files = slices.Insert(files, 0, file{name, picture.WriteSVG})
		} else if err := os.Remove(filepath.Join(folder, name)); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if isNew {
		write := func(w io.Writer) error { return Write(w, r) }
		files = slices.Insert(files, 0, file{r.Name(), write})
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, f := range files {
		if err := atomicfile.Write(filepath.Join(folder, f.name), 0o666, f.write); err != nil {
			return err
		}
	}
	return nil
}

// file is a file of a folder, and what writes it.
type file struct {
	name  string
	write func(w io.Writer) error
}

// Command completes a command that measures a recording by one of two settings, or reads it into an
// empty one, and prints its page.
func Command[S any, R Recording](
	cmd *cobra.Command,
	empty R,
	standard, quick S,
	measure func(settings *S, stderr io.Writer) (R, error),
) *cobra.Command {
	var brief, asJSON bool
	var out, from string
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r, err, start := empty, error(nil), time.Now()
		settings := standard
		if brief {
			settings = quick
		}
		if from != "" {
			err = Load(from, r)
		} else if r, err = measure(&settings, cmd.ErrOrStderr()); err == nil {
			r.Took(time.Since(start))
		}
		if err != nil {
			return err
		}
		if out != "" {
			if err := save(out, r, from == ""); err != nil {
				return err
			}
		}
		if asJSON {
			return Write(cmd.OutOrStdout(), r)
		}
		return r.Page(cmd.OutOrStdout())
	}
	cmd.Flags().BoolVar(&brief, "quick", false, "take seconds: fewer members, small tables")
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"print the recording, which is JSON, in place of the page")
	cmd.Flags().StringVar(&out, "out", "",
		"write the recording, the page and its pictures into this folder too")
	cmd.Flags().StringVar(&from, "from", "",
		"measure nothing: make the page from the recording in this folder")
	return cmd
}
