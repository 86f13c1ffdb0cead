package lists

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// read returns the entries of a list, and the line and the error at its end.
func read(r *Reader, in io.Reader) (entries []string, line int, err error) {
	r.Reset(in, nil)
	for {
		entry, err := r.Next()
		if err != nil {
			return entries, r.Line, err
		}
		entries = append(entries, string(entry))
	}
}

// Entries are the lines, however the list is cut into reads.
func TestReader(t *testing.T) {
	const most = 8
	r := New(most)
	for text, want := range map[string][]string{
		"": nil, "a": {"a"}, "a\n": {"a"}, "a\nb": {"a", "b"}, "\n\na\n\n": {"", "", "a", ""},
		"12345678\n12345678": {"12345678", "12345678"}, "a\r\nb\x00c\n": {"a\r", "b\x00c"},
	} {
		for name, in := range map[string]io.Reader{
			"whole":       strings.NewReader(text),
			"by bytes":    iotest.OneByteReader(strings.NewReader(text)),
			"halved":      iotest.HalfReader(strings.NewReader(text)),
			"with an end": iotest.DataErrReader(strings.NewReader(text)),
		} {
			if got, line, err := read(r, in); !slices.Equal(got, want) || line != len(want) ||
				err != io.EOF {
				t.Errorf("%q %s: %q, line %d, %v, want %q", text, name, got, line, err, want)
			}
		}
	}
}

// An entry that is too long, a reader that fails and one who waits end a list, with the line.
func TestReaderFails(t *testing.T) {
	r, broken := New(8), errors.New("broken")
	var long *LengthError
	for _, in := range []string{"a\n123456789", "a\n123456789\n"} {
		got, line, err := read(r, strings.NewReader(in))
		if !errors.As(err, &long) || long.Most != 8 || line != 2 || len(got) != 1 {
			t.Errorf("%q: %q, line %d, %v", in, got, line, err)
		}
	}
	got, line, err := read(r, io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)))
	if err != broken || line != 2 || len(got) != 1 {
		t.Errorf("of a reader that fails: %q, line %d, %v", got, line, err)
	}
	waits := 0
	r.Reset(io.MultiReader(strings.NewReader("a\nb\n"), strings.NewReader("c\n")), func() error {
		if waits++; waits == 2 {
			return broken
		}
		return nil
	})
	for _, want := range []string{"a", "b"} {
		if entry, err := r.Next(); string(entry) != want || err != nil || waits != 1 {
			t.Errorf("%q after %d waits (%v), want %q after one", entry, waits, err, want)
		}
	}
	if entry, err := r.Next(); err != broken {
		t.Errorf("%q (%v), want the error of who is called before the list is read", entry, err)
	}
}
