// Package atomicfile replaces files whole: a reader sees the old content or the new content, and no
// part of either. The same holds after a crash.
//
// New content goes to a temporary file in the folder of the file, which is synced to disk and then
// renamed. Its name is that of the file, eight hex digits and ".tmp", with dots between. Its writer
// holds a lock on it (flock). So the next writer of the same file recognizes the temporary files of
// killed writers, and removes them. Systems without flock, such as Windows, keep them.
//
// The package does not order writers among each other: the last one wins.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// toDisk writes a file, or the entries of a folder, to disk. Tests replace it: what a system that
// goes on has in its cache looks the same.
var toDisk = (*os.File).Sync

// ErrNotRegular is wrapped by an error where the path names something that a rename must not
// replace: a folder, a device, a pipe.
var ErrNotRegular = errors.New("not a regular file")

// ErrMounted is wrapped by an error where the path is a mount point: its folder may be mounted.
var ErrMounted = errors.New("found a mount point, expected a file that a rename can replace: " +
	"mount its folder")

// OwnerError says that a file cannot be replaced, because the new file would have another owner or
// group.
type OwnerError struct {
	User, Group int // of the file that is there
	Err         error
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("the new file cannot have the owner %d and the group %d of the old one: %v",
		e.User, e.Group, e.Err)
}

// Unwrap returns the error of the system.
func (e *OwnerError) Unwrap() error { return e.Err }

// Write makes the bytes that write sends to its writer the content of the file path. If anything
// fails, the file is as it was before, with one exception: if only the sync of its folder fails,
// the file is replaced, and a power cut may bring the old content back. [Stage] says what path may
// be.
func Write(path string, perm fs.FileMode, write func(io.Writer) error) error {
	staged, err := Stage(path, perm, write)
	if err != nil {
		return err
	}
	return staged.Commit()
}

// Staged is the new content of a file: complete, synced to disk, and not in its place yet.
type Staged struct {
	path string   // the place
	file *os.File // the temporary file; nil after Commit, CommitNew or Discard
}

// Stage writes the bytes that write sends to its writer, which is not buffered, to a temporary file
// beside path. If anything fails, no file is left.
//
// A file that is new gets the permission bits perm, less the umask; one that is replaced keeps its
// own, its owner and its group, and on Linux its access control list and extended attributes. Where
// the new file cannot have an attribute, or the old one's cannot be read, it is an error; for the
// owner or the group the error wraps an *[OwnerError]. A symbolic link stays: the file that it
// leads to is replaced, or created if it does not exist. If a file has several names (hard links),
// the other names keep the old content. A file without any permission to write is refused with an
// error that wraps [fs.ErrPermission], also for root.
func Stage(path string, perm fs.FileMode, write func(io.Writer) error) (staged *Staged, err error) {
	path, old, err := target(path)
	if err != nil {
		return nil, err
	}
	if old != nil {
		perm = 0o600 // the old file's comes with its owner and its group
	}
	sweep(path)
	file, err := create(path, os.O_WRONLY, perm)
	if err != nil {
		return nil, err
	}
	s := &Staged{path, file}
	defer func() {
		if staged == nil { // also where write panics
			err = errors.Join(err, s.Discard())
		}
	}()
	if old != nil { // before the content, which others may not be meant to read
		err = keepAccess(file, path, old)
	}
	if err == nil {
		err = fill(file, write)
	}
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	return s, nil
}

// Commit puts the content in its place. If that fails, the temporary file is removed.
func (s *Staged) Commit() error { return s.place(os.Rename) }

// CommitNew is Commit for a file that must not exist: if it exists, it stays as it is, and the
// error wraps [fs.ErrExist].
func (s *Staged) CommitNew() error {
	return s.place(func(from, to string) error { return placeNew(from, to, os.Link) })
}

func (s *Staged) place(place func(from, to string) error) error {
	if s.file == nil {
		return fmt.Errorf("replace %s: %w", s.path, os.ErrClosed)
	}
	if err := place(s.file.Name(), s.path); err != nil {
		return errors.Join(err, s.Discard())
	}
	_ = s.file.Close() // it is synced
	s.file = nil
	if err := syncFolder(folderOf(s.path)); err != nil {
		return fmt.Errorf("%s is replaced, but maybe not after a power cut: sync its folder: %w",
			s.path, err)
	}
	return nil
}

