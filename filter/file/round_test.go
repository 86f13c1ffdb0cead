package file

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/require"
)

// words returns n words, all random.
func words(n int, seed uint64) []uint64 {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	all := make([]uint64, n)
	for i := range all {
		all[i] = rng.Uint64()
	}
	return all
}

// shapes are contents with every sort of layout.
func shapes() map[string]*Contents {
	contents := func(sizes ...int) *Contents {
		c := &Contents{Kind: "shape", Promises: 1 << 63, Key: key.Identity{Fingerprint: 7}}
		for i, n := range sizes {
			if i < maxAttributes {
				c.Set(fmt.Sprintf("number-%d", i), uint64(i)<<40+uint64(n))
			}
			c.Sections = append(c.Sections,
				Section{fmt.Sprintf("section-%d", i), words(n, uint64(i))})
		}
		return c
	}
	several := []int{3*pieceWords + 5, 0, 2 * pieceWords, pieceWords - 1, 8}
	if testing.Short() { // a piece takes seconds under an emulator or the race detector
		several = []int{2*pieceWords + 5, 0, 8}
	}
	return map[string]*Contents{
		"nothing": {Kind: "a"},
		"no sections": {Kind: "sixteen-letters-",
			Attributes: []Attribute{{"x", math.MaxUint64}}},
		"AES-PMAC": {Kind: "a", Key: key.Identity{Algorithm: key.AESPMAC, Fingerprint: 8}},
		"SipHash-1-3": {Kind: "a", Key: key.Identity{Algorithm: key.SipHash13, Fingerprint: 8},
			Attributes: []Attribute{{"bits", 3}, {"members", 2}}},
		"an empty section":      contents(0),
		"an empty one at last":  contents(1, 0),
		"empty ones between":    contents(0, 3, 0, 0, 511, 0),
		"a word":                contents(1),
		"a page":                contents(page / 8),
		"the most of a small":   contents(smallBytes/8 - 1),
		"the least of a large":  contents(1, smallBytes/8-1),
		"a page and a word":     contents(page/8+1, 2),
		"a chunk":               contents(chunkWords, 1),
		"a piece":               contents(pieceWords),
		"a piece less a word":   contents(pieceWords - 1),
		"a piece and a word":    contents(pieceWords + 1),
		"pieces and sections":   contents(several...),
		"the most of each":      contents(make([]int, maxSections)...),
		"example":               example(),
		"a header of two pages": contents(make([]int, 100)...),
	}
}

// equal fails the test unless two contents are equal.
func equal(t testing.TB, name string, got, want *Contents) {
	t.Helper()
	if got.Kind != want.Kind || got.Promises != want.Promises ||
		got.Key != want.Key || !slices.Equal(got.Attributes, want.Attributes) ||
		!sameSections(got, want) {
		t.Errorf("%s: other contents: %+v", name, got.Attributes)
	}
}

func sameSections(a, b *Contents) bool {
	return slices.EqualFunc(a.Sections, b.Sections, func(s, t Section) bool {
		return s.Name == t.Name && slices.Equal(s.Words, t.Words)
	})
}

// openers are the ways to get contents from the bytes of a file.
func openers(t testing.TB) map[string]func([]byte) (*Contents, error) {
	folder := t.TempDir()
	number := 0
	path := func(content []byte) string {
		number++
		name := filepath.Join(folder, fmt.Sprint(number))
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	opener := func(verify Verify) func([]byte) (*Contents, error) {
		return func(b []byte) (*Contents, error) { return Open(path(b), verify) }
	}
	return map[string]func([]byte) (*Contents, error){
		"read": func(b []byte) (*Contents, error) { return Read(bytes.NewReader(b)) },
		"read by bytes": func(b []byte) (*Contents, error) {
			return Read(iotest.OneByteReader(bytes.NewReader(b)))
		},
		"read, data with the end": func(b []byte) (*Contents, error) {
			return Read(iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(b))))
		},
		"load":  func(b []byte) (*Contents, error) { return Load(path(b)) },
		"now":   opener(VerifyNow),
		"later": opener(VerifyLater),
		"never": opener(VerifyNever),
	}
}

