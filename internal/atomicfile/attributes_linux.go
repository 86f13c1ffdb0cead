package atomicfile

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// accessList is the attribute that has the access control list.
const accessList = "system.posix_acl_access"

// ofContent are attributes that tell of the old content: the system removes or renews them whenever
// a file is written.
var ofContent = []string{"security.capability", "security.ima", "security.evm"}

// keepAttributes gives a file the extended attributes of the one at path, and no list that its
// folder gave it. The list comes last: it gives rights, which a label may have to limit.
func keepAttributes(file *os.File, path string) error {
	fd := int(file.Fd())
	names, err := attributes(func(b []byte) (int, error) { return unix.Llistxattr(path, b) })
	if err != nil {
		return &os.PathError{Op: "list the attributes of", Path: path, Err: err}
	}
	own, err := attributes(func(b []byte) (int, error) { return unix.Flistxattr(fd, b) })
	if err != nil {
		return &os.PathError{Op: "list the attributes of", Path: file.Name(), Err: err}
	}
	list := slices.Index(names, accessList)
	if list >= 0 {
		names = append(slices.Delete(names, list, list+1), accessList)
	} else if slices.Contains(own, accessList) {
		_, err := uninterrupted(func() (int, error) { return 0, unix.Fremovexattr(fd, accessList) })
		if err != nil {
			return fmt.Errorf("the new file cannot do without an access control list: %w", err)
		}
	}
	for _, name := range names {
		if err := keepAttribute(fd, path, name); err != nil {
			return fmt.Errorf("the new file cannot have the attribute %q of the old one: %w", name,
				err)
		}
	}
	return nil
}

// keepAttribute gives a file an attribute of the one at path. It sets only what differs, because
// some attributes are given to every file, and only the system sets them.
func keepAttribute(fd int, path, name string) error {
	value, err := attribute(func(b []byte) (int, error) { return unix.Lgetxattr(path, name, b) })
	if err != nil {
		return err
	}
	found, err := attribute(func(b []byte) (int, error) { return unix.Fgetxattr(fd, name, b) })
	if err == nil && bytes.Equal(found, value) {
		return nil
	}
	_, err = uninterrupted(func() (int, error) { return 0, unix.Fsetxattr(fd, name, value, 0) })
	return err
}

// attributes returns the names of the attributes that are kept: none, where the file system has no
// attributes.
func attributes(list func(b []byte) (int, error)) ([]string, error) {
	all, err := attribute(list)
	if err == unix.ENOTSUP {
		return nil, nil
	}
	names := strings.FieldsFunc(string(all), func(r rune) bool { return r == 0 })
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.Contains(ofContent, name)
	}), err
}

// attribute returns what a call of the system reads.
func attribute(read func(b []byte) (int, error)) ([]byte, error) {
	b := make([]byte, 1<<16) // the system's limit
	n, err := uninterrupted(func() (int, error) { return read(b) })
	return b[:max(n, 0)], err
}
