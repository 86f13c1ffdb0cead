package parts

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/planning"
)

var (
	testKey  = keytest.Key(1)
	otherKey = keytest.Key(2)
)

// config is the config of a filter of 1563 blocks. No part size below divides this number.
var config = deletable.Config{Members: 50_000, BitsPerKey: 16, Turnovers: 1,
	Lifetime: planning.Random(), Key: testKey}

const configBlocks = 1563

// drawn returns n hashes. Every tenth occurs twice, and every hundredth three times.
func drawn(n int) []uint64 {
	rng := rand.New(rand.NewPCG(24, 3))
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = rng.Uint64()
		if i%10 == 9 {
			hashes[i] = hashes[i-1]
		}
		if i%100 == 99 {
			hashes[i-2] = hashes[i]
		}
	}
	return hashes
}

// single returns the filter that one process makes.
func single(t *testing.T, hashes []uint64) *deletable.Filter {
	t.Helper()
	f, err := deletable.New(config)
	if err != nil {
		t.Fatal(err)
	}
	if f.Shape().Blocks != configBlocks {
		t.Fatalf("%d blocks, want %d", f.Shape().Blocks, configBlocks)
	}
	if _, err := f.InsertHashBatch(hashes, nil); err != nil {
		t.Fatal(err)
	}
	return f
}

func all(parts ...*Part) iter.Seq2[*Part, error] { return filter.Infallible(slices.Values(parts)) }

// through returns the part that is read from the file of a part.
func through(t *testing.T, p *Part) *Part {
	t.Helper()
	var b bytes.Buffer
	if n, err := p.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatal(n, err)
	}
	c, err := file.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if c.Sections[0].Name != sectionBlocks {
		t.Errorf("the file of %v has a section %s", p.Range, c.Sections[0].Name)
	}
	q, err := Decode(c)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// equal fails the test unless the filter of the parts, and its file, are those of one process.
func equal(t *testing.T, hashes []uint64, parts ...*Part) {
	t.Helper()
	f, err := Join(config, all(parts...))
	if err != nil {
		t.Fatal(err)
	}
	want := single(t, hashes)
	if !f.Equal(want) {
		t.Fatalf("%v differs from %v of one process: %d and %d inserts", f, want, f.Inserts(),
			want.Inserts())
	}
	a, errA := f.MarshalBinary()
	b, errB := want.MarshalBinary()
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Fatalf("the files differ (%v, %v)", errA, errB)
	}
}

// Bundles pack their hashes by part, and each part inserts its packs. The order of the packs does
// not matter, and parts without keys have their blocks.
func TestPartition(t *testing.T) {
	short := drawn(3)
	for _, test := range []struct {
		name                string
		hashes              []uint64
		bundles, partBlocks int
	}{
		{"one part", drawn(50_000), 1, configBlocks},
		{"a part larger than the table", drawn(50_000), 3, 2 * configBlocks},
		{"many parts", drawn(50_000), 7, 100},
		{"full packs", drawn(200_000), 3, 700},
		{"a part a block", drawn(5000), 2, 1},
		{"parts without keys", short, 2, 100},
		{"no keys", nil, 1, 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := Layout{Blocks: configBlocks, PartBlocks: test.partBlocks}
			type sent struct {
				part int
				pack []byte
			}
			var packs []sent
			full, packed := 0, 0
			for b := range test.bundles {
				packer := NewPacker(l)
				for i := b; i < len(test.hashes); i += test.bundles {
					if part, pack := packer.Add(test.hashes[i]); pack != nil {
						if len(pack) != PackBytes {
							t.Fatalf("a full pack has %d bytes, want %d", len(pack), PackBytes)
						}
						packs = append(packs, sent{part, pack})
						full++
					}
				}
				for part, pack := range packer.Rest() {
					if len(pack) == 0 || len(pack) >= PackBytes {
						t.Fatalf("%d bytes are left in a pack", len(pack))
					}
					packs = append(packs, sent{part, pack})
				}
				for range packer.Rest() {
					t.Fatal("a packer that was emptied has a pack")
				}
			}
			if (full > 0) != (test.name == "full packs" || test.name == "one part" ||
				test.name == "a part larger than the table") {
				t.Fatalf("%d full packs", full)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			rng.Shuffle(len(packs), func(i, j int) { packs[i], packs[j] = packs[j], packs[i] })

			parts := make([]*Part, l.Parts())
			for i := range parts {
				parts[i] = New(l.Range(i), testKey.Identity())
			}
			for _, s := range packs {
				packed += len(s.pack) / 8
				if err := parts[s.part].InsertPack(s.pack); err != nil {
					t.Fatal(err)
				}
			}
			if packed != len(test.hashes) {
				t.Fatalf("%d hashes are in packs, want %d", packed, len(test.hashes))
			}
			for i := range parts {
				parts[i] = through(t, parts[i])
			}
			rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			equal(t, test.hashes, parts...)
		})
	}
}

