package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// opened is a filter that was opened.
type opened struct {
	filter.Stored
	kind filter.Kind
	path string

	version     int    // of its file
	fingerprint uint64 // of its key, which the file has also where the filter was opened without it
}

// openFilter opens a filter, checks it whole, and reads its key file.
func openFilter(cmd *cobra.Command, path, keyPath string) (*opened, error) {
	if path != standard {
		// A missing filter is the better thing to say than a missing key.
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	} else if keyPath == standard+keySuffix {
		return nil, errors.New("the filter is standard input, expected --key FILE")
	}
	k, err := readKey(cmd, keyPath)
	if err != nil {
		return nil, err
	}
	return openWith(cmd, path, k)
}

// openWith opens a filter with a key; the zero Key is for one that is only looked at.
func openWith(cmd *cobra.Command, path string, k key.Key) (*opened, error) {
	c, version, err := readContents(cmd, path)
	if err != nil {
		return nil, err
	}
	kind, found := kindNamed(c.Kind)
	if !found {
		all := kindNames(func(filter.Kind) bool { return true })
		err := file.Wrong(file.ErrKind, "a "+c.Kind+" filter", "one of "+all)
		return nil, file.At("open", pathName(path), err)
	}
	f, err := kind.Decode(c, k)
	if err != nil {
		return nil, file.At("open", pathName(path), err)
	}
	return &opened{f, kind, pathName(path), version, c.Fingerprint}, nil
}

// readContents reads a filter's file, and returns its version too.
func readContents(cmd *cobra.Command, path string) (c *file.Contents, version int, err error) {
	if path == standard {
		in := bufio.NewReader(cmd.InOrStdin())
		head, _ := in.Peek(headBytes) // what is missing is found out below
		version = versionOf(head)
		if c, err = file.Read(in); err != nil {
			return nil, 0, file.At("read", standardInput, err)
		}
		return c, version, nil
	}
	if c, err = file.Open(path, file.VerifyNow); err != nil {
		return nil, 0, err
	}
	head, err := headOf(path)
	if err != nil {
		return nil, 0, err
	}
	return c, versionOf(head), nil
}

// headBytes are those of a file's magic bytes and version.
const headBytes = len(file.Magic) + 4

// headOf returns the first bytes of a file, as many as there are.
func headOf(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return head[:n], nil
}

// versionOf returns the version that the head of a filter's file says, and 0 where it is no filter.
func versionOf(head []byte) int {
	if len(head) < headBytes || string(head[:len(file.Magic)]) != file.Magic {
		return 0
	}
	return int(binary.LittleEndian.Uint32(head[len(file.Magic):]))
}

// output is where a command writes a filter: a file under its lock, or standard output.
type output struct {
	cmd  *cobra.Command
	path string
	lock *fileLock // nil for standard output
}

// openOutput takes the lock of a file that is to be replaced. A file that is no filter is refused without
// force: it may be anything, such as the list of keys. An empty one has nothing to lose.
func openOutput(cmd *cobra.Command, path string, force bool, o *lockOptions) (*output, error) {
	if path == standard {
		if stdout, ok := cmd.OutOrStdout().(*os.File); ok && term.IsTerminal(int(stdout.Fd())) {
			return nil, errors.New("standard output is a terminal, expected a file or a pipe for the filter")
		}
		return &output{cmd: cmd, path: path}, nil
	}
	lock, err := lockFile(path, o.timeout)
	if err != nil {
		return nil, err
	}
	if err := replaceable(lock.target, force); err != nil {
		lock.release()
		return nil, fmt.Errorf("--out: %w", err)
	}
	return &output{cmd, path, lock}, nil
}

// replaceable returns an error where a file is there that is no filter, unless force is given.
func replaceable(path string, force bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Size() == 0 || !info.Mode().IsRegular(): // who replaces it refuses what is no file
		return nil
	}
	if _, err := readKeyFile(path); err == nil {
		return fmt.Errorf("%s is a hash key, without which its filters are lost: expected a filter or a new file", path)
	}
	if force {
		return nil
	}
	head, err := headOf(path)
	if err != nil {
		return err
	}
	if versionOf(head) == 0 {
		return fmt.Errorf("%s is there, and is no filter: expected a filter or a new file (--force replaces it)",
			path)
	}
	return nil
}

// release gives the lock back.
func (o *output) release() { o.lock.release() }

// replace makes f the content of the output, and creates its key file unless that exists; keyPath is "" where it
// must. Both files are complete before show prints the result, and take their places after it: where the result
// cannot be written, all is as it was. The key comes first, because a filter without its key would be lost. It is
// never removed: another filter may have been built with it by then.
func (o *output) replace(
	f filter.Stored, keyPath string, show func(w io.Writer, keyCreated bool) error,
) error {
	results, err := resultsBeside(o.cmd, o.path)
	if err != nil {
		return err
	}
	c, err := f.Contents()
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		_, err := c.WriteTo(w)
		return err
	}
	unchanged := "the filter is not written"
	commit := func() error { return write(o.cmd.OutOrStdout()) }
	if o.lock != nil {
		staged, err := atomicfile.Stage(o.lock.target, 0o666, write)
		if err != nil {
			return err
		}
		defer staged.Discard()
		unchanged, commit = o.lock.target+" is not replaced", staged.Commit
	}
	var newKey *atomicfile.Staged
	if keyPath != "" {
		if newKey, err = stageKey(keyPath, f.Key()); err != nil {
			return err
		}
	}
	if newKey != nil {
		defer newKey.Discard()
	}
	if err := show(results, newKey != nil); err != nil {
		return fmt.Errorf("the result cannot be written, so %s: %w", unchanged, err)
	}
	if err := commitKey(newKey, keyPath, f.Key()); err != nil {
		return err
	}
	return commit()
}
