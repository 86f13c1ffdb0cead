package file

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/require"
)

// full reports whether the tests run in their long form, by BLOOMLANE_FILES=full.
func full() bool { return os.Getenv("BLOOMLANE_FILES") == "full" }

// originals are good files with every sort of layout, by name.
func originals(t testing.TB) map[string][]byte {
	all := map[string][]byte{}
	for name, c := range shapes() {
		content, err := c.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = content
		if content[8] != Version {
			all[name+", old"] = oldFile(c)
		}
	}
	return all
}

// damage returns a copy of good with one sort of damage. other is another good file.
func damage(rng *rand.Rand, good, other []byte) []byte {
	b := slices.Clone(good)
	place := func(b []byte) int { // half of the places are in the header, where the numbers are
		if rng.IntN(2) == 0 {
			return rng.IntN(min(len(b), 512))
		}
		return rng.IntN(len(b))
	}
	switch rng.IntN(8) {
	case 0: // flipped bits
		for range 1 + rng.IntN(3) {
			b[place(b)] ^= 1 << rng.IntN(8)
		}
	case 1: // another byte
		b[place(b)] = byte(rng.Uint32())
	case 2: // a part of zeros, or of noise
		at := place(b)
		part := b[at:min(len(b), at+1+rng.IntN(page))]
		noise := byte(rng.Uint32() & -rng.Uint32N(2))
		for i := range part {
			part[i] = noise * byte(i+1)
		}
	case 3: // cut
		b = b[:rng.IntN(len(b))]
	case 4: // more bytes
		b = append(b, make([]byte, 1+rng.IntN(2*page))...)
	case 5: // the start of one and the end of another
		b = append(b[:rng.IntN(len(b)+1)], other[rng.IntN(len(other)+1):]...)
	case 6: // pages of another file, at their place
		for at := rng.IntN(8) * page; at < min(len(b), len(other)); at += page * (1 + rng.IntN(8)) {
			copy(b[at:min(len(b), at+page)], other[at:])
		}
	case 7: // two parts swapped
		n := 1 + rng.IntN(min(page, len(b)/2))
		x, y := rng.IntN(len(b)-n+1), rng.IntN(len(b)-n+1)
		part := slices.Clone(b[x : x+n])
		copy(b[x:x+n], b[y:y+n])
		copy(b[y:y+n], part)
	}
	return b
}

// allocated returns the bytes that were allocated since the program began.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// No damaged file is read as a filter, or causes a panic, or makes a reader allocate more than
// twice its bytes and a mebibyte. The test damages 6,000 files, with BLOOMLANE_FILES=full 200,000,
// and with -short 2,000.
func TestDamage(t *testing.T) {
	all := originals(t)
	var names []string
	for name, content := range all {
		for range max(1, 6-len(content)>>13) { // large files take long
			names = append(names, name)
		}
	}
	slices.Sort(names)
	count := 6000
	if full() {
		count = 200_000
	} else if testing.Short() {
		count = 2000
	}
	rng := rand.New(rand.NewPCG(5, 6))
	folder := t.TempDir()
	tried, same := 0, 0
	for i := 0; tried < count; i++ {
		name := names[rng.IntN(len(names))]
		good, other := all[name], all[names[rng.IntN(len(names))]]
		bad := damage(rng, good, other)
		if slices.ContainsFunc(names,
			func(name string) bool { return bytes.Equal(all[name], bad) }) {
			same++
			continue
		}
		tried++
		try := map[string]func() (*Contents, error){
			"read": func() (*Contents, error) { return Read(bytes.NewReader(bad)) },
		}
		if i%4 == 0 {
			path := filepath.Join(folder, "f.blm")
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			try["open"] = func() (*Contents, error) { return Open(path, VerifyNow) }
			try["load"] = func() (*Contents, error) { return Load(path) }
		}
		for how, open := range try {
			before := allocated()
			if c, err := open(); err == nil || c != nil {
				t.Fatalf("%d: %s of %s, damaged: no error", i, how, name)
			}
			if took := allocated() - before; took > 2*uint64(len(bad))+1<<20 {
				t.Errorf("%d: %s of %s, %d bytes, damaged: %d bytes of memory", i, how, name,
					len(bad), took)
			}
		}
	}
	t.Logf("%d damaged files refused, %d left alone that were good all the same", tried, same)
}