// Bundles make tables of their own, which merge in any order and nesting. The sizes of the bundles
// differ, so that hashes merge with hashes, with a table, and a table with hashes.
func TestCombine(t *testing.T) {
	hashes := drawn(60_000)
	whole := Layout{Blocks: configBlocks, PartBlocks: configBlocks}.Range(0)
	// the sizes of the bundles; the first is empty
	ends := []int{0, 10, 20, 12_000, 25_000, 25_001, 40_000, 60_000}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		var parts []*Part
		tables, first := 0, 0
		for _, end := range ends {
			p := New(whole, testKey.Identity())
			for ; first < end; first += 4096 {
				p.InsertHashBatch(hashes[first:min(first+4096, end)])
			}
			first = end
			if p.table != nil {
				tables++
				if p.hashes != nil {
					t.Fatal("a part keeps hashes beside its table")
				}
			}
			parts = append(parts, p)
		}
		if tables != 3 {
			t.Fatalf("%d bundles have a table, want 3", tables)
		}
		for len(parts) > 1 {
			i := rng.IntN(len(parts))
			q := parts[i]
			parts = slices.Delete(parts, i, i+1)
			if rng.IntN(2) == 0 { // as between workers
				b, err := q.AppendBinary(nil)
				if err != nil {
					t.Fatal(err)
				}
				if most := 8192 + 8*max(len(q.hashes), 8*configBlocks); len(b) > most ||
					q.table == nil && len(b) > 8192+8*len(q.hashes) {
					t.Errorf("a part of %d hashes has %d bytes", q.Inserts(), len(b))
				}
				q = new(Part)
				if err := q.UnmarshalBinary(b); err != nil {
					t.Fatal(err)
				}
			}
			inserts := q.Inserts()
			p := parts[rng.IntN(len(parts))]
			sum := inserts + p.Inserts()
			if err := p.Merge(q); err != nil {
				t.Fatal(err)
			}
			if p.Inserts() != sum || q.Inserts() != inserts {
				t.Fatalf("a merge of %d inserts makes %d, and %d of the other", sum,
					p.Inserts(), q.Inserts())
			}
		}
		equal(t, hashes, parts[0])
		equal(t, hashes, through(t, parts[0]))
	}
}

// A key that two bundles insert is a member twice. A delete of it is retained, as after two inserts
// by one process.
func TestDuplicatesAcrossBundles(t *testing.T) {
	whole := Layout{Blocks: configBlocks, PartBlocks: configBlocks}.Range(0)
	twice := []uint64{1 << 40}
	p, q := New(whole, testKey.Identity()), New(whole, testKey.Identity())
	p.InsertHashBatch(twice)
	q.InsertHashBatch(twice)
	q.fill() // a merge of hashes and a table
	if err := p.Merge(q); err != nil {
		t.Fatal(err)
	}
	equal(t, append(twice, twice...), p)
	f, err := Join(config, all(p))
	if err != nil {
		t.Fatal(err)
	}
	if status := f.DeleteHash(twice[0]); status != deletable.Retained || f.Members() != 1 {
		t.Errorf("a delete of a key with two inserts: %v, %d members", status, f.Members())
	}
}

