package streams

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/measure"
	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/peer/library"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// schema is the version of the recordings' JSON.
const schema = 1

// pageFile is the page in a folder that a run is written to.
const pageFile = "README.md"

// run is what all recordings begin with.
type run struct {
	Schema   int     `json:"schema"`
	Date     string  `json:"date"` // of its beginning, RFC 3339
	Revision string  `json:"revision,omitempty"`
	Go       string  `json:"go"`
	CPU      string  `json:"cpu"`
	Platform string  `json:"platform"`
	Cores    int     `json:"cores"`
	Seconds  float64 `json:"seconds"` // that it took

	Libraries []result.Library `json:"libraries"`
}

// begin returns the beginning of a recording of other libraries' filters too.
func begin(peers []peer.Peer) run {
	machine := measure.NewRun()
	r := run{
		Schema: schema, Date: machine.Date, Revision: machine.Revision, Go: machine.Go,
		CPU:      machine.CPU,
		Platform: machine.Platform, Cores: machine.Cores,
	}
	for _, p := range peers {
		r.Libraries = append(r.Libraries, result.Library{
			Name: p.Name, Module: p.Module, Version: p.Version, Use: p.Note, Hashes: !p.Prehashed,
		})
	}
	return r
}

// where says when and on what a command ran, and links to its recording.
func (r *run) where(command, recording string) string {
	revision := ""
	if r.Revision != "" {
		revision = ", at revision " + r.Revision
	}
	return fmt.Sprintf(`One run of "go run ./studies %s" took %.0f s on %s
(%s, %s, %s)%s, begun %s.
The recording is [%s](%s).
`,
		command, r.Seconds, r.CPU, r.Platform, quantity.Of(r.Cores, "core"), r.Go, revision, r.Date,
		recording, recording)
}

// libraries writes the section on other libraries' filters.
func (r *run) libraries(w io.Writer) {
	fmt.Fprint(w, "\n## The libraries\n\n")
	t := table{{"filter", "module", "version", "what it is, and which calls are made"}}
	for _, l := range r.Libraries {
		t = append(t, []string{l.Name, l.Module, l.Version, l.Use})
	}
	t.write(w)
}

// recording is what a run found, as its JSON has it, and what is made of it.
type recording interface {
	name() string // of its file
	check() error // that the page can be made; it wraps errRecording
	page(w io.Writer) error
	pictures() map[string]func(w io.Writer) error // by their files
}

// errRecording says that something is no recording.
var errRecording = errors.New("malformed recording")

// checkSchema is the check that all recordings have.
func (r *run) checkSchema() error {
	if r.Schema != schema {
		return fmt.Errorf("%w: schema %d, want %d", errRecording, r.Schema, schema)
	}
	return nil
}

func write(w io.Writer, r recording) error { return json.NewEncoder(w).Encode(r) }

// read reads a recording into r, which is empty. Its error wraps errRecording, or is the reader's.
func read(from io.Reader, r recording) error {
	text, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, r); err != nil {
		return fmt.Errorf("%w: %w", errRecording, err)
	}
	return r.check()
}

// load reads the recording in a folder into r, which is empty.
func load(folder string, r recording) error {
	file, err := os.Open(filepath.Join(folder, r.name()))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := read(file, r); err != nil {
		return fmt.Errorf("%s: %w", file.Name(), err)
	}
	return nil
}

// save writes the page and the pictures into a folder, and the recording too where it is new.
func save(folder string, r recording, isNew bool) error {
	err := os.MkdirAll(folder, 0o777)
	put := func(name string, content func(w io.Writer) error) {
		err = errors.Join(err, atomicfile.Write(filepath.Join(folder, name), 0o666, content))
	}
	if isNew {
		put(r.name(), func(w io.Writer) error { return write(w, r) })
	}
	for name, content := range r.pictures() {
		put(name, content)
	}
	put(pageFile, r.page)
	return err
}

// command completes a command that measures a recording, or reads it into an empty one, and prints
// its page.
func command(
	cmd *cobra.Command,
	empty recording,
	measured func(cmd *cobra.Command, brief bool) (recording, error),
) *cobra.Command {
	var brief, asJSON bool
	var out, from string
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		r, err := empty, error(nil)
		if from != "" {
			err = load(from, r)
		} else {
			r, err = measured(cmd, brief)
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
			return write(cmd.OutOrStdout(), r)
		}
		return r.page(cmd.OutOrStdout())
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

// fit returns a peer's filter in the largest size of its own that takes no more than the bits per
// member, or nil where even the smallest does.
func fit(p *peer.Peer, members, bits int) (peer.Inserter, error) {
	for asked := float64(bits); asked > 0; asked -= 0.5 {
		if p.Size(members, asked)*8 > int64(members)*int64(bits) {
			continue
		}
		f, err := p.Begin(members, asked).Finish()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		if 8*int64(f.State().Bytes) <= int64(members)*int64(bits) {
			return f.(peer.Inserter), nil
		}
	}
	return nil, nil
}

// deleting returns the other libraries' filters that delete.
func deleting() (peers []peer.Peer) {
	for _, p := range library.All() {
		if p.Deletes {
			peers = append(peers, p)
		}
	}
	return peers
}