func TestRoundTrips(t *testing.T) {
	for shape, want := range shapes() {
		content, err := want.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		var stream bytes.Buffer
		if n, err := want.WriteTo(&stream); err != nil || n != int64(len(content)) ||
			!bytes.Equal(stream.Bytes(), content) {
			t.Errorf("%s: WriteTo writes %d bytes, want %d (%v)", shape, n, len(content), err)
		}
		path := filepath.Join(t.TempDir(), "f.blm")
		if err := want.Save(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if saved, err := os.ReadFile(path); err != nil || !bytes.Equal(saved, content) {
			t.Errorf("%s: another file is saved (%v)", shape, err)
		}
		for name, open := range openers(t) {
			if name == "read by bytes" && len(content) > 2*pieceBytes {
				continue // it would be millions of calls
			}
			name = shape + ", " + name
			got, err := open(content)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			equal(t, name, got, want)
			for _, s := range got.Sections {
				if at := uintptr(unsafe.Pointer(unsafe.SliceData(s.Words))); len(s.Words) > 0 &&
					at%64 != 0 {
					t.Errorf("%s: section %s at %#x begins no cache line", name, s.Name, at)
				}
			}
			err = got.Verify()
			if never := strings.HasSuffix(name, "never") && mappable; never != errors.Is(err,
				ErrUnverified) || !never && err != nil {
				t.Errorf("%s: verify: %v", name, err)
			}
			if err := got.Verify(); err != nil && !errors.Is(err, ErrUnverified) {
				t.Errorf("%s: verify again: %v", name, err)
			}
			if again, err := got.Append(nil); err != nil || !bytes.Equal(again, content) {
				t.Errorf("%s: it writes other bytes (%v)", name, err)
			}
			runtime.KeepAlive(got)
		}
	}
}

var errBroken = errors.New("broken")

// A reader that fails, ends or goes on at any place in a file is an error that says so.
func TestSourcesThatFail(t *testing.T) {
	require.Once(t)
	for shape, c := range shapes() {
		content, _ := c.Append(nil)
		for _, offset := range places(c, len(content)) {
			name := fmt.Sprintf("%s, %d of %d bytes", shape, offset, len(content))
			failing := io.MultiReader(bytes.NewReader(content[:offset]),
				iotest.ErrReader(errBroken))
			var e *Error
			if got, err := Read(failing); got != nil || !errors.Is(err, errBroken) ||
				!errors.As(err, &e) || e.Op != "read" {
				t.Errorf("%s: a source that fails: %v", name, err)
			}
			if offset == len(content) {
				continue
			}
			_, err := Read(bytes.NewReader(content[:offset]))
			want := ErrLength
			if offset < len(Magic) {
				want = ErrNotFilter
			}
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
			path := filepath.Join(t.TempDir(), "f.blm")
			if err := os.WriteFile(path, content[:offset], 0o600); err != nil {
				t.Fatal(err)
			}
			for verify := VerifyNow; verify <= VerifyNever; verify++ {
				if _, err := Open(path, verify); !errors.Is(err, want) || !errors.As(err, &e) ||
					e.Op != "open" || e.Path != path {
					t.Errorf("%s: open: %v, want %v", name, err, want)
				}
			}
			if _, err := Load(path); !errors.Is(err, want) || !errors.As(err, &e) ||
				e.Op != "load" || e.Path != path {
				t.Errorf("%s: load: %v, want %v", name, err, want)
			}
		}
		for _, more := range [][]byte{{0}, {1}, content} {
			for name, open := range openers(t) {
				if name == "read by bytes" && len(content) > 2*pieceBytes {
					continue
				}
				if _, err := open(slices.Concat(content, more)); !errors.Is(err, ErrLength) {
					t.Errorf("%s, %s with %d bytes behind: %v", shape, name, len(more), err)
				}
			}
		}
	}
}

// places returns the places in a file at which a reader ends: near every border.
func places(c *Contents, length int) (all []int) {
	all = []int{0, 1, 7, 8, 12, 63, 64, page - 1, page, page + 1, length - 1, length}
	layout, _, _, _ := lay(versionOf(c.words()), len(c.Attributes), c.words())
	for i := range min(len(layout), 6) {
		for _, border := range []int64{layout[i].offset, layout[i].offset + pieceBytes,
			layout[i].offset + layout[i].bytes()} {
			all = append(all, int(border)-1, int(border), int(border)+9)
		}
	}
	slices.Sort(all)
	all = slices.DeleteFunc(slices.Compact(all), func(at int) bool { return at > length })
	if testing.Short() && length > pieceBytes { // each takes seconds under an emulator
		all = append(all[:1], all[len(all)-2:]...)
	}
	return all
}

// limited is a writer that accepts n bytes and then fails, or writes a part without an error.
type limited struct {
	left  int
	short bool
}

func (w *limited) Write(b []byte) (int, error) {
	if len(b) == 0 {
		panic("an empty write")
	}
	if n := w.left; n < len(b) {
		w.left = 0
		if w.short {
			return n, nil
		}
		return n, errBroken
	}
	w.left -= len(b)
	return len(b), nil
}

func TestWritersThatFail(t *testing.T) {
	for shape, c := range shapes() {
		length := int(c.Size())
		for _, offset := range places(c, length) {
			for _, short := range []bool{false, true} {
				want := errBroken
				if short {
					want = io.ErrShortWrite
				}
				if offset == length {
					want = nil
				}
				if n, err := c.WriteTo(&limited{offset, short}); n != int64(offset) ||
					!errors.Is(err, want) {
					t.Errorf("%s, %d of %d bytes: wrote %d, %v, want %v", shape, offset,
						length, n, err, want)
				}
			}
		}
	}
	if n, err := example().WriteTo(liar{}); n != 0 || err == nil {
		t.Errorf("a writer that lies: wrote %d, %v", n, err)
	}
}

// liar is a writer that returns a larger count than it was given.
type liar struct{}

func (liar) Write(b []byte) (int, error) { return len(b) + 1, nil }

// A save that fails leaves the old file, and its error has the path.
func TestASaveThatFails(t *testing.T) {
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing", "f.blm")
	var e *Error
	if err := example().Save(missing, 0o600); !errors.As(err, &e) || e.Op != "save" ||
		e.Path != missing || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for name, open := range map[string]func() (*Contents, error){
		"open, a folder":  func() (*Contents, error) { return Open(folder, VerifyNow) },
		"load, a folder":  func() (*Contents, error) { return Load(folder) },
		"open, no file":   func() (*Contents, error) { return Open(missing, VerifyNow) },
		"load, no file":   func() (*Contents, error) { return Load(missing) },
		"open, no path":   func() (*Contents, error) { return Open("", VerifyNow) },
		"read of nothing": func() (*Contents, error) { return Read(bytes.NewReader(nil)) },
	} {
		if c, err := open(); c != nil || !errors.As(err, &e) || e.Op != name[:4] {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheTextOfErrors(t *testing.T) {
	wrong := Wrong(ErrLength, "7 bytes", "8")
	for want, err := range map[string]error{
		"filter: wrong length: found 7 bytes, expected 8":      wrong,
		"read filter: wrong length: found 7 bytes, expected 8": At("read", "", wrong),
		"open filter a.blm: wrong length: found 7 bytes, expected 8": At("open", "a.blm",
			At("read", "", wrong)),
		"load filter a.blm: broken": At("load",
			"a.blm", errBroken),
	} {
		if err.Error() != want {
			t.Errorf("%s, want\n%s", err, want)
		}
	}
}

// A write of contents that a reader would refuse panics, because names are constants of the kinds.
func TestContentsThatAreNotWritten(t *testing.T) {
	for name, change := range map[string]func(*Contents){
		"no kind":                func(c *Contents) { c.Kind = "" },
		"a long kind":            func(c *Contents) { c.Kind = "seventeen-letters" },
		"an upper case kind":     func(c *Contents) { c.Kind = "Example" },
		"a zero in a name":       func(c *Contents) { c.Kind = "a\x00b" },
		"a blank in a name":      func(c *Contents) { c.Sections[0].Name = "a b" },
		"no name":                func(c *Contents) { c.Attributes[0].Name = "" },
		"attributes in disorder": func(c *Contents) { slices.Reverse(c.Attributes) },
		"an attribute twice":     func(c *Contents) { c.Attributes[1].Name = c.Attributes[0].Name },
		"a section twice":        func(c *Contents) { c.Sections[2].Name = c.Sections[0].Name },
		"an attribute hash":      func(c *Contents) { c.Set("hash", 1) },
		"too many attributes": func(c *Contents) {
			for i := range maxAttributes {
				c.Set(fmt.Sprint("a", i), 1)
			}
		},
		"too many attributes, with the hash function": func(c *Contents) {
			c.Key.Algorithm = key.SipHash13
			for i := range maxAttributes - len(c.Attributes) {
				c.Set(fmt.Sprint("a", i), 1)
			}
		},
		"too many sections": func(c *Contents) {
			for i := range maxSections {
				c.Sections = append(c.Sections, Section{fmt.Sprint("s", i), nil})
			}
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: it is written", name)
				}
			}()
			c := example()
			change(c)
			_, _ = c.Append(nil)
		}()
	}
}

// The size counts the attribute of the hash function, also where it takes the header's next page.
func TestSizeCountsTheHashFunction(t *testing.T) {
	for _, a := range key.Algorithms() {
		c := &Contents{Kind: "a", Key: key.Identity{Algorithm: a}}
		c.Set("a", 1)
		for i := range (page - fixedBytes - attributeBytes - 4) / sectionBytes {
			c.Sections = append(c.Sections, Section{Name: fmt.Sprint("s", i)})
		}
		size := int64(page) // of which 4 bytes are left
		if a != key.HighwayHash64 {
			size += line
		}
		if b, err := c.Append(nil); err != nil || c.Size() != size || int64(len(b)) != size {
			t.Errorf("%v: a size of %d, and %d bytes, error %v", a, c.Size(), len(b), err)
		}
	}
}

func TestNumbersOfContents(t *testing.T) {
	c := new(Contents)
	for _, name := range []string{"m", "z", "a", "m"} {
		c.Set(name, uint64(len(c.Attributes)))
	}
	c.SetFloat("rate", 0.5)
	c.SetFloat("nan", math.NaN())
	c.SetFloat("minus", math.Copysign(0, -1))
	if !slices.IsSortedFunc(c.Attributes,
		func(a, b Attribute) int { return strings.Compare(a.Name, b.Name) }) ||
		len(c.Attributes) != 6 {
		t.Errorf("attributes %v", c.Attributes)
	}
	c.Sections = []Section{{"words", words(24, 1)}, {"text", TextWords("twelve bytes")},
		{"none", nil}}
	names := []string{"words", "text", "none"}
	for name, err := range map[string]error{
		"m below":    second(c.Uint("m", 4, 9)),
		"m above":    second(c.Uint("m", 0, 2)),
		"no b":       second(c.Uint("b", 0, 2)),
		"int":        second(c.Int("m", 4, 9)),
		"NaN":        second(c.Float("nan", 0, 1)),
		"minus zero": second(c.Float("minus", 0, 1)),
		"rate":       second(c.Float("rate", 0.6, 1)),
		"no rate":    second(c.Float("rat", 0, 1)),
		"group":      second(c.WordsOf("words", 7, 100)),
		"most":       second(c.WordsOf("words", 8, 2)),
		"no words":   second(c.WordsOf("none", 8, 2)),
		"no section": second(c.WordsOf("other", 8, 2)),
		"attributes": c.Expect("", c.Promises, 5, names...),
		"promises":   c.Expect("", c.Promises+1, 6, names...),
		"order":      c.Expect("", c.Promises, 6, names[1], names[0], names[2]),
		"sections":   c.Expect("", c.Promises, 6, names[:2]...),
	} {
		if !errors.Is(err, ErrBounds) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.Expect("other", c.Promises, 6, names...); !errors.Is(err, ErrKind) {
		t.Errorf("%v", err)
	}
	m, err1 := c.Int("m", 3, 3)
	rate, err2 := c.Float("rate", 0.5, 0.5)
	all, err3 := c.WordsOf("words", 8, 3)
	if err := errors.Join(err1, err2, err3, c.Expect("", c.Promises, 6, names...)); err != nil ||
		m != 3 || rate != 0.5 || len(all) != 24 {
		t.Errorf("%d, %g, %d words (%v)", m, rate, len(all), err)
	}
	if c.Text("text") != "twelve bytes" || c.Text("none") != "" || c.Text("other") != "" ||
		!c.Has("m") || c.Has("b") {
		t.Errorf("text %q", c.Text("text"))
	}
	if n := len(TextOf(words(maxText, 1))); n > maxText {
		t.Errorf("a text of %d bytes of a large section", n)
	}
}

func second[T any](_ T, err error) error { return err }

func isError(err, want error) bool { return errors.Is(err, want) }

// Files that stand one behind another in a stream are read one after another, and what is between
// them is left to the program. A stream that does not begin with a file, or ends in one, is an
// error.
func TestNext(t *testing.T) {
	var stream bytes.Buffer
	all := shapes()
	names := slices.Sorted(maps.Keys(all))
	for _, name := range names {
		if _, err := all[name].WriteTo(&stream); err != nil {
			t.Fatal(err)
		}
		stream.WriteString(name)
	}
	whole := bytes.Clone(stream.Bytes())
	for _, name := range names {
		next, err := Next(&stream)
		if err != nil || next.N != all[name].Size() {
			t.Fatalf("%s: %+v (%v), want %d bytes", name, next, err, all[name].Size())
		}
		c, err := Read(next)
		if err != nil || next.N != 0 || c.Kind != all[name].Kind ||
			len(c.Sections) != len(all[name].Sections) {
			t.Errorf("%s: %+v (%v), and %d bytes are left", name, c, err, next.N)
		}
		if between := string(stream.Next(len(name))); between != name {
			t.Errorf("%s: %q comes next", name, between)
		}
	}
	if next, err := Next(&stream); next != nil || err != io.EOF {
		t.Errorf("at the end: %v (%v)", next, err)
	}
	broken := errors.New("broken")
	if _, err := Next(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a reader that fails: %v", err)
	}
	long := bytes.Clone(whole)
	binary.LittleEndian.PutUint64(long[16:], math.MaxUint64)
	for want, b := range map[error][]byte{
		ErrNotFilter: []byte(strings.Repeat("no filter ", 10)), ErrLength: whole[:20],
		ErrBounds: long,
	} {
		var e *Error
		if next, err := Next(bytes.NewReader(b)); next != nil || !errors.Is(err, want) ||
			!errors.As(err, &e) {
			t.Errorf("%.20q: %v (%v), want %v", b, next, err, want)
		}
	}
	if next, err := Next(bytes.NewReader(whole[:fixedBytes+9])); err != nil {
		t.Error(err)
	} else if _, err := Read(next); !errors.Is(err, ErrLength) {
		t.Errorf("a cut header: %v", err)
	}
}