func TestLayout(t *testing.T) {
	for _, test := range []struct {
		l     Layout
		parts int
		last  Range
	}{
		{Layout{1, 1}, 1, Range{0, 1, 1}},
		{Layout{10, 5}, 2, Range{5, 10, 10}},
		{Layout{11, 5}, 3, Range{10, 11, 11}},
		{Layout{10, 100}, 1, Range{0, 10, 10}},
		{Layout{deletable.MaxBlocks, deletable.MaxBlocks - 1}, 2,
			Range{deletable.MaxBlocks - 1, deletable.MaxBlocks, deletable.MaxBlocks}},
		{Layout{10, math.MaxInt}, 1, Range{0, 10, 10}},
	} {
		if n := test.l.Parts(); n != test.parts {
			t.Errorf("%v has %d parts, want %d", test.l, n, test.parts)
			continue
		}
		if last := test.l.Range(test.parts - 1); last != test.last {
			t.Errorf("the last part of %v is %v, want %v", test.l, last, test.last)
		}
		if of := test.l.Of(math.MaxUint64); of != test.parts-1 || test.l.Of(0) != 0 {
			t.Errorf("%v: the last hash is of part %d, the first of %d", test.l, of, test.l.Of(0))
		}
	}
}

// Two parts that were decoded from the same contents lie in one memory. As blocks each is the
// other, and the hashes that one of them gets are not those of the other.
func TestOneMemory(t *testing.T) {
	r := Layout{Blocks: configBlocks, PartBlocks: 1000}.Range(0)
	for name, n := range map[string]int{"hashes": 3, "blocks": 9000} {
		p := New(r, testKey.Identity())
		hashes := make([]uint64, n, n+1) // room for another one
		for i := range hashes {
			hashes[i] = uint64(i) << 32
		}
		p.InsertHashBatch(hashes)
		c := p.contents()
		c.Sections[0].Words = append(make([]uint64, 0, 1+len(c.Sections[0].Words)),
			c.Sections[0].Words...)
		var two [2]*Part
		for i := range two {
			var err error
			if two[i], err = Decode(c); err != nil {
				t.Fatal(err)
			}
		}
		if name == "hashes" {
			two[1].InsertHashBatch([]uint64{77})
			two[0].InsertHashBatch([]uint64{78})
			if got := two[1].hashes[n]; got != 77 {
				t.Errorf("a hash is %d, which the other part inserted", got)
			}
		}
		if err := two[0].Merge(two[1]); (name == "blocks") != errors.Is(err, filter.ErrSelf) {
			t.Errorf("%s: the error of a merge is %v", name, err)
		}
	}
}

// Parts that do not fit are an error, and nothing is merged.
func TestMergeRefuses(t *testing.T) {
	l := Layout{Blocks: configBlocks, PartBlocks: 1000}
	p := New(l.Range(0), testKey.Identity())
	p.InsertHashBatch([]uint64{1, 2, 3})
	for _, test := range []struct {
		q    *Part
		want error
	}{
		{p, filter.ErrSelf},
		{New(l.Range(0), otherKey.Identity()), file.ErrWrongKey},
		{New(l.Range(1), testKey.Identity()), filter.ErrUnequalSize},
		{New(Range{0, 1000, configBlocks + 1}, testKey.Identity()), filter.ErrUnequalSize},
	} {
		test.q.inserts++
		if err := p.Merge(test.q); !errors.Is(err, test.want) {
			t.Errorf("error %v, want %v", err, test.want)
		}
		test.q.inserts--
		if p.Inserts() != 3 {
			t.Fatalf("a refused merge leaves %d inserts", p.Inserts())
		}
	}
	if err := p.InsertPack(make([]byte, 9)); !errors.Is(err, file.ErrLength) || p.Inserts() != 3 {
		t.Errorf("a pack of 9 bytes: %v", err)
	}
}

