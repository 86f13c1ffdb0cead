package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/report/progress"
)

// Standard is the path of standard input, or of standard output where a file is written.
const Standard = "-"

const StandardInput = "standard input" // its name in messages

// PathName returns what messages call an input.
func PathName(path string) string {
	if path == Standard {
		return StandardInput
	}
	if !utf8.ValidString(path) { // a report may be JSON
		return legible.Escape(path)
	}
	return path
}

// OutputName returns what messages call an output.
func OutputName(path string) string {
	if path == Standard {
		return "standard output"
	}
	return path
}

// Input is a path that is read, and what it is on the command line.
type Input struct{ What, Path string }

// NewInput returns an input.
func NewInput(what, path string) Input { return Input{what, path} }

// OnlyOnce returns an error where standard input is asked for more than once.
func OnlyOnce(inputs ...Input) error {
	first := ""
	for _, in := range inputs {
		if in.Path != Standard {
			continue
		}
		if first != "" {
			return fmt.Errorf("standard input is both %s and %s, expected one of the two "+
				"from a file", first, in.What)
		}
		first = in.What
	}
	return nil
}

// inputFile is an input and its progress bar.
type inputFile struct {
	io.ReadCloser
	bar  *progress.Bar
	read int64
}

// OpenFile opens a file, or standard input.
func OpenFile(cmd *cobra.Command, path string) (io.ReadCloser, error) {
	if path == Standard {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	return os.Open(path)
}

// OpenInput opens a file, or standard input, with a progress bar. It may be closed twice.
func OpenInput(cmd *cobra.Command, path string) (io.ReadCloser, error) {
	file, err := OpenFile(cmd, path)
	if err != nil {
		return nil, err
	}
	total := int64(-1)
	if info, err := os.Stat(path); path != Standard && err == nil && info.Mode().IsRegular() {
		total = info.Size()
	}
	return &inputFile{ReadCloser: file, bar: StartProgress(cmd, PathName(path), total, "bytes")},
		nil
}

func (f *inputFile) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	f.read += int64(n)
	f.bar.Set(f.read)
	return n, err
}

func (f *inputFile) Close() error {
	f.bar.Done()
	return f.ReadCloser.Close()
}

// WritePath writes a file, whole or not at all, or standard output.
func WritePath(
	cmd *cobra.Command,
	path string,
	perm os.FileMode,
	write func(io.Writer) error,
) error {
	if path == Standard {
		return write(cmd.OutOrStdout())
	}
	return atomicfile.Write(path, perm, write)
}

// CheckOutput finds out, before any work, whether the file of a flag can be written, and is none of
// the inputs, and no filter or hash key that a report would replace.
func CheckOutput(flag, path string, inputs ...string) error {
	if path == "" || path == Standard {
		return nil
	}
	if folder, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	} else if !folder.IsDir() {
		return fmt.Errorf("--%s: found %s, expected a folder", flag, folder.Mode())
	}
	out, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	for _, name := range inputs {
		if in, err := os.Stat(name); err == nil && os.SameFile(in, out) {
			return fmt.Errorf("--%s is %s, which is also an input", flag, path)
		}
	}
	if _, err := atomicfile.Target(path); err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	if flag == "out" { // of a filter, which has flags to replace another
		return nil
	}
	if is, err := IsFilter(path); err == nil && is {
		return fmt.Errorf("--%s: %s is a filter, expected another file", flag, path)
	}
	if _, err := key.ReadFile(path); err == nil {
		return fmt.Errorf("--%s: %s is a hash key, expected another file", flag, path)
	}
	return nil
}

// ResultsBeside returns where the result of a command goes that writes these paths: to stderr where
// one of them is standard output.
func ResultsBeside(cmd *cobra.Command, outputs ...string) (io.Writer, error) {
	standards := 0
	for _, path := range outputs {
		if path == Standard {
			standards++
		}
	}
	switch {
	case standards > 1:
		return nil, errors.New("standard output is asked for twice, expected one of the two to " +
			"be a file")
	case standards == 0:
		return cmd.OutOrStdout(), nil
	}
	return Messages(cmd), nil
}

// SameTarget reports whether two paths lead to one file, which need not exist.
func SameTarget(a, b string) bool {
	a, errA := atomicfile.Target(a)
	b, errB := atomicfile.Target(b)
	if errA != nil || errB != nil {
		return false // to be told where it is used
	}
	folderA, errA := os.Stat(filepath.Dir(a))
	folderB, errB := os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && os.SameFile(folderA, folderB) &&
		filepath.Base(a) == filepath.Base(b)
}
