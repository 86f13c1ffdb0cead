package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/atomicfile"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// opened is a filter that was opened.
type opened struct {
	filter.Stored
	kind base.Kind
	path string

	version  int          // of its file
	identity key.Identity // of its key, which the file has also where it was opened without the key
}

// openFilter opens a filter, checks it whole, and reads its key file, where flag is what --key
// said. The filter has a name on the command line, and a path with the links followed. It is loaded
// for a query that waits for keys: who cuts a file that is mapped takes its members.
func openFilter(cmd *cobra.Command, name, path, flag string, load bool) (*opened, error) {
	if name == command.Standard && flag == "" {
		return nil, errors.New("the filter is standard input, expected --key FILE")
	}
	c, err := readFilter(cmd, path, load) // a file that is no filter needs no key
	if err != nil {
		return nil, err
	}
	k, err := command.ReadKey(cmd, keyFile(flag, name))
	if flag == "" && errors.Is(err, fs.ErrNotExist) {
		const text = "found no key file %s beside %s, " +
			"expected --key FILE, the key file that it was built with"
		return nil, fmt.Errorf(text, keyFile("", name), name)
	}
	if err != nil {
		return nil, err
	}
	return decodeFilter(c, name, k)
}

// openWith opens a filter with a key; [key.Unknown] is for one that is only looked at.
func openWith(cmd *cobra.Command, path string, k key.Key) (*opened, error) {
	c, err := readFilter(cmd, path, false)
	if err != nil {
		return nil, err
	}
	return decodeFilter(c, path, k)
}

// readFilter reads a filter's file, or standard input, and checks it whole.
func readFilter(cmd *cobra.Command, path string, load bool) (*file.Contents, error) {
	if path != command.Standard {
		open := func(path string) (*file.Contents, error) { return file.Open(path, file.VerifyNow) }
		if load {
			open = file.Load
		}
		c, err := open(path)
		if errors.Is(err, file.ErrNotFilter) {
			if _, wrong := key.ReadFile(path); wrong == nil { // of which no digit is printed
				return nil, fmt.Errorf("%s is a hash key, expected a filter", path)
			}
		}
		return c, err
	}
	c, err := file.Read(cmd.InOrStdin())
	if err != nil {
		return nil, file.At("read", command.StandardInput, err)
	}
	return c, nil
}

// decodeFilter makes a filter of what its file has.
func decodeFilter(c *file.Contents, path string, k key.Key) (*opened, error) {
	kind, found := allKinds.Of(c.Kind)
	if !found {
		all := kindNames(func(base.Kind) bool { return true })
		err := file.Wrong(file.ErrKind, "a filter of kind "+c.Kind, "one of "+all)
		return nil, file.At("open", command.PathName(path), err)
	}
	f, err := kind.Decode(c, k)
	if err != nil {
		return nil, file.At("open", command.PathName(path), err)
	}
	return &opened{f, kind, command.PathName(path), c.Version(), c.Key}, nil
}

// outputFlags are the flags of commands that write a filter to --out.
type outputFlags struct {
	out, key string
	replace  bool
	force    bool
	locking
}

func (o *outputFlags) register(cmd *cobra.Command, keyUsage string) {
	flags := cmd.Flags()
	flags.StringVarP(&o.out, "out", "o", "", "file of the filter that is made")
	flags.StringVar(&o.key, "key", "", keyUsage)
	flags.BoolVar(&o.replace, "replace", false,
		"replace a filter, with all that was added to it and deleted from it")
	flags.BoolVar(&o.force, "force", false,
		"replace any file, and a filter by one without members")
	o.locking.register(cmd)
	_ = cmd.MarkFlagRequired("out")
}

// groupReplacing puts the flags of files that are there together in the help.
func groupReplacing(cmd *cobra.Command) {
	command.Group(cmd, "Where there is a file already", "replace", "force", "lock-timeout",
		"no-lock")
}

// output is where a command writes a filter: a file under its lock, or standard output.
type output struct {
	cmd   *cobra.Command
	path  string
	lock  *fileLock // nil for standard output
	force bool
}