// Parts that do not make a whole filter, or that belong to another filter, are an error.
func TestJoinRefuses(t *testing.T) {
	l := Layout{Blocks: configBlocks, PartBlocks: 500}
	part := func(i int) *Part { return New(l.Range(i), testKey.Identity()) }
	range_ := func(first, end, blocks int) *Part {
		return New(Range{first, end, blocks},
			testKey.Identity())
	}
	for _, test := range []struct {
		name  string
		parts []*Part
		cover *CoverError
		want  error
	}{
		{"none", nil, &CoverError{Missing: Range{0, 1563, 1563}}, nil},
		{"no first", []*Part{part(1), part(2), part(3)}, &CoverError{Missing: Range{0, 500, 1563}},
			nil},
		{"a gap", []*Part{part(0), part(1), part(3)}, &CoverError{Missing: Range{1000, 1500, 1563}},
			nil},
		{"no last", []*Part{part(0), part(1), part(2)},
			&CoverError{Missing: Range{1500, 1563, 1563}}, nil},
		{"a gap of a block", []*Part{range_(0, 600, 1563), range_(601, 1563, 1563)},
			&CoverError{Missing: Range{600, 601, 1563}}, nil},
		{"one twice", []*Part{part(0), part(1), part(2), part(3), part(1)},
			&CoverError{Twice: Range{500, 1000, 1563}}, nil},
		{"an overlap", []*Part{range_(0, 600, 1563), range_(590, 1563, 1563)},
			&CoverError{Twice: Range{590, 600, 1563}}, nil},
		{"one within another", []*Part{range_(0, 1563, 1563), part(1)},
			&CoverError{Twice: Range{500, 1000, 1563}}, nil},
		{"another key", []*Part{New(Range{0, 1563, 1563}, otherKey.Identity())}, nil,
			file.ErrWrongKey},
		{"another size", []*Part{range_(0, 1562, 1562)}, nil, file.ErrLength},
	} {
		f, err := Join(config, all(test.parts...))
		var found *CoverError
		if f != nil || (test.cover != nil) != errors.As(err, &found) || test.cover != nil &&
			*found != *test.cover || !errors.Is(err, test.want) && test.want != nil {
			t.Errorf("%s: %v, %v", test.name, f, err)
		}
	}
	failed := errors.New("failed")
	if f, err := Join(config, func(yield func(*Part, error) bool) { yield(nil, failed) }); f !=
		nil || !errors.Is(err, failed) {
		t.Errorf("%v, %v", f, err)
	}
	if f, err := Join(deletable.Config{}, all()); f != nil ||
		!errors.As(err, new(*filter.SizingError)) {
		t.Errorf("%v, %v", f, err)
	}
	if got, want := (&CoverError{Missing: Range{1, 2, 3}}).Error(),
		"parts of a filter: blocks 1 to 2 of 3 are in no part"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := (&CoverError{Twice: Range{1, 2, 3}}).Error(),
		"parts of a filter: blocks 1 to 2 of 3 are in two parts"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A forged file makes no part on which Join or Merge would panic.
func TestDecodeRefuses(t *testing.T) {
	l := Layout{Blocks: configBlocks, PartBlocks: 500}
	low := func(block int) uint64 { return uint64((float64(block) + 0.5) / configBlocks * 0x1p64) }
	for _, test := range []struct {
		name  string
		table bool
		forge func(c *file.Contents)
		want  error
	}{
		{"hashes", false, func(*file.Contents) {}, nil},
		{"blocks", true, func(*file.Contents) {}, nil},
		{"another kind", false, func(c *file.Contents) { c.Kind = "deletable" }, file.ErrKind},
		{"no blocks in all", true, func(c *file.Contents) { c.Set(attributeBlocks, 0) },
			file.ErrBounds},
		{"too many blocks in all", true,
			func(c *file.Contents) { c.Set(attributeBlocks, deletable.MaxBlocks+1) },
			file.ErrBounds},
		{"an end beyond them", true, func(c *file.Contents) { c.Set(attributeEnd, configBlocks+1) },
			file.ErrBounds},
		{"no range", true, func(c *file.Contents) { c.Set(attributeFirst, 1000) }, file.ErrBounds},
		{"too few words", true,
			func(c *file.Contents) { c.Sections[0].Words = c.Sections[0].Words[8:] },
			file.ErrLength},
		{"too few hashes", false,
			func(c *file.Contents) { c.Sections[0].Words = c.Sections[0].Words[1:] },
			file.ErrLength},
		{"a hash below", false, func(c *file.Contents) { c.Sections[0].Words[1] = low(499) },
			file.ErrBounds},
		{"a hash above", false, func(c *file.Contents) { c.Sections[0].Words[1] = low(1000) },
			file.ErrBounds},
	} {
		p := New(l.Range(1), testKey.Identity())
		p.InsertHashBatch([]uint64{low(500), low(501), low(999)})
		if test.table {
			p.fill()
		}
		c := p.contents()
		test.forge(c)
		b, err := c.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		var q Part
		err = q.UnmarshalBinary(b)
		if !errors.Is(err, test.want) || test.want != nil && !errors.As(err, new(*file.Error)) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.want)
		}
		if err == nil && (q.Range != p.Range || q.Inserts() != 3 ||
			q.key != p.key) {
			t.Errorf("%s: %+v", test.name, &q)
		}
	}
	if err := new(Part).UnmarshalBinary([]byte("no filter")); !errors.Is(err, file.ErrNotFilter) {
		t.Errorf("error %v", err)
	}
}