// A reader of a good file of several pieces allocates at most twice its bytes and a mebibyte.
func TestMemoryOfAGoodFile(t *testing.T) {
	for name, content := range originals(t) {
		before := allocated()
		c, err := Read(bytes.NewReader(content))
		took := allocated() - before
		if c == nil || err != nil || took > 2*uint64(len(content))+1<<20 {
			t.Errorf("%s: %d bytes of memory for %d (%v)", name, took, len(content), err)
		}
	}
}

// reseal makes a forged file: it sets the checksums to those of the content, as far as the header
// can be laid out.
func reseal(b []byte) []byte {
	if len(b) < fixedBytes {
		return b
	}
	le := binary.LittleEndian
	size := int64(le.Uint32(b[12:]))
	if size <= fixedBytes || size > int64(len(b)) {
		return b
	}
	table, sections := int64(fixedBytes)+int64(le.Uint32(b[56:]))*attributeBytes,
		int64(le.Uint32(b[60:]))
	sums := table + sections*sectionBytes
	for range sections {
		if table+sectionBytes > size {
			break
		}
		words, offset := le.Uint64(b[table+nameBytes:]), le.Uint64(b[table+nameBytes+8:])
		table += sectionBytes
		if offset > uint64(len(b)) || words > uint64(len(b))/8 {
			continue
		}
		for piece := range slices.Chunk(b[offset:min(uint64(len(b)), offset+8*words)], pieceBytes) {
			if sums+8 > size {
				break
			}
			le.PutUint32(b[sums:], crc32.Checksum(piece, castagnoli))
			sums += 4
		}
	}
	le.PutUint32(b[size-4:], crc32.Checksum(b[:size-4], castagnoli))
	return b
}

