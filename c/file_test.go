package c

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/kinds"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// The messages of blm_open.
const (
	accepted    = "no error"
	wrongKey    = "wrong hash key"
	bounds      = "number out of bounds"
	unknownHash = "unsupported hash function"
)

// open opens a file of this content in C.
func (d *driver) open(content []byte, k []byte) string {
	d.tb.Helper()
	path := filepath.Join(folder, "f.blm")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		d.tb.Fatal(err)
	}
	return d.call("open %s %s", path, text(k))
}

// queried is what the kinds that are read have.
type queried interface {
	filter.Stored
	filter.Set
	Insert(key []byte) (present bool, err error)
	Query(key []byte) bool
	InsertUint64(key uint64) (present bool, err error)
	QueryUint64(key uint64) bool
}

func made[F queried](f F, err error) func(*testing.T) queried {
	return func(t *testing.T) queried {
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
}

// Files of both kinds, under keys of all algorithms, have in C the answers that they have in Go:
// for members and others, of bytes and of numbers, and without the key for their hashes. Some have
// several pieces.
func TestFiles(t *testing.T) {
	var files []filed
	for _, k := range everyKey(3, 5) {
		files = append(files, filesOf(t, k)...)
	}
	eachReader(t, func(t *testing.T, d *driver) {
		for _, f := range files {
			testFile(t, d, f)
		}
	})
}

// filed is a filter and its file.
type filed struct {
	queried
	name    string
	key     key.Key
	content []byte
}

// members is how many numbers, and how many texts, the filters of filesOf have.
const members = 2500

// filesOf returns filters under a key, with members.
func filesOf(t *testing.T, k key.Key) (all []filed) {
	for name, make := range map[string]func(*testing.T) queried{
		"deletable": made(deletable.New(deletable.Config{Members: 5000, Rate: 0.02, Key: k})),
		"deletable, turnovers": made(deletable.New(deletable.Config{Members: 5000, Rate: 0.02,
			Turnovers: 2, Lifetime: planning.Random(), Key: k})),
		"deletable, reinserts": made(deletable.New(deletable.Config{Members: 5000, Rate: 0.02,
			Reinserts: 2, Key: k})),
		"deletable, one block": made(deletable.New(deletable.Config{Members: 1, BitsPerKey: 1,
			Key: k})),
		"deletable, 3 pieces": made(deletable.New(deletable.Config{Members: 1 << 20,
			BitsPerKey: 17, Turnovers: 1, Key: k})),
		"blocked": made(plain.New(plain.Config{Members: 5000, Rate: 0.02, Blocked: true, Key: k})),
		"blocked, one block": made(plain.New(plain.Config{Members: 1, BitsPerKey: 1, Hashes: 64,
			Blocked: true, Key: k})),
		"blocked, 2 pieces": made(plain.New(plain.Config{Members: 1 << 20, BitsPerKey: 12,
			Hashes: 1, Blocked: true, Key: k})),
	} {
		name = fmt.Sprintf("%s, %v", name, k.Algorithm())
		f := make(t)
		for i := range uint64(members) {
			_, err := f.InsertUint64(i)
			if err == nil {
				_, err = f.Insert([]byte(fmt.Sprint("member ", i)))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if deleter, ok := f.(filter.Deleter); ok { // so that regions are collided
			for i := range uint64(members / 4) {
				deleter.DeleteHash(k.HashUint64(i))
			}
		}
		all = append(all, filed{f, name, k, contentOf(t, f)})
	}
	return all
}

// testFile tests that a driver has the answers of a filter from its file.
func testFile(t *testing.T, d *driver, f filed) {
	name, k, content := f.name, f.key, f.content
	others := append(everyKey(3, 6), everyKey(3, 5)...)
	others = slices.DeleteFunc(others, k.Equal)
	for _, other := range others {
		if got := d.open(content, other.Bytes()); got != wrongKey {
			t.Errorf("%s, with a %v: %s", name, other, got)
		}
	}
	if got := d.open(content, nil); got != accepted {
		t.Fatalf("%s, without a key: %s", name, got)
	}
	if got := d.number("algorithm"); got != uint64(k.Algorithm()) {
		t.Errorf("%s: the algorithm is %d", name, got)
	}
	for i := range uint64(100) {
		h := k.HashUint64(i + members - 50)
		if got, want := d.number("present %x", h) == 1, f.QueryHash(h); got != want {
			t.Fatalf("%s: %#x is present: %v, want %v", name, h, got, want)
		}
	}
	if got := d.open(content, k.Bytes()); got != accepted {
		t.Fatalf("%s: %s", name, got)
	}
	for i := uint64(0); i < 2*members; i += 7 {
		number := i - members*(i%2) // members, and numbers beyond them
		if got, want := d.number("present_u64 %x", number) == 1,
			f.QueryUint64(number); got != want {
			t.Fatalf("%s: %d is present: %v, want %v", name, number, got, want)
		}
		data := []byte(fmt.Sprint("member ", i))
		if got, want := d.number("present_bytes %x", data) == 1, f.Query(data); got != want {
			t.Fatalf("%s: %s is present: %v, want %v", name, data, got, want)
		}
	}
}

func contentOf(tb testing.TB, f filter.Stored) []byte {
	tb.Helper()
	c, err := f.Contents()
	if err != nil {
		tb.Fatal(err)
	}
	return appended(tb, c)
}

func appended(tb testing.TB, c *file.Contents) []byte {
	tb.Helper()
	content, err := c.Append(nil)
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

// committed returns the committed files of all kinds, by their paths.
func committed(tb testing.TB) map[string][]byte {
	tb.Helper()
	all := map[string][]byte{}
	paths, err := filepath.Glob("../filter/kinds/testdata/corpus*/*.blm")
	if err != nil || len(paths) < 3 {
		tb.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		if all[path], err = os.ReadFile(path); err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

// readable reports whether the committed file is of a kind that C reads.
func readable(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, "deletable-") || strings.HasPrefix(name, "blocked-")
}

// sources returns the committed files of the kinds that C reads and of version 3, whose headers are
// pages, by their paths.
func sources(tb testing.TB) map[string][]byte {
	tb.Helper()
	all := committed(tb)
	maps.DeleteFunc(all, func(path string, content []byte) bool {
		return !readable(path) || content[8] != 3
	})
	if len(all) != 10 {
		tb.Fatalf("%d files", len(all))
	}
	return all
}

// keyOf returns the key of a committed file.
func keyOf(tb testing.TB, content []byte) key.Key {
	tb.Helper()
	c, err := file.Read(bytes.NewReader(content))
	if err != nil {
		tb.Fatal(err)
	}
	for _, k := range everyKey(7, 7) {
		if k.Algorithm() == c.Key.Algorithm {
			return k
		}
	}
	panic(c.Key)
}

// The committed files of the two kinds are read, and those of other kinds and versions are refused
// for what they are.
func TestCommittedFiles(t *testing.T) {
	eachReader(t, func(t *testing.T, d *driver) {
		for path, content := range committed(t) {
			want := "unsupported kind of filter"
			if readable(path) {
				want = accepted
			}
			k := keyOf(t, content)
			for _, version := range []byte{2, 5} {
				other := slices.Clone(content)
				other[8] = version
				if got := d.open(other, k.Bytes()); got != "unsupported file version" {
					t.Errorf("%s, of version %d: %s", path, version, got)
				}
			}
			if got := d.open(content, k.Bytes()); got != want {
				t.Errorf("%s: %s, want %s", path, got, want)
			}
			if want != accepted {
				continue
			}
			f, _, err := kinds.All().Open(path, k)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(35, 4))
			for range 500 {
				h := rng.Uint64()
				if got, want := d.number("present %x", h) == 1, f.QueryHash(h); got != want {
					t.Fatalf("%s: %#x is present: %v, want %v", path, h, got, want)
				}
			}
		}
	})
}

// The program of README.md prints the members, and says what is wrong with a file.
func TestREADME(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(page), "```c\n")
	program, _, _ = strings.Cut(program, "```\n")
	source, binary := filepath.Join(t.TempDir(), "has.c"), filepath.Join(t.TempDir(), "has")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	gcc.compile(t, source, binary, append(slices.Clone(gcc.flags), "-I.")...)
	for _, k := range everyKey(8) {
		f := made(deletable.New(deletable.Config{Members: 100, BitsPerKey: 32, Key: k}))(t)
		for _, word := range []string{"first", "second"} {
			if _, err := f.Insert([]byte(word)); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(t.TempDir(), "words.blm")
		if err := f.Save(path); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(binary, path, k.Secret(), "first", "third", "second").Output()
		if err != nil || string(out) != "first\nsecond\n" {
			t.Errorf("%v: %q, %v", k, out, err)
		}
		for secret, want := range map[string]string{
			keytest.Key(9).Secret():              path + ": " + wrongKey,
			keytest.Sip(9).Secret():              path + ": " + wrongKey,
			keytest.PMAC(9).Secret():             path + ": " + wrongKey,
			strings.Repeat("8", 32):              "the key: not a hash key",
			"sip13:" + keytest.Key(8).Secret():   "the key: not a hash key",
			keytest.Sip(8).Secret()[:len("sip")]: "the key: not a hash key",
		} {
			all, err := exec.Command(binary, path, secret, "first").CombinedOutput()
			if err == nil || string(all) != want+"\n" {
				t.Errorf("%v, with the key %s: %q, %v, want %s", k, secret, all, err, want)
			}
		}
	}
}

// accepts reports whether Go accepts a file of the two kinds. It may have any lifetime, whose text
// C does not read.
func accepts(content []byte) bool {
	c, err := file.Read(bytes.NewReader(content))
	if err != nil || c.Kind != "deletable" && c.Kind != "blocked" {
		return false
	}
	for i := range c.Sections {
		if s := &c.Sections[i]; s.Name == "lifetime" && len(s.Words) > 0 {
			s.Words = file.TextWords(planning.Oldest().String())
		}
	}
	_, _, err = kinds.All().Decode(c, key.Unknown())
	return err == nil
}

// agree opens a file in C and in Go. They must agree, and queries of a filter that is accepted must
// stay in its memory. It returns the answer of C.
func (d *driver) agree(name string, content []byte) string {
	d.tb.Helper()
	answer := d.open(content, nil)
	if want := accepts(content); (answer == accepted) != want {
		d.tb.Errorf("%s: %s, and Go accepts it: %v", name, answer, want)
	}
	if answer == accepted {
		for _, h := range []uint64{0, 1 << 63, math.MaxUint64, 0x0123456789abcdef} {
			d.number("present %x", h)
		}
	}
	return answer
}

// extremes are values of forged numbers.
func extremes(value uint64) []uint64 {
	all := []uint64{0, 1, 2, 3, 63, 64, 65, 1 << 20, 1 << 30, 1<<30 + 1, 1 << 32, 1 << 33, 1 << 39,
		1 << 40, 1<<40 + 1, 1 << 52, 1 << 61, math.MaxInt64, 1 << 63, 1<<63 + 1, math.MaxUint64,
		value - 1, value + 1, value + 8, value - 8, 2 * value, value / 2, ^value}
	for _, x := range []float64{-1, 5e-324, 1.0 / 1000, 1.0 / 1001, 0.5, 1, 1.0000001, 1000,
		1000.0001, math.Inf(1), math.NaN()} {
		all = append(all, math.Float64bits(x))
	}
	return all
}

// Files with forged numbers, names and sections under right checksums are accepted in C if Go
// accepts them, and only then.
func TestForgeries(t *testing.T) {
	d := start(t, gcc) // one compiler: the long list takes a minute
	answers := map[string]int{}
	for path, content := range sources(t) {
		try := func(name string, forge func(c *file.Contents)) {
			c, err := file.Read(bytes.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			forge(c)
			answers[d.agree(path+", "+name, appended(t, c))]++
		}
		original, err := file.Read(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		begun := func(block, deleted, retained uint64) func(c *file.Contents) {
			return func(c *file.Contents) {
				c.Set("refresh-block", block)
				c.Set("refresh-deleted", deleted)
				c.Set("refresh-retained", retained)
			}
		}
		for i, a := range original.Attributes {
			for _, value := range extremes(a.Value) {
				try(fmt.Sprintf("%s %#x", a.Name, value),
					func(c *file.Contents) { c.Attributes[i].Value = value })
			}
			try("no "+a.Name,
				func(c *file.Contents) { c.Attributes = slices.Delete(c.Attributes, i, i+1) })
			try(a.Name+" by another name", func(c *file.Contents) {
				c.Attributes = slices.Delete(c.Attributes, i, i+1)
				c.Set(a.Name[:len(a.Name)-1]+"z", a.Value)
			})
		}
		for _, value := range extremes(3) {
			try(fmt.Sprintf("reinserts %#x", value),
				func(c *file.Contents) { c.Set("reinserts", value) })
			try(fmt.Sprintf("reinserts %#x for turnovers", value), func(c *file.Contents) {
				c.Set("reinserts", value)
				c.Set("turnovers", 0)
			})
			try(fmt.Sprintf("a round at %d", value), begun(value, 0, 0))
			try(fmt.Sprintf("a round of %d", value), begun(1, value, 0))
			try(fmt.Sprintf("a round that retained %d", value), begun(1, 0, value))
			try(fmt.Sprintf("%d begun", value),
				func(c *file.Contents) { c.Set("refresh-block", value) })
			try(fmt.Sprintf("promises %#x", value),
				func(c *file.Contents) { c.Promises = value })
		}
		stored := int(binary.LittleEndian.Uint32(content[56:])) // hash is one of them
		for n := range 64 {
			try(fmt.Sprintf("%d attributes more", n), func(c *file.Contents) {
				for i := range min(n, 64-stored) {
					c.Set(fmt.Sprintf("z%d", i), 0)
				}
			})
		}
		try("no attributes", func(c *file.Contents) { c.Attributes = nil })
		try("no sections", func(c *file.Contents) { c.Sections = nil })
		try("another kind", func(c *file.Contents) { c.Kind = "blocked" })
		try("the other kind", func(c *file.Contents) { c.Kind = "deletable" })
		try("a longer kind", func(c *file.Contents) { c.Kind += "-" })
		for _, more := range []string{"lifetime", "z"} {
			for _, words := range [][]uint64{nil, {1}} {
				try(fmt.Sprintf("%d words %s more", len(words), more),
					func(c *file.Contents) {
						if len(c.Sections) == 1 || more != "lifetime" {
							c.Sections = append(c.Sections, file.Section{Name: more,
								Words: words})
						}
					})
			}
		}
		for i, s := range original.Sections {
			n := len(s.Words)
			for _, length := range []int{0, 1, n - 1, n + 1, n - 8, n + 8, 2 * n} {
				try(fmt.Sprintf("%d words of %s", length, s.Name), func(c *file.Contents) {
					c.Sections[i].Words = append(slices.Clone(s.Words),
						make([]uint64, n+8)...)[:max(0, length)]
				})
			}
			try("no "+s.Name, func(c *file.Contents) {
				c.Sections = slices.Delete(slices.Clone(c.Sections), i, i+1)
			})
			try(s.Name+" by another name",
				func(c *file.Contents) { c.Sections[i].Name += "z" })
			try(s.Name+" of ones", func(c *file.Contents) {
				c.Sections[i].Words = slices.Repeat([]uint64{math.MaxUint64}, n)
			})
		}
	}
	if answers[accepted] < 100 || answers[bounds] < 500 {
		t.Errorf("the answers are %v, want more", answers)
	}
	t.Log(answers)
}

// reattributed returns a file with other attributes in its first page, sealed. Each is 24 bytes.
func reattributed(content []byte, forge func(attributes [][]byte) [][]byte) []byte {
	const fixed, attribute, end = 64, 24, 4092
	at := fixed + attribute*int(binary.LittleEndian.Uint32(content[56:]))
	all := slices.Concat(forge(slices.Collect(slices.Chunk(slices.Clone(content[fixed:at]),
		attribute)))...)
	b := slices.Concat(content[:fixed], all, content[at:end], make([]byte, attribute))
	b = append(b[:end:end], content[end:]...)
	binary.LittleEndian.PutUint32(b[56:], uint32(len(all)/attribute))
	return seal(b)
}

// The attribute hash is accepted at its place with the numbers of SipHash-1-3 and AES-PMAC, and
// only then. The key must be of that hash, even if the fingerprint is that of a key of another one.
func TestForgedHash(t *testing.T) {
	named := func(value uint64) []byte {
		return binary.LittleEndian.AppendUint64([]byte("hash"+strings.Repeat("\x00", 12)), value)
	}
	eachReader(t, func(t *testing.T, d *driver) {
		for path, content := range sources(t) {
			if keyOf(t, content).Algorithm() != key.HighwayHash64 {
				continue // it has the attribute
			}
			place := 0
			without := func(forge func(attributes [][]byte) [][]byte) []byte {
				return reattributed(content, func(all [][]byte) [][]byte {
					place = 0
					for place < len(all) && string(all[place]) < "hash" {
						place++
					}
					return forge(all)
				})
			}
			expect := func(name, want string, forged []byte) {
				t.Helper()
				if got := d.agree(path+", "+name, forged); got != want {
					t.Errorf("%s, %s: %s, want %s", path, name, got, want)
				}
			}
			hashed := func(values ...uint64) []byte {
				return without(func(all [][]byte) [][]byte {
					for _, value := range values {
						all = slices.Insert(all, place, named(value))
					}
					return all
				})
			}
			expect("no hash", accepted, hashed())
			expect("hash 1", accepted, hashed(1))
			expect("hash 3", accepted, hashed(3))
			for _, value := range []uint64{0, 2, 4, 1 << 8, 1<<32 + 1, 1<<32 + 3, 1 << 32, 1 << 63,
				1<<63 + 1, math.MaxUint64} {
				expect(fmt.Sprintf("hash %#x", value), unknownHash, hashed(value))
			}
			expect("hash twice", bounds, hashed(1, 1))
			expect("hash 1, and another", bounds, hashed(2, 1))
			expect("another hash, and 1", bounds, hashed(1, 2))
			expect("hash 1 and 3", bounds, hashed(3, 1))
			attributes := int(binary.LittleEndian.Uint32(content[56:]))
			for i := range attributes + 1 {
				if hashed(); i == place {
					continue
				}
				expect(fmt.Sprintf("hash as attribute %d", i), bounds,
					without(func(all [][]byte) [][]byte { return slices.Insert(all, i, named(1)) }))
			}
			for _, name := range []string{"has", "hash-", "hashe", "HASH", "hash\x00x"} {
				expect(fmt.Sprintf("%q", name), bounds,
					without(func(all [][]byte) [][]byte {
						wrong := named(1)
						copy(wrong, name+"\x00")
						return slices.Insert(all, place, wrong)
					}))
			}
			forms := map[key.Algorithm][]byte{key.HighwayHash64: hashed(),
				key.SipHash13: hashed(1), key.AESPMAC: hashed(3)}
			for algorithm, content := range forms {
				for _, owner := range everyKey(7, 7) { // whose fingerprint the file has
					for _, k := range everyKey(7, 7) {
						want := wrongKey
						if k.Algorithm() == algorithm && k.Equal(owner) {
							want = accepted
						}
						binary.LittleEndian.PutUint64(content[24:], owner.Fingerprint())
						if got := d.open(seal(content), k.Bytes()); got != want {
							t.Errorf("%s of %v with the fingerprint of a %v, and a %v: %s, want %s",
								path, algorithm, owner, k, got, want)
						}
					}
				}
			}
		}
	})
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal sets the checksum of a header to that of its bytes, if the file has a header.
func seal(b []byte) []byte {
	if len(b) >= 4096 {
		if n := int(binary.LittleEndian.Uint32(b[12:])); n >= 4096 && n <= len(b) {
			binary.LittleEndian.PutUint32(b[n-4:], crc32.Checksum(b[:n-4], castagnoli))
		}
	}
	return b
}

// longer returns a file with a page of zeros more in its header, and all that follows from it.
func longer(content []byte) []byte {
	const page = 4096
	le := binary.LittleEndian
	b := slices.Concat(content[:page-4], make([]byte, page+4), content[page:])
	le.PutUint32(b[12:], 2*page)
	le.PutUint64(b[16:], uint64(len(b)))
	at := 64 + 24*le.Uint32(b[56:])
	for range le.Uint32(b[60:]) {
		le.PutUint64(b[at+24:], le.Uint64(b[at+24:])+page)
		at += 32
	}
	// the checksums of the sections do not change
	return seal(b)
}

// Headers in which any number is forged, and sealed, are accepted in C, and in Python, if Go accepts
// them, and only then. At a place stand seven of the extremes, all of them in the long form. The
// readers share the header's code, so the second compiler and Python read one of the seven, and a
// short test has no more.
func TestForgedHeaders(t *testing.T) {
	eachReader(t, func(t *testing.T, d *driver) {
		for path, content := range sources(t) {
			for offset := 8; offset < 480; offset += 4 {
				values := extremes(binary.LittleEndian.Uint64(content[offset:]))
				if os.Getenv("BLOOMLANE_FORGERIES") != "full" {
					values = values[offset/4%4:][:7]
					if testing.Short() || d.reader != gcc.feature {
						values = values[offset/4%7:][:1]
					}
				}
				for _, value := range values {
					forged := slices.Clone(content)
					binary.LittleEndian.PutUint32(forged[offset:], uint32(value))
					name := fmt.Sprintf("%s, %#x at %d", path, value, offset)
					d.agree(name, seal(forged))
					binary.LittleEndian.PutUint64(forged[offset:], value)
					d.agree(name+", of 64 bits", seal(forged))
				}
			}
			if got := d.agree(path+", a page more", longer(content)); got != bounds {
				t.Errorf("%s with a page more than its header needs: %s", path, got)
			}
			for _, at := range []int{700, 4091, len(content) - 1} {
				forged := slices.Clone(content)
				forged[at] ^= 1
				d.agree(fmt.Sprintf("%s, byte %d", path, at), seal(forged))
			}
		}
	})
}

// No damaged file is accepted: one with a flipped bit, a cut one, one with bytes behind its end.
func TestDamage(t *testing.T) {
	each(t, func(t *testing.T, d *driver) {
		for path, content := range sources(t) {
			for offset := 0; offset < len(content); offset += 1 + offset/64 {
				damaged := slices.Clone(content)
				damaged[offset] ^= 1 << (offset % 8)
				if got := d.agree(path, damaged); got == accepted {
					t.Errorf("%s is accepted with another bit at %d", path, offset)
				}
				if got := d.agree(path, content[:offset]); got == accepted {
					t.Errorf("%s is accepted with %d bytes", path, offset)
				}
			}
			for _, more := range []int{1, 8, 4096} {
				if got := d.agree(path, append(slices.Clone(content),
					make([]byte, more)...)); got != "wrong length" {
					t.Errorf("%s with %d bytes more: %s", path, more, got)
				}
			}
		}
	})
}

// forged returns what fuzzing of the container has found, which Go commits as texts.
func forged(tb testing.TB) (all [][]byte) {
	paths, err := filepath.Glob("../filter/file/testdata/fuzz/FuzzRead/*")
	if err != nil || len(paths) < 4 {
		tb.Fatal(paths, err)
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		_, quoted, _ := strings.Cut(strings.TrimSpace(string(source)), "[]byte(")
		content, err := strconv.Unquote(strings.TrimSuffix(quoted, ")"))
		if err != nil {
			tb.Fatalf("%s: %v", path, err)
		}
		all = append(all, []byte(content))
	}
	return all
}

// FuzzOpen compares the readers: what one of them accepts the other one does too. It tries the
// bytes as they are, with the checksum of their header, and as a file of each of the kinds.
func FuzzOpen(f *testing.F) {
	for _, content := range forged(f) {
		f.Add(content)
	}
	for _, content := range sources(f) {
		if len(content) < 6000 {
			f.Add(content)
		}
	}
	d := start(f, gcc)
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > 32<<10 {
			return
		}
		d.tb = t
		d.agree("as it is", content)
		sealed := seal(slices.Clone(content))
		d.agree("sealed", sealed)
		if len(sealed) < 64 {
			return
		}
		for kind, promises := range map[string]byte{"deletable": 0xc7, "blocked": 0xc1} {
			copy(sealed[32:48], kind+"\x00\x00\x00\x00\x00\x00\x00\x00\x00")
			sealed[48] = promises
			d.agree("as "+kind, seal(sealed))
		}
	})
}