// A pack has hashes of 8 bytes, the least significant byte first, so that other engines can write
// it.
func TestPackBytes(t *testing.T) {
	p := NewPacker(Layout{Blocks: 1, PartBlocks: 1})
	if _, pack := p.Add(0x0102030405060708); pack != nil {
		t.Fatal("a pack of one hash is full")
	}
	for _, pack := range p.Rest() {
		if want := binary.BigEndian.AppendUint64(nil, 0x0807060504030201); !bytes.Equal(pack,
			want) {
			t.Errorf("%x, want %x", pack, want)
		}
	}
}

// docs/format.md has the attributes and sections of a part's file.
func TestFileIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	attributes := "the attributes "
	for i, a := range (&Part{}).contents().Attributes {
		attributes += map[bool]string{true: " "}[i > 0] + "`" + a.Name + "`"
	}
	for _, text := range []string{"`" + kindName + "`", attributes, "`" + sectionBlocks + "`",
		"`" + sectionHashes + "`"} {
		if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), text) {
			t.Errorf("docs/format.md does not have %q", text)
		}
	}
}

// A hash of other blocks panics at once, also while a part keeps hashes, because the file of such a
// part could not be read.
func TestForeignHash(t *testing.T) {
	l := Layout{Blocks: 32, PartBlocks: 10}
	p := New(l.Range(0), testKey.Identity())
	defer func() {
		if recover() == nil || p.Inserts() != 0 {
			t.Errorf("no panic, and %d inserts", p.Inserts())
		}
	}()
	p.InsertHashBatch([]uint64{1<<64 - 1})
}

// A part goes through encoding/gob whole, and is not read from JSON, which has its range only.
func TestEncodings(t *testing.T) {
	hashes := drawn(100)
	p, q := New(Range{0, 20, 20}, testKey.Identity()), new(Part)
	p.InsertHashBatch(hashes)
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(p); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&out).Decode(q); err != nil || q.Inserts() != len(hashes) {
		t.Errorf("%d inserts, want %d (%v)", q.Inserts(), len(hashes), err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, q); err == nil || q.Inserts() != len(hashes) {
		t.Errorf("JSON: %v, and %d inserts", err, q.Inserts())
	}
}