// A forged number under good checksums is an error of its own, and no memory is allocated for it.
func TestForgedHeaders(t *testing.T) {
	le := binary.LittleEndian
	put32 := func(at int, value uint32) func([]byte) {
		return func(b []byte) { le.PutUint32(b[at:], value) }
	}
	put64 := func(at int, value uint64) func([]byte) {
		return func(b []byte) { le.PutUint64(b[at:], value) }
	}
	all := func(forge ...func([]byte)) func([]byte) {
		return func(b []byte) {
			for _, f := range forge {
				f(b)
			}
		}
	}
	text := func(at int, s string) func([]byte) { return func(b []byte) { copy(b[at:], s) } }
	const hash = "hash\x00\x00\x00\x00\x00\x00\x00\x00" // as long as planned-rate
	for name, test := range map[string]struct {
		forge func([]byte)
		err   error
	}{
		"nothing":                       {func([]byte) {}, nil},
		"a fingerprint":                 {put64(24, 5), nil},
		"a word":                        {put64(4096, 99), nil},
		"the magic bytes":               {text(0, "BLMF"), ErrNotFilter},
		"version 0":                     {put32(8, 0), ErrVersion},
		"version 2":                     {put32(8, 2), ErrVersion},
		"version 5":                     {put32(8, 5), ErrVersion},
		"version 4, with pages":         {put32(8, 4), ErrBounds},
		"a header of nothing":           {put32(12, 0), ErrBounds},
		"a header of half a page":       {put32(12, page/2), ErrBounds},
		"a header of 1 GiB":             {put32(12, 1<<30), ErrLength},
		"a header of more":              {put32(12, 1<<30+page), ErrBounds},
		"a header of most":              {put32(12, 1<<32-page), ErrBounds},
		"a header of two pages":         {put32(12, 2*page), ErrBounds},
		"another length":                {put64(16, 8207), ErrBounds},
		"a length of most":              {put64(16, 1<<64-1), ErrBounds},
		"a kind of upper case":          {text(32, "E"), ErrBounds},
		"no kind":                       {text(32, "\x00\x00\x00\x00\x00\x00\x00"), ErrBounds},
		"a zero in a kind":              {text(34, "\x00"), ErrBounds},
		"65 attributes":                 {put32(56, 65), ErrBounds},
		"257 sections":                  {put32(60, 257), ErrBounds},
		"the most attributes":           {put32(56, 1<<32-1), ErrBounds},
		"the most sections":             {put32(60, 1<<32-1), ErrBounds},
		"256 sections, that do not fit": {put32(60, 256), ErrBounds},
		"an attribute more":             {put32(56, 3), ErrBounds},
		"an attribute less":             {put32(56, 1), ErrBounds},
		"a section more":                {put32(60, 4), ErrBounds},
		"a section less":                {put32(60, 2), ErrBounds},
		"attributes out of order":       {text(64, "zembers"), ErrBounds},
		"an attribute twice":            {text(64, "planned-rate"), ErrBounds},
		"a name that is none":           {text(64, "mem ers"), ErrBounds},
		"SipHash-1-3":                   {all(text(64, hash), put64(80, 1)), nil},
		"HighwayHash-64, by a number":   {all(text(64, hash), put64(80, 0)), ErrBounds},
		"maphash":                       {all(text(64, hash), put64(80, 2)), ErrBounds},
		"an unknown hash function":      {all(text(64, hash), put64(80, 1<<63)), ErrBounds},
		"a section twice":               {text(144, "blocks"), ErrBounds},
		"an offset":                     {put64(136, 8192), ErrBounds},
		"an offset of most":             {put64(136, 1<<64-1), ErrBounds},
		"a section within another":      {put64(200, 4096), ErrBounds},
		"a word more, of the zeros":     {put64(128, 4), nil},
		"a word less":                   {put64(128, 2), ErrBounds},
		"words of most":                 {put64(128, 1<<64-1), ErrBounds},
		"words whose bytes are none":    {put64(128, 1<<61), ErrBounds},
		"words whose length overflows":  {all(put64(128, 1<<60-1), put64(192, 1<<60-1)), ErrBounds},
		// 2^32 pieces, which is 0 in an int of 32 bits
		"words whose pieces overflow": {put64(128, 1<<49), ErrBounds},
		"pieces that overflow in sum": {all(put64(128, 1<<48), put64(192, 1<<48)), ErrBounds},
		"no bytes by overflow":        {put64(160, 1<<61), ErrBounds}, // 2^64 bytes, 0 in 64 bits
		"no pieces by overflow": {all(put64(160, 1<<49), put64(200, 1<<52+8192),
			put64(16, 1<<52+8208)), ErrBounds}, // 2^32 pieces, 0 in 32 bits
		"a page of zeros more": {all(put32(12, 2*page), put32(4092, 0), put64(4096, 0),
			put64(4104, 0), put64(4112, 0)), ErrBounds},
		"a byte behind the checksums":    {text(216, "\x01"), ErrBounds},
		"a byte before the header's":     {text(4091, "\x01"), ErrBounds},
		"a byte behind the first":        {text(4120, "\x01"), ErrBounds},
		"a byte before the last section": {text(8191, "\x01"), ErrBounds},
	} {
		content := oldFile(example())
		test.forge(content)
		content = reseal(content)
		for how, open := range openers(t) {
			if how == "later" || how == "never" { // Verify checks the zeros between sections
				continue
			}
			before := allocated()
			c, err := open(content)
			took := allocated() - before
			if !isError(err, test.err) || (c == nil) != (test.err != nil) {
				t.Errorf("%s, %s: %v, want %v", name, how, err, test.err)
			}
			if took > 2*uint64(len(content))+1<<20 {
				t.Errorf("%s, %s: %d bytes of memory", name, how, took)
			}
		}
	}
}

// The hash function stands at the one place that its name has among the others.
func TestTheHashFunctionHasOnePlace(t *testing.T) {
	for before := range 8 {
		for after := range 8 {
			c := &Contents{Kind: "a", Key: key.Identity{Algorithm: key.SipHash13}}
			for i := range before {
				c.Set(fmt.Sprint("a", i), 0)
			}
			for i := range after {
				c.Set(fmt.Sprint("z", i), 0)
			}
			content, _ := c.Append(nil)
			all := content[fixedBytes : fixedBytes+(before+1+after)*attributeBytes]
			hash := slices.Clone(all[before*attributeBytes:][:attributeBytes])
			others := slices.Delete(slices.Clone(all), before*attributeBytes,
				(before+1)*attributeBytes)
			for place := range before + 1 + after {
				copy(all, slices.Insert(slices.Clone(others), place*attributeBytes, hash...))
				var want error
				if place != before {
					want = ErrBounds
				}
				_, err := Read(bytes.NewReader(reseal(content)))
				if !isError(err, want) ||
					err != nil && !strings.Contains(err.Error(), "expected ascending names") {
					t.Errorf("as attribute %d, with %d before and %d after: %v, want %v", place,
						before, after, err, want)
				}
			}
		}
	}
}

