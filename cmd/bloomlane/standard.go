package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// standard is the path of standard input, or of standard output where a file is written.
const standard = "-"

const standardInput = "standard input" // its name in messages

// pathName returns what messages call an input.
func pathName(path string) string {
	if path == standard {
		return standardInput
	}
	return path
}

// outputName returns what messages call an output.
func outputName(path string) string {
	if path == standard {
		return "standard output"
	}
	return path
}

// input is a path that is read, and what it is on the command line.
type input struct{ what, path string }

// onlyOnce returns an error where standard input is asked for more than once.
func onlyOnce(inputs ...input) error {
	first := ""
	for _, in := range inputs {
		if in.path != standard {
			continue
		}
		if first != "" {
			return fmt.Errorf("standard input is both %s and %s, expected one of the two from a file", first, in.what)
		}
		first = in.what
	}
	return nil
}

// openPath opens a file, or standard input.
func openPath(cmd *cobra.Command, path string) (io.ReadCloser, error) {
	if path == standard {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	return os.Open(path)
}

// writePath writes a file, whole or not at all, or standard output.
func writePath(cmd *cobra.Command, path string, perm os.FileMode, write func(io.Writer) error) error {
	if path == standard {
		return write(cmd.OutOrStdout())
	}
	return atomicfile.Write(path, perm, write)
}

// resultsBeside returns where the result of a command goes that writes these paths: to stderr where one of
// them is standard output.
func resultsBeside(cmd *cobra.Command, outputs ...string) (io.Writer, error) {
	standards := 0
	for _, path := range outputs {
		if path == standard {
			standards++
		}
	}
	switch {
	case standards > 1:
		return nil, errors.New("standard output is asked for twice, expected one of the two to be a file")
	case standards == 0:
		return cmd.OutOrStdout(), nil
	case isQuiet(cmd):
		return io.Discard, nil
	}
	return cmd.ErrOrStderr(), nil
}