// placeNew gives a file a name that no file has. A hard link is the one portable way that cannot
// replace a file. On a file system without hard links, the caller has to keep other writers away.
func placeNew(from, to string, link func(from, to string) error) error {
	err := link(from, to)
	if err == nil {
		_ = os.Remove(from) // if it stays, the next writer sweeps it
		return nil
	}
	// vfat says EPERM
	if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return &fs.PathError{Op: "create", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// Discard removes the temporary file. After Commit, CommitNew or Discard it does nothing, so that
// it can be deferred.
func (s *Staged) Discard() error {
	file := s.file
	s.file = nil
	if file == nil {
		return nil
	}
	if !locks {
		_ = file.Close() // Windows does not remove an open file
	}
	err := os.Remove(file.Name())
	_ = file.Close()
	return err
}

// Target returns the path of the file that Write replaces or creates for path, symbolic links
// followed, or the error of a path that it refuses.
func Target(path string) (string, error) {
	path, _, err := target(path)
	return path, err
}

// target returns the path that a rename shall replace, symbolic links followed, and what is there
// now: nil if nothing is.
func target(path string) (string, fs.FileInfo, error) {
	info, err := os.Stat(path) // fails for a loop of links
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case path == "" || err != nil && !missing:
		return "", nil, err
	case missing:
		info = nil
	case !info.Mode().IsRegular():
		return "", nil, fmt.Errorf("replace %s: %w (%v)", path, ErrNotRegular, info.Mode().Type())
	case info.Mode().Perm()&0o222 == 0:
		return "", nil, &fs.PathError{Op: "replace", Path: path, Err: fs.ErrPermission}
	}
	if path, err = follow(path); err == nil && info != nil && mounted(path) {
		return "", nil, fmt.Errorf("replace %s: %w", path, ErrMounted)
	}
	return path, info, err
}

// follow follows the symbolic links that path names, to a name that is none. Unlike
// filepath.EvalSymlinks it also follows a link to a file that does not exist. Paths are joined as
// they are, not cleaned: "link/.." is the folder around the one that link leads to.
func follow(path string) (string, error) {
	const most = 255 // where somebody makes links while they are followed
	for range most {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().Type() != fs.ModeSymlink {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		link, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(link) {
			folder, _ := filepath.Split(path)
			link = folder + link
		}
		path = link
	}
	return "", fmt.Errorf("follow %s: more than %d symbolic links", path, most)
}

// folderOf returns the folder of a path, which is not cleaned either.
func folderOf(path string) string {
	folder, _ := filepath.Split(path)
	if folder == "" {
		return "."
	}
	return folder
}

// create creates a file beside path, with a name that no file has, and locks it. It is opened with
// these flags. os.CreateTemp is no help here: it gives every file the mode 0600.
func create(path string, flags int, perm fs.FileMode) (*os.File, error) {
	const attempts = 100
	for attempt := 1; ; attempt++ {
		name := fmt.Sprintf("%s.%08x%s", path, rand.Uint32(), temporarySuffix)
		file, err := os.OpenFile(name, flags|os.O_CREATE|os.O_EXCL, perm)
		if err == nil && !claim(file) {
			_ = file.Close() // a sweep came between, and removes it
			err = &fs.PathError{Op: "lock", Path: name, Err: fs.ErrExist}
		}
		if attempt < attempts && errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return file, nil
	}
}

// keepAccess gives a file the owner, the attributes and the mode of the one at path that it is to
// replace. Nobody has rights meanwhile that the old file does not give. The mode comes last: with
// an access control list, which sets the mode, the group's bits are the mask of the list.
func keepAccess(file *os.File, path string, old fs.FileInfo) error {
	if err := keepOwner(file, old); err != nil {
		return err
	}
	if err := keepAttributes(file, path); err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil || info.Mode().Perm() == old.Mode().Perm() {
		return err
	}
	return file.Chmod(old.Mode().Perm())
}

// fill writes the content of file and syncs it to disk. The file stays open, for its lock, where
// the system can rename an open file.
func fill(file *os.File, write func(io.Writer) error) error {
	err := write(file)
	if err == nil {
		err = toDisk(file)
	}
	if !locks {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
	}
	return err
}