// A header of many pages with sections that the file does not have keeps the bound on memory.
func TestForgedHeaderOfManyPieces(t *testing.T) {
	const sectionWords = 1 << 38 // 2 TiB
	layout, size, length, pieces := lay(Version, 0, []int64{sectionWords})
	b := make([]byte, size, size+page)
	copy(b, Magic)
	le := binary.LittleEndian
	le.PutUint32(b[8:], Version)
	le.PutUint32(b[12:], uint32(size))
	le.PutUint64(b[16:], uint64(length))
	copy(b[32:], "large")
	le.PutUint32(b[60:], 1)
	copy(b[64:], "words")
	le.PutUint64(b[80:], sectionWords)
	le.PutUint64(b[88:], uint64(layout[0].offset))
	le.PutUint32(b[size-4:], crc32.Checksum(b[:size-4], castagnoli))
	b = append(b, make([]byte, page)...)
	for how, open := range openers(t) {
		if how == "read by bytes" {
			continue
		}
		before := allocated()
		_, err := open(b)
		took := allocated() - before
		// more words than hosts of 32 bits have
		if !isError(err, ErrLength) && !(^uint(0)>>32 == 0 && isError(err, ErrBounds)) {
			t.Errorf("%s: %v, want %v", how, err, ErrLength)
		}
		if took > 2*uint64(len(b))+1<<20 {
			t.Errorf("%s: %d bytes of memory for %d of a header of %d pieces", how, took,
				len(b), pieces)
		}
	}
}

// A file with a piece of another good file, or with two of its pieces swapped, is damaged.
func TestPiecesDoNotMix(t *testing.T) {
	require.Once(t)
	content := func(seed uint64) []byte {
		c := &Contents{Kind: "a", Sections: []Section{{"x", words(3*pieceWords, seed)},
			{"y", words(2*pieceWords, seed+1)}}}
		b, _ := c.Append(nil)
		return b
	}
	one, two := content(1), content(3)
	for piece := range 5 {
		offset := page + piece*pieceBytes // a section of whole pieces ends at a page
		for other := range 5 {
			from := page + other*pieceBytes
			for name, source := range map[string][]byte{"itself": one, "another": two} {
				b := slices.Clone(one)
				copy(b[offset:offset+pieceBytes], source[from:])
				if bytes.Equal(b, one) {
					continue
				}
				if _, err := Read(bytes.NewReader(b)); !isError(err, ErrChecksum) {
					t.Errorf("piece %d of %s at %d: %v", other, name, piece, err)
				}
			}
		}
	}
	b := append(slices.Clone(one[:page]), two[page:]...)
	if _, err := Read(bytes.NewReader(b)); !isError(err, ErrChecksum) {
		t.Errorf("the header of another file: %v", err)
	}
}

// FuzzRead compares Read with Open: both accept a file or neither does. A file that they accept is
// written back unchanged. It tries the bytes as they are, and with good checksums.
func FuzzRead(f *testing.F) {
	small := originals(f)
	for _, name := range []string{"nothing", "an empty one at last", "a word", "example"} {
		f.Add(small[name])
	}
	path := filepath.Join(f.TempDir(), "f.blm")
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > 8*page {
			return
		}
		for _, b := range [][]byte{slices.Clone(content), reseal(slices.Clone(content))} {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			read, err := Read(bytes.NewReader(b))
			opened, openErr := Open(path, VerifyNow)
			loaded, loadErr := Load(path)
			later, laterErr := Open(path, VerifyLater)
			if laterErr == nil {
				laterErr = later.Verify()
			}
			if (openErr == nil) != (err == nil) || (loadErr == nil) != (err == nil) ||
				(laterErr == nil) != (err == nil) {
				t.Fatalf("read: %v; open: %v; load: %v; verify: %v", err, openErr,
					loadErr, laterErr)
			}
			if err != nil {
				continue
			}
			equal(t, "open", opened, read)
			equal(t, "load", loaded, read)
			equal(t, "later", later, read)
			var again bytes.Buffer
			if _, err := read.write(&again, uint32(b[8])); err != nil ||
				!bytes.Equal(again.Bytes(), b) {
				t.Fatalf("what was read is written otherwise (%v)", err)
			}
		}
	})
}