// open takes the lock of a file that is to be replaced. A file that is no filter is refused without
// force: it may be anything, such as the list of keys. A filter is refused without replace, unless
// it is one of the inputs. An empty file has nothing to lose.
func (o *outputFlags) open(cmd *cobra.Command, inputs ...string) (*output, error) {
	if o.out == command.Standard {
		if command.IsTerminal(cmd.OutOrStdout()) {
			return nil, errors.New("standard output is a terminal, expected a file or a pipe for " +
				"the filter")
		}
		return &output{cmd: cmd, path: o.out}, nil
	}
	lock, err := lockFile(o.out, o.locking)
	if err != nil {
		return nil, err
	}
	if err := o.replaceable(lock.target, inputs); err != nil {
		lock.release()
		return nil, fmt.Errorf("--out: %w", err)
	}
	return &output{cmd, o.out, lock, o.force}, nil
}

// replaceable returns an error where a file is there that the flags do not allow to replace.
func (o *outputFlags) replaceable(path string, inputs []string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Size() == 0 || !info.Mode().IsRegular(): // who replaces it refuses what is no file
		return nil
	}
	if _, err := key.ReadFile(path); err == nil {
		return fmt.Errorf("%s is a hash key, without which its filters are lost: expected a "+
			"filter or a new file", path)
	}
	if o.force {
		return nil
	}
	is, err := command.IsFilter(path)
	switch {
	case err != nil:
		return err
	case !is:
		return fmt.Errorf("%s is there, and is no filter: expected a filter or a new file "+
			"(--force replaces it)", path)
	case o.replace:
		return nil
	}
	for _, name := range inputs {
		if input, err := os.Stat(name); err == nil && os.SameFile(input, info) {
			return nil // the result is made of it
		}
	}
	const text = "%s is a filter already: expected a new file " +
		"(--replace replaces it, with all that was added and deleted since)"
	return fmt.Errorf(text, path)
}

// release gives the lock back.
func (o *output) release() { o.lock.release() }

// make replaces the output by a filter that is new, and prints what was made. A filter with members
// is not replaced by one without, unless force is given: the source may have failed.
func (o *output) make(f filter.Stored, newKeyPath string, result made) error {
	if result.Members == 0 && !o.force && o.lock != nil {
		if err := o.hasNoMembers(); err != nil {
			return err
		}
	}
	return o.replace(f, newKeyPath, func(w io.Writer, keyCreated bool) error {
		result.KeyCreated = keyCreated
		return command.PrintResult(o.cmd, w, result)
	})
}

// hasNoMembers returns an error if the output is a filter that has members.
func (o *output) hasNoMembers() error {
	is, err := command.IsFilter(o.lock.target)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !is {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := openWith(o.cmd, o.lock.target, key.Unknown())
	if err != nil {
		return fmt.Errorf("%w (--force replaces it)", err)
	}
	defer f.Close()
	if n := members(f.State()); n > 0 {
		return fmt.Errorf("found no members, expected some in place of the %s of %s "+
			"(--force replaces it)", quantity.Of(n, "member"), o.path)
	}
	return nil
}

// replace makes f the content of the output, and creates its key file unless that exists; keyPath
// is "", or standard input, where it must. Both files are complete before show prints the result,
// and take their places after it: where the result cannot be written, all is as it was. The key
// comes first, because a filter without its key would be lost. It is never removed: another filter
// may have been built with it by then.
func (o *output) replace(
	f filter.Stored,
	keyPath string,
	show func(w io.Writer, keyCreated bool) error,
) error {
	results, err := command.ResultsBeside(o.cmd, o.path)
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
	newKey := false
	if keyPath != "" && keyPath != command.Standard {
		has, err := hasKey(keyPath, f.Key())
		if err != nil {
			return err
		}
		newKey = !has
	}
	if err := show(results, newKey); err != nil {
		return fmt.Errorf("the result cannot be written, so %s: %w", unchanged, err)
	}
	if newKey {
		if err := key.WriteFile(keyPath, f.Key()); err != nil {
			return err
		}
	}
	return commit()
}
