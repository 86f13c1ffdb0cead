package atomicfile

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/internal/require"
)

// list returns an access control list in the form of its attribute: the rights of the owner, of the
// user 4713, of the group, the mask, and the rights of others.
func list(owner, named, group, mask, others uint16) string {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, entry := range []struct {
		tag, rights uint16
		id          uint32
	}{{1, owner, 1<<32 - 1}, {2, named, 4713}, {4, group, 1<<32 - 1}, {16, mask, 1<<32 - 1},
		{32, others, 1<<32 - 1}} {
		b = binary.LittleEndian.AppendUint16(b, entry.tag)
		b = binary.LittleEndian.AppendUint16(b, entry.rights)
		b = binary.LittleEndian.AppendUint32(b, entry.id)
	}
	return string(b)
}

// give gives a file attributes.
func give(t *testing.T, path string, attributes map[string]string) {
	t.Helper()
	for name, value := range attributes {
		err := unix.Setxattr(path, name, []byte(value), 0)
		if errors.Is(err, unix.ENOTSUP) {
			require.Skip(t, "attributes", "the folder for temporary files has no "+name+
				": set TMPDIR to another")
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// has fails the test unless a file has these attributes, no list but one among them, and this mode.
func has(t *testing.T, path string, attributes map[string]string, mode os.FileMode) {
	t.Helper()
	found := map[string]string{}
	names := slices.AppendSeq([]string{accessList}, maps.Keys(attributes))
	for _, name := range names {
		value := make([]byte, 1<<16)
		n, err := unix.Getxattr(path, name, value)
		if err == nil {
			found[name] = string(value[:n])
		}
	}
	info, err := os.Stat(path)
	if err != nil || !maps.Equal(found, attributes) || info.Mode().Perm() != mode {
		t.Errorf("%s has the attributes %q and mode %v (%v), want %q and %v", path, found,
			info.Mode(), err, attributes, mode)
	}
}

// A file keeps its access control list and its attributes, and so has its new content while it is
// written: where the list gives the group nothing, the bits of the group are those of its mask.
func TestWriteKeepsAttributes(t *testing.T) {
	for name, attributes := range map[string]map[string]string{
		"list":         {accessList: list(6, 4, 0, 4, 0)},
		"list of more": {accessList: list(6, 6, 4, 6, 4)},
		"user's": {"user.origin": "team", "user.empty": "",
			"user.long": string(make([]byte, 999))},
		"root's": {"security.origin": "team", "trusted.origin": "team", "user.origin": "team"},
		"all":    {accessList: list(6, 4, 0, 4, 0), "user.origin": "team"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "root's" {
				needsRoot(t)
			}
			path := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			give(t, path, attributes)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := Write(path, 0o666, func(w io.Writer) error {
				has(t, temporaries(t, path)[0], attributes, info.Mode())
				return content("new")(w)
			}); err != nil {
				t.Error(err)
			}
			has(t, path, attributes, info.Mode())
			holds(t, filepath.Dir(path), map[string]string{"f": "new"})
		})
	}
}

// A list that the folder gives to new files gives nobody rights to one that has none.
func TestWriteTakesNoListOfTheFolder(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600),
		os.Chmod(path, 0o640)); err != nil {
		t.Fatal(err)
	}
	give(t, folder, map[string]string{"system.posix_acl_default": list(7, 7, 7, 7, 7)})
	if err := Write(path, 0o666, func(w io.Writer) error {
		has(t, temporaries(t, path)[0], nil, 0o640)
		return content("new")(w)
	}); err != nil {
		t.Error(err)
	}
	has(t, path, nil, 0o640)
}

// A file whose attributes cannot be kept stays as it is: here its owner may not read it.
func TestWriteRefusesToLoseAttributes(t *testing.T) {
	needsRoot(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	attributes := map[string]string{"user.origin": "team"}
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	give(t, path, attributes)
	if err := errors.Join(os.Chown(path, 4711, 4712), os.Chmod(path, 0o200),
		os.Chmod(folder, 0o777), os.Chmod(filepath.Dir(folder), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := writeAs(4711, 4712, path, func(io.Writer) error {
		t.Error("content is written for a file that is refused")
		return nil
	}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v, want %v", err, fs.ErrPermission)
	}
	has(t, path, attributes, 0o200)
	owned(t, path, 4711, 4712, 0o200)
	holds(t, folder, map[string]string{"f": "old"})
}

// As long as the attributes are not those of the old file, the mode gives nobody rights but the
// owner: a list may take them again.
func TestAttributesComeBeforeTheMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o666)); err != nil {
		t.Fatal(err)
	}
	old, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := create(path, os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := keepAccess(file, path+" is gone", old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want %v", err, fs.ErrNotExist)
	}
	has(t, file.Name(), nil, 0o600)
}
