package filtertest

import (
	"bytes"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// written has the methods of filter.Keyed that write files.
type written interface {
	io.WriterTo
	encoding.BinaryMarshaler
	encoding.BinaryAppender
}

// A filter that is written and read is the same filter: the same operations on both then have the
// same effect.
func roundTrips(t *testing.T, s *subject) {
	path := filepath.Join(t.TempDir(), "f.blm")
	original := s.sample(t)
	if err := original.Save(path); err != nil {
		t.Fatal(err)
	}
	want := content(t, original)
	if saved, err := os.ReadFile(path); err != nil || !bytes.Equal(saved, want) {
		t.Fatalf("Save: a file of %d bytes (%v), want the contents' %d", len(saved), err, len(want))
	}
	decode := func(c *file.Contents, err error) (filter.Stored, error) {
		if err != nil {
			return nil, err
		}
		return s.kind.Decode(c, s.key)
	}
	bytesOf := func(b []byte, err error) (filter.Stored, error) {
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(b, want) {
			return nil, errors.New("other bytes than those of Save")
		}
		return decode(file.Read(bytes.NewReader(b)))
	}
	for name, read := range map[string]func() (filter.Stored, error){
		"opened": func() (filter.Stored, error) {
			return decode(file.Open(path, file.VerifyNow))
		},
		"opened unchecked": func() (filter.Stored, error) {
			return decode(file.Open(path, file.VerifyLater))
		},
		"opened on trust": func() (filter.Stored, error) {
			return decode(file.Open(path, file.VerifyNever))
		},
		"loaded": func() (filter.Stored, error) { return decode(file.Load(path)) },
		"WriteTo": func() (filter.Stored, error) {
			var out bytes.Buffer
			n, err := original.(written).WriteTo(&out)
			if n != int64(out.Len()) {
				return nil, fmt.Errorf("%d bytes are written, WriteTo says %d", out.Len(), n)
			}
			return bytesOf(out.Bytes(), err)
		},
		"MarshalBinary": func() (filter.Stored, error) {
			return bytesOf(original.(written).MarshalBinary())
		},
		"AppendBinary": func() (filter.Stored, error) {
			b, err := original.(written).AppendBinary([]byte("before"))
			if !bytes.HasPrefix(b, []byte("before")) {
				return nil, errors.New("what was before is gone")
			}
			return bytesOf(b[len("before"):], err)
		},
		"UnmarshalBinary": func() (filter.Stored, error) {
			return unmarshal(original, s.sample(t),
				func(b []byte, f encoding.BinaryUnmarshaler) error {
					return f.UnmarshalBinary(b)
				})
		},
		"ReadFrom": func() (filter.Stored, error) {
			return unmarshal(original, s.sample(t),
				func(b []byte, f encoding.BinaryUnmarshaler) error {
					return readFrom(b, f.(io.ReaderFrom))
				})
		},
		"gob": func() (filter.Stored, error) {
			return unmarshal(original, s.sample(t),
				func(_ []byte, f encoding.BinaryUnmarshaler) error {
					var out bytes.Buffer
					if err := gob.NewEncoder(&out).Encode(original); err != nil {
						return err
					}
					return gob.NewDecoder(&out).Decode(f)
				})
		},
	} {
		got, err := read()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got == nil {
			continue // there is no such way
		}
		reference := s.sample(t)
		same(t, name, got, reference)
		if !got.Key().Equal(s.key) {
			t.Errorf("%s: %v, want %v", name, got.Key(), s.key)
		}
		if !reflect.DeepEqual(got.State(), reference.State()) {
			t.Errorf("%s: state %+v, want %+v", name, got.State(), reference.State())
		}
		live(got)
		live(reference)
		same(t, name+", later", got, reference)
		if saved, err := os.ReadFile(path); err != nil || !bytes.Equal(saved, want) {
			t.Errorf("%s: what was done to the filter was done to its file (%v)", name, err)
		}
		if err := got.Save(path); err != nil { // over its own file
			t.Errorf("%s: %v", name, err)
		}
		same(t, name+", after it was saved", got, reference)
		if again, err := decode(file.Load(path)); err != nil {
			t.Errorf("%s, saved again: %v", name, err)
		} else {
			same(t, name+", saved again", again, reference)
		}
		if err := errors.Join(got.Close(), original.Save(path)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	unchanged(t, "writing it", original, want)
	for _, k := range []key.Key{{}, keytest.Key(9)} { // no key, another one
		var e *file.Error
		if _, err := s.kind.Decode(must(file.Load(path)), k); !errors.Is(err, file.ErrWrongKey) ||
			!errors.As(err, &e) || !strings.HasSuffix(e.Found, k.String()) ||
			!strings.Contains(e.Expected, s.key.Identity().String()) {
			t.Errorf("%v: error %v, want file.ErrWrongKey, and the keys", k, err)
		}
	}
	other := must(file.Load(path)) // of a key of the same fingerprint, of another function
	other.Key.Algorithm ^= key.AESPMAC ^ key.HighwayHash64
	if _, err := s.kind.Decode(other, s.key); !errors.Is(err, file.ErrWrongKey) {
		t.Errorf("%v: error %v, want file.ErrWrongKey", other.Key, err)
	}
	if err := original.Save(filepath.Join(path, "missing")); err == nil {
		t.Error("a file is saved where there can be none")
	}
	for _, room := range []int{0, 1, 100, len(want) - 1} {
		n, err := original.(written).WriteTo(&full{room})
		if !errors.Is(err, io.ErrShortWrite) || n != int64(room) {
			t.Errorf("a writer with room for %d: %d written (%v)", room, n, err)
		}
	}
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// full is a writer that accepts a limited number of bytes.
type full struct{ room int }

func (w *full) Write(b []byte) (int, error) {
	if n := min(w.room, len(b)); n < len(b) {
		w.room -= n
		return n, io.ErrShortWrite
	}
	w.room -= len(b)
	return len(b), nil
}

// unmarshal returns a copy of original, made by UnmarshalBinary of other, a filter with the same
// key. It returns nil if the kind has no UnmarshalBinary.
func unmarshal(
	original, other filter.Stored,
	read func([]byte, encoding.BinaryUnmarshaler) error,
) (filter.Stored, error) {
	f, ok := other.(encoding.BinaryUnmarshaler)
	if !ok {
		return nil, nil
	}
	live(other)
	b, err := original.(written).MarshalBinary()
	if err != nil {
		return nil, err
	}
	for _, damaged := range [][]byte{nil, b[:len(b)-1], append(slices.Clone(b), 0)} {
		if err := f.UnmarshalBinary(damaged); err == nil {
			return nil, errors.New("damaged bytes are unmarshaled")
		}
	}
	return other, read(b, f)
}

// readFrom makes f the filter of b, which stands twice in a stream. Nothing behind it is read.
func readFrom(b []byte, f io.ReaderFrom) error {
	const behind = "what comes next"
	stream := iotest.OneByteReader(io.MultiReader(bytes.NewReader(b), bytes.NewReader(b),
		strings.NewReader(behind)))
	for range 2 {
		if n, err := f.ReadFrom(stream); err != nil || n != int64(len(b)) {
			return fmt.Errorf("%d of %d bytes: %w", n, len(b), err)
		}
	}
	rest, err := io.ReadAll(stream)
	if err != nil || string(rest) != behind {
		return fmt.Errorf("behind the filter there is %q (%v), want %q", rest, err, behind)
	}
	if n, err := f.ReadFrom(stream); n != 0 || err != io.EOF {
		return fmt.Errorf("at the end: %d bytes (%v), want io.EOF", n, err)
	}
	return nil
}

// zeroOf returns a zero value of the type of a filter.
func zeroOf(f filter.Stored) filter.Stored {
	return reflect.New(reflect.TypeOf(f).Elem()).Interface().(filter.Stored)
}

// encodings: the JSON of a filter is a state and no filter, so none is read from it, and the error
// names what does that. What encoding/gob writes is read into a filter with the key, and nothing is
// written that cannot be read. An error leaves the filter as it is.
func encodings(t *testing.T, s *subject) {
	f, live := s.sample(t), s.sample(t)
	before := content(t, live)
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	for name, into := range map[string]any{"a zero value": zeroOf(f), "a filter": live} {
		for _, text := range [][]byte{text, []byte("{}"), []byte("null")} {
			if err := json.Unmarshal(text, into); err == nil ||
				!strings.Contains(err.Error(), "UnmarshalBinary") {
				t.Errorf("%s into %s: %v, want an error that names UnmarshalBinary", text, name,
					err)
			}
		}
	}
	var out bytes.Buffer
	err = gob.NewEncoder(&out).Encode(f)
	_, reads := f.(encoding.BinaryUnmarshaler)
	if (err == nil) != reads {
		t.Errorf("gob: %v, and it can be read: %v", err, reads)
	}
	if reads {
		if s.kind.From == "" {
			other := s.roomySample()
			other.Key = keytest.Key(9)
			f := s.sampleOf(t, other)
			before := content(t, f)
			if err := gob.NewDecoder(bytes.NewReader(out.Bytes())).Decode(f); !errors.Is(err,
				file.ErrWrongKey) {
				t.Errorf("gob into a filter of another key: %v, want file.ErrWrongKey", err)
			}
			unchanged(t, "gob into a filter of another key", f, before)
		}
		none := zeroOf(f)
		if err := gob.NewDecoder(&out).Decode(none); !errors.Is(err, file.ErrWrongKey) ||
			!none.Closed() {
			t.Errorf("gob into a filter without a key: %v, want file.ErrWrongKey", err)
		}
	}
	unchanged(t, "what was not read", live, before)
}

// live runs some operations of every sort on a filter.
func live(f filter.Stored) {
	rng := rand.New(rand.NewPCG(81, 82))
	if set, ok := f.(filter.Set); ok {
		hashes := workload.Hashes(rng, 24)
		_, _ = set.InsertHash(hashes[0])
		n, _ := set.InsertHashBatch(hashes[1:], nil)
		if deleter, ok := f.(filter.Deleter); ok {
			deleter.DeleteHashBatch(hashes[1:][:n/2], nil)
			deleter.DeleteHash(hashes[n])
		}
	}
	if clearer, ok := f.(filter.Clearer); ok {
		clearer.ClearBits(clearer.AppendPositions(nil, rng.Uint64()))
	}
	if counter, ok := f.(filter.Counter); ok {
		hashes, counts := workload.Hashes(rng, 3), make([]uint64, 3)
		_, _ = counter.AddHashBatch(hashes, []uint64{0, 1, 5})
		counter.CountHashBatch(hashes, counts)
	}
	if grower, ok := f.(filter.Grower); ok {
		grower.Limit()
	}
	hashes := workload.Hashes(rng, 200)
	f.QueryHash(hashes[0])
	f.QueryHashBatch(hashes, make([]uint64, 4))
	f.State()
}

// A filter that is read without its key accepts hashes, and is equal to the filter with its key in
// all that needs no key.
func withoutKey(t *testing.T, s *subject) {
	want := s.sample(t)
	f, err := s.kind.Decode(must(file.Read(bytes.NewReader(content(t, want)))), key.Unknown())
	if err != nil {
		t.Fatal(err)
	}
	if !f.Key().IsZero() {
		t.Error("there is a key")
	}
	live(f)
	live(want)
	same(t, "without the key", f, want)
	if got := fmt.Sprint(f); got != fmt.Sprint(want) {
		t.Errorf("it prints %s, want %s", got, want)
	}
	if s.merge != nil {
		if err := s.merge(f, s.sample(t)); err != nil {
			t.Error(err)
		}
	}
	copies := map[string]filter.Stored{}
	if rebuilder, ok := f.(filter.Rebuilder); ok {
		copies["Fresh"] = rebuilder.Fresh()
		same(t, "Fresh", copies["Fresh"], want.(filter.Rebuilder).Fresh())
	}
	if reflect.ValueOf(f).MethodByName("Clone").IsValid() {
		copies["Clone"] = invoke(f, "Clone").Interface().(filter.Stored)
		same(t, "Clone", copies["Clone"], f)
	}
	for name, g := range copies {
		if !g.Key().IsZero() || !strings.Contains(fmt.Sprint(g), s.key.Identity().String()) {
			t.Errorf("%s: %v, want that of a %v, and no key", name, g, s.key.Identity())
		}
		before := content(t, f)
		live(g)
		unchanged(t, name+", which lived on", f, before)
	}
	if resetter, ok := f.(filter.Resetter); ok {
		resetter.Reset()
		want.(filter.Resetter).Reset()
		same(t, "Reset", f, want)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// A flipped bit in any byte, and a cut at any byte, is found.
func damage(t *testing.T, s *subject) {
	good := content(t, s.sample(t))
	read := func(b []byte) error {
		c, err := file.Read(bytes.NewReader(b))
		if err != nil {
			return err
		}
		_, err = s.kind.Decode(c, s.key)
		return err
	}
	step := 1
	if testing.Short() {
		step = 7 // of headers and of words all the bytes in turn
	}
	var e *file.Error
	for offset := 0; offset < len(good); offset += step {
		good[offset] ^= 1 << (offset % 8)
		if err := read(good); !errors.As(err, &e) || len(err.Error()) > mostError {
			t.Fatalf("byte %d: error %.400v", offset, err)
		}
		good[offset] ^= 1 << (offset % 8)
		if err := read(good[:offset]); !errors.As(err, &e) {
			t.Fatalf("cut to %d bytes: error %v", offset, err)
		}
	}
	if err := read(good); err != nil {
		t.Errorf("with all in its place: %v", err)
	}
	if err := read(append(slices.Clone(good), 0)); !errors.As(err, &e) {
		t.Errorf("a byte more: error %v", err)
	}
}

// extremes are the values of forged attributes.
func extremes(value uint64) []uint64 {
	all := []uint64{
		0, 1, 2, 3, 63, 64, 65, 1 << 16, 1 << 31, 1 << 32, 1 << 40, 1 << 53, 1 << 62,
		math.MaxInt64, 1 << 63, math.MaxUint64,
		value - 1, value + 1, 2 * value, value / 2, ^value,
	}
	for _, x := range []float64{
		-1, -0.5, 1e-300, 0.001, 0.5, 1, 1.5, 100, 1e18, 1e300, math.NaN(), math.Inf(1),
		math.Inf(-1), math.Copysign(0, -1),
	} {
		all = append(all, math.Float64bits(x))
	}
	return all
}

// forgery is a forged file whose checksums are right.
type forgery struct {
	name string
	make func(c *file.Contents)
}

func forgeriesOf(c *file.Contents) (all []forgery) {
	add := func(name string, make func(c *file.Contents)) { all = append(all, forgery{name, make}) }
	for i, a := range c.Attributes {
		for _, value := range extremes(a.Value) {
			add(fmt.Sprintf("%s = %#x", a.Name, value),
				func(c *file.Contents) { c.Attributes[i].Value = value })
			// two numbers that fit each other, but nothing else
			for j, b := range c.Attributes[:i] {
				add(fmt.Sprintf("%s and %s = %#x", a.Name, b.Name, value), func(c *file.Contents) {
					c.Attributes[i].Value, c.Attributes[j].Value = value, value
				})
			}
		}
		add("no "+a.Name,
			func(c *file.Contents) { c.Attributes = slices.Delete(c.Attributes, i, i+1) })
		add(a.Name+" by another name", func(c *file.Contents) {
			c.Attributes = slices.Delete(c.Attributes, i, i+1)
			c.Set("zzz", a.Value)
		})
	}
	add("an attribute more", func(c *file.Contents) { c.Set("zzz", 0) })
	add("no attributes", func(c *file.Contents) { c.Attributes = nil })
	rng := rand.New(rand.NewPCG(91, 92))
	for i, section := range c.Sections {
		words, n := section.Words, len(section.Words)
		for _, length := range []int{0, 1, n - 1, n + 1, n / 2, n - 8, n + 8, 2 * n} {
			if length >= 0 && length != n {
				add(fmt.Sprintf("%s of %d words", section.Name, length), func(c *file.Contents) {
					c.Sections[i].Words = append(slices.Clone(words),
						make([]uint64, n+9)...)[:length]
				})
			}
		}
		for name, word := range map[string]func() uint64{
			"zero": func() uint64 { return 0 }, "all ones": func() uint64 { return math.MaxUint64 },
			"random":  rng.Uint64,
			"nibbles": func() uint64 { return 0x8888_8888_8888_8888 },
			"one":     func() uint64 { return 1 },
		} {
			add(fmt.Sprintf("%s of words that are %s", section.Name, name), func(c *file.Contents) {
				c.Sections[i].Words = make([]uint64, n)
				for j := range c.Sections[i].Words {
					c.Sections[i].Words[j] = word()
				}
			})
		}
		for _, bit := range []int{0, 17, 63} { // a single word that is not as it was
			add(fmt.Sprintf("%s with bit %d of a word flipped", section.Name, bit),
				func(c *file.Contents) {
					c.Sections[i].Words = slices.Clone(words)
					if n > 0 {
						c.Sections[i].Words[rng.IntN(n)] ^= 1 << bit
					}
				})
		}
		add("no "+section.Name,
			func(c *file.Contents) { c.Sections = slices.Delete(slices.Clone(c.Sections), i, i+1) })
		add(section.Name+" by another name", func(c *file.Contents) { c.Sections[i].Name = "zzz" })
	}
	text := slices.Repeat([]uint64{0x1b5b_7f0a_2241_6161}, 1<<13) // letters, and what is escaped
	for i, section := range c.Sections {
		add(section.Name+" of a long text", func(c *file.Contents) { c.Sections[i].Words = text })
	}
	add("sections with the longest names", func(c *file.Contents) {
		for i := range 200 {
			c.Sections = append(c.Sections, file.Section{Name: fmt.Sprintf("%016d", i)})
		}
	})
	add("another kind with the longest name", func(c *file.Contents) {
		c.Kind = strings.Repeat("z", 16)
	})
	add("a section more",
		func(c *file.Contents) { c.Sections = append(c.Sections, file.Section{Name: "zzz"}) })
	add("no sections", func(c *file.Contents) { c.Sections = nil })
	add("the sections the other way round", func(c *file.Contents) { slices.Reverse(c.Sections) })
	add("no promises", func(c *file.Contents) { c.Promises = 0 })
	add("a promise more", func(c *file.Contents) { c.Promises |= 1 << 63 })
	add("another kind", func(c *file.Contents) { c.Kind = "zzz" })
	add("another key", func(c *file.Contents) { c.Key.Fingerprint++ })
	return all
}

// A forged file with right checksums causes no panic, and no more memory than its length is
// allocated. Either it is refused with an *Error, or it is a filter that works and is written back
// as the same file.
func forgeries(t *testing.T, s *subject) {
	for name, sizing := range map[string]filter.Sizing{
		"": s.roomySample(), "turning, ": {Members: sampleMembers, BitsPerKey: 24,
			Turnovers: 1, Key: s.key},
	} {
		good := content(t, s.sampleOf(t, sizing))
		if name != "" && bytes.Equal(good, content(t, s.sample(t))) {
			continue // the kind makes no difference
		}
		accepted := 0
		all := forgeriesOf(must(file.Read(bytes.NewReader(good))))
		for _, forgery := range all {
			c := must(file.Read(bytes.NewReader(good)))
			forgery.make(c)
			forged, err := c.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.survives(t, name+forgery.name, forged) {
				accepted++
			}
		}
		if accepted == len(all) {
			t.Error("no forgery is refused")
		}
	}
}

// allocated returns the bytes that a call allocates.
func allocated(call func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// mostError is the most bytes of an error text beside the path, whatever a forged file has.
const mostError = 300

// survives reports whether a forged file is accepted. It then uses the filter.
func (s *subject) survives(t *testing.T, name string, forged []byte) (accepted bool) {
	t.Helper()
	defer func() {
		if panicked := recover(); panicked != nil {
			t.Errorf("%s: panic: %v", name, panicked)
		}
	}()
	const most = 2 << 20
	var f filter.Stored
	var err error
	if n := allocated(func() {
		var c *file.Contents
		if c, err = file.Read(bytes.NewReader(forged)); err == nil {
			f, err = s.kind.Decode(c, s.key)
		}
	}); n > most+16*int64(len(forged)) {
		t.Errorf("%s: %d bytes are allocated to read %d", name, n, len(forged))
	}
	if err != nil {
		var e *file.Error
		if !errors.As(err, &e) || f != nil {
			t.Errorf("%s: %v and error %v, want no filter and an *Error", name, f, err)
		}
		if n := len(err.Error()); n > mostError {
			t.Errorf("%s: an error of %d bytes, want at most %d: %.400q", name, n, mostError, err)
		}
		return false
	}
	if got := content(t, f); !bytes.Equal(got, forged) {
		t.Errorf("%s: accepted, and written back otherwise: %s", name,
			differ(must(file.Read(bytes.NewReader(got))), must(file.Read(bytes.NewReader(forged)))))
	}
	finite(t, name, f)
	var used []byte
	if n := allocated(func() {
		_ = fmt.Sprint(f)
		live(f)
		used = content(t, f)
		if rebuilder, ok := f.(filter.Rebuilder); ok {
			live(rebuilder.Fresh())
		}
		if resetter, ok := f.(filter.Resetter); ok {
			resetter.Reset()
			live(f)
		}
	}); n > 2*most+16*int64(len(forged)) {
		t.Errorf("%s: %d bytes are allocated to use what was read from %d", name, n, len(forged))
	}
	// Its counters may be at their end.
	if _, err := s.kind.Decode(must(file.Read(bytes.NewReader(used))), s.key); err != nil {
		t.Errorf("%s: after some operations: %v", name, err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return true
}
