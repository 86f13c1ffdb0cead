package key

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/bloomlane/bloomlane/internal/atomicfile"
)

// OtherKeyError is the error of [CheckFile] and [WriteFile] for a file that holds another key.
type OtherKeyError struct {
	Path            string
	Found, Expected Identity
}

// Error says what was found and what was expected.
func (e *OtherKeyError) Error() string {
	return fmt.Sprintf("%s: wrong hash key: found a %v, expected a %v", e.Path, e.Found,
		e.Expected)
}

// Read reads a key as it stands in a key file: what [Parse] takes, with or without a line end. For
// a text that is no key the error wraps a *[ParseError].
func Read(r io.Reader) (Key, error) {
	const more = 100 // than any key file has, so that a file of another kind is not read whole
	text, err := io.ReadAll(io.LimitReader(r, more))
	if err != nil {
		return Key{}, fmt.Errorf("hash key: %w", err)
	}
	return Parse(strings.TrimRight(string(text), "\r\n"))
}

// ReadFile reads a key file, such as [WriteFile] makes: see [Read]. If there is no file, the error
// wraps [fs.ErrNotExist].
func ReadFile(path string) (Key, error) {
	file, err := os.Open(path)
	if err != nil {
		return Key{}, fmt.Errorf("hash key: %w", err)
	}
	defer file.Close()
	k, err := Read(file)
	if err != nil {
		return Key{}, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

// CheckFile returns nil if a key file holds k. If it holds another key, the error is an
// *[OtherKeyError]; other errors are those of [ReadFile].
func CheckFile(path string, k Key) error {
	found, err := ReadFile(path)
	if err == nil && !found.Equal(k) {
		return &OtherKeyError{path, found.Identity(), k.Identity()}
	}
	return err
}

// WriteFile makes a key file that only its owner can read (mode 0600). It replaces no file: if
// there is one, it must hold k, and the error is that of [CheckFile]. The file appears whole or not
// at all. WriteFile panics if k is no key.
func WriteFile(path string, k Key) error {
	text := k.Secret() + "\n"
	if err := CheckFile(path, k); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	staged, err := atomicfile.Stage(path, 0o600, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return fmt.Errorf("hash key: %w", err)
	}
	err = staged.CommitNew()
	if errors.Is(err, fs.ErrExist) {
		return CheckFile(path, k) // another program was faster
	}
	if err != nil {
		return fmt.Errorf("hash key: %w", err)
	}
	return nil
}
