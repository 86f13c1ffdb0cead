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
	r := New(most, Form{})
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

// The form of a list says what an entry is, however the list is cut, and lines are counted whatever
// ends them.
func TestForms(t *testing.T) {
	null, trim, both := Form{Null: true}, Form{Trim: true}, Form{Trim: true, Comments: true}
	for _, test := range []struct {
		form Form
		text string
		want []string
		line int
	}{
		{null, "a\x00b\nc\x00\x00d", []string{"a", "b\nc", "", "d"}, 4},
		{null, Mark + " a\r\x00", []string{Mark + " a\r"}, 1},
		{trim, Mark + "a\r\nb\r\n", []string{"a", "b"}, 2},
		{trim, "a\rb\r\rc", []string{"a", "b", "", "c"}, 4},
		{trim, "a\r\r\n\r\n\nb", []string{"a", "", "", "", "b"}, 5},
		{trim, " a b\t\n\v\n#c\n" + Mark + "d\n", []string{"a b", "", "#c", Mark + "d"}, 4},
		{trim, "\r", []string{""}, 1},
		{trim, "a\nb\r\nc\rd", []string{"a", "b", "c", "d"}, 4},
		{both, "#\n\t# a\nb # c\n#d", []string{"b # c"}, 4},
		{Form{Comments: true}, " #a\n#b\r\nc", []string{" #a", "c"}, 3},
		{Form{Null: true, Trim: true}, " a\r\n\x00\nb\x00", []string{"a", "b"}, 2},
	} {
		for name, in := range map[string]io.Reader{
			"whole":    strings.NewReader(test.text),
			"by bytes": iotest.OneByteReader(strings.NewReader(test.text)),
		} {
			got, line, err := read(New(16, test.form), in)
			if !slices.Equal(got, test.want) || line != test.line || err != io.EOF {
				t.Errorf("%+v %q %s: %q, line %d, %v, want %q, line %d", test.form, test.text,
					name, got, line, err, test.want, test.line)
			}
		}
	}
}

// A list of carriage returns may be longer than the buffer, and is read as it comes.
func TestReturns(t *testing.T) {
	got, line, err := read(New(8, Form{Trim: true}), strings.NewReader(strings.Repeat("abc\r", 99)))
	if len(got) != 99 || line != 99 || err != io.EOF {
		t.Errorf("%d entries, line %d, %v", len(got), line, err)
	}
}

// A file of another program is no list, also where its start comes in pieces; what begins so by
// accident can follow an empty line.
func TestFormats(t *testing.T) {
	for _, format := range formats {
		var other *Error
		in := iotest.OneByteReader(strings.NewReader(format.start + "\n"))
		if got, line, err := read(New(64, Form{}), in); !errors.As(err, &other) || line != 1 ||
			len(got) > 0 || other.Found != format.name+" data" {
			if format.name != "filter" { // whose start has a line feed
				t.Errorf("%s: %q, line %d, %v", format.name, got, line, err)
			}
		}
		if _, _, err := read(New(64, Form{}), strings.NewReader("\n"+format.start)); err != io.EOF {
			t.Errorf("%s in line 2: %v", format.name, err)
		}
	}
}

// An entry that is too long, a reader that fails and one who waits end a list, with the line.
func TestReaderFails(t *testing.T) {
	r, broken := New(8, Form{}), errors.New("broken")
	var long *Error
	for _, in := range []string{"a\n123456789", "a\n123456789\n"} {
		got, line, err := read(r, strings.NewReader(in))
		if !errors.As(err, &long) || long.Found != "a line of more than 8 bytes" || line != 2 ||
			len(got) != 1 {
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
