package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	pages "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/bloomlane/bloomlane/kernel"
)

// compressions are the codecs by their numbers in parquet.thrift. Those that are nil are not read.
var compressions = []compress.Codec{&pages.Uncompressed, &pages.Snappy, &pages.Gzip, nil,
	&pages.Brotli, nil, &pages.Zstd, &pages.Lz4Raw}

// forgery is a file of one column in one row group, whose pages have any content behind headers
// that agree with it.
type forgery struct {
	physical, length, repeats int64
	codec                     int64
	values                    int64 // in the footer
	pages                     []forgedPage
}

// forgedPage is a page of a forgery. Its size is that of the content, unless size is another.
type forgedPage struct {
	kind, values, encoding int64
	levels                 [2]int64 // the bytes of repetition and definition, in version 2
	size                   int64
	crc                    int64
	plain                  bool // not compressed, in version 2
	content                []byte
	header                 []byte // in place of the one of the fields above
}

func (p forgedPage) bytes() []byte {
	if p.header != nil {
		return append(slices.Clone(p.header), p.content...)
	}
	if p.size == 0 {
		p.size = int64(len(p.content))
	}
	var inner, w thriftWriter
	inner.integer(1, thriftI32, p.values)
	id := int16(5)
	switch p.kind {
	case dataPage:
		inner.integer(2, thriftI32, p.encoding)
		inner.integer(3, thriftI32, encodingRLE)
		inner.integer(4, thriftI32, encodingRLE)
	case dictionaryPage:
		inner.integer(2, thriftI32, p.encoding)
		id = 7
	case dataPageV2:
		inner.integer(2, thriftI32, 0)
		inner.integer(3, thriftI32, p.values)
		inner.integer(4, thriftI32, p.encoding)
		inner.integer(5, thriftI32, p.levels[1])
		inner.integer(6, thriftI32, p.levels[0])
		if p.plain {
			inner.field(7, thriftFalse)
		}
		id = 8
	}
	w.integer(1, thriftI32, p.kind)
	w.integer(2, thriftI32, p.size)
	w.integer(3, thriftI32, int64(len(p.content)))
	if p.crc != 0 {
		w.integer(4, thriftI32, p.crc)
	}
	w.raw(id, thriftStruct, inner.end())
	return append(w.end(), p.content...)
}

func (f forgery) bytes() []byte {
	b := []byte(magic)
	for _, p := range f.pages {
		b = append(b, p.bytes()...)
	}
	return append(b, f.footer(int64(len(b)-len(magic)))...)
}

// footer returns the end of a file whose pages have this size.
func (f forgery) footer(size int64) []byte {
	var root, leaf, metadata, chunk, group, w thriftWriter
	root.binary(4, "root")
	root.integer(5, thriftI32, 1)
	leaf.integer(1, thriftI32, f.physical)
	if f.length != 0 {
		leaf.integer(2, thriftI32, f.length)
	}
	leaf.integer(3, thriftI32, f.repeats)
	leaf.binary(4, "c")
	metadata.integer(1, thriftI32, f.physical)
	metadata.raw(2, thriftList, []byte{thriftI32})
	metadata.raw(3, thriftList, []byte{1<<4 | thriftBinary, 1, 'c'})
	metadata.integer(4, thriftI32, f.codec)
	metadata.integer(5, thriftI64, f.values)
	metadata.integer(6, thriftI64, size)
	metadata.integer(7, thriftI64, size)
	metadata.integer(9, thriftI64, int64(len(magic)))
	chunk.integer(2, thriftI64, int64(len(magic)))
	chunk.raw(3, thriftStruct, metadata.end())
	group.structs(1, [][]byte{chunk.end()})
	group.integer(2, thriftI64, size)
	group.integer(3, thriftI64, f.values)
	w.integer(1, thriftI32, 1)
	w.structs(2, [][]byte{root.end(), leaf.end()})
	w.integer(3, thriftI64, f.values)
	w.structs(4, [][]byte{group.end()})
	footer := w.end()
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return append(footer, magic...)
}

// uvarints returns numbers as they are in pages.
func uvarints(numbers ...uint64) (b []byte) {
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// sparse is a file that is all zeros but for its start and its end.
type sparse struct {
	start, end []byte
	size       int64
}

func (s *sparse) ReadAt(b []byte, offset int64) (int, error) {
	n := int(min(int64(len(b)), max(0, s.size-offset)))
	clear(b[:n])
	if offset < int64(len(s.start)) {
		copy(b[:n], s.start[offset:])
	}
	if end := s.size - int64(len(s.end)) - offset; end < 0 {
		copy(b[:n], s.end[-end:])
	} else if end < int64(n) {
		copy(b[end:n], s.end)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// forgeries are files whose pages claim more than they have.
func forgeries() map[string]forgery {
	const many = math.MaxInt32
	one := func(physical, repeats int64, p forgedPage) forgery {
		return forgery{physical: physical, repeats: repeats, values: max(1, p.values),
			pages: []forgedPage{p}}
	}
	// A value of 2²⁰ bytes, and 2¹² more with all of it as their prefix: more than 32 bits hold.
	const length, repeats = 1 << 20, 1 << 12
	prefixes := append([]int32{0}, slices.Repeat([]int32{length}, repeats)...)
	suffixes := append([]int32{length}, make([]int32, repeats)...)
	long := slices.Concat(lengths(prefixes), lengths(suffixes),
		bytes.Repeat([]byte("forged!\n"), length/8))
	levels := uvarints(many<<1, 1)
	v1 := append(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels...)
	// The number of values is in the header twice, and one of them is true.
	twice := func(typ byte) []byte {
		var inner, w thriftWriter
		inner.integer(1, thriftI32, many)
		inner.last = 99
		inner.integer(1, typ, 1)
		inner.integer(2, thriftI32, encodingPlain)
		inner.integer(3, thriftI32, encodingRLE)
		inner.integer(4, thriftI32, encodingRLE)
		w.integer(1, thriftI32, dataPage)
		w.integer(2, thriftI32, 4)
		w.integer(3, thriftI32, 4)
		w.raw(5, thriftStruct, inner.end())
		return w.end()
	}
	claim := func(codec int64) forgery { // what a block of so few bytes cannot stand for
		content := append(uvarints(maxPageBytes), make([]byte, 100)...)
		return forgery{physical: physicalBytes, codec: codec, values: 1,
			pages: []forgedPage{{values: 1, size: maxPageBytes, content: content}}}
	}
	// A byte more than data of Snappy can stand for, and a stream that goes on behind the page.
	const short, stretch = 100_000, 64 << 20
	packed := func(codec, size int64, content []byte) forgery {
		return forgery{physical: physicalBytes, codec: codec, values: 1,
			pages: []forgedPage{{values: 1, size: size, content: content}}}
	}
	var stream bytes.Buffer
	zip := gzip.NewWriter(&stream)
	_, _ = zip.Write(make([]byte, stretch)) // to memory
	_ = zip.Close()
	return map[string]forgery{
		"a little more than Snappy has": packed(codecSnappy, snappyRatio*short+1,
			append(uvarints(snappyRatio*short+1), make([]byte, short-4)...)),
		"a long stream of gzip": packed(codecGzip, 10, stream.Bytes()),
		"Snappy":                claim(codecSnappy),
		"LZ4":                   claim(codecLZ4Raw),
		"prefixes of 4 GiB in sum": one(physicalBytes, required, forgedPage{
			values: int64(len(prefixes)), encoding: encodingDeltaBytes, content: long}),
		"lengths of 4 GiB in sum": one(physicalBytes, required, forgedPage{values: 4,
			encoding: encodingDeltaLengths,
			content:  append(lengths([]int32{many, many, 2, 8}), make([]byte, 8)...)}),
		"differences": one(physicalInt64, required, forgedPage{values: 1,
			encoding: encodingDeltas, content: uvarints(128, 4, many, 0)}),
		"lengths": one(physicalBytes, required, forgedPage{values: 1,
			encoding: encodingDeltaLengths, content: uvarints(128, 4, many, 0)}),
		"prefixes": one(physicalBytes, required, forgedPage{values: 1,
			encoding: encodingDeltaBytes, content: uvarints(128, 4, many, 0)}),
		"a run of levels": one(physicalInt64, optional, forgedPage{values: 1,
			content: append(v1, make([]byte, 8)...)}),
		"a run of levels in version 2": one(physicalInt64, optional,
			forgedPage{kind: dataPageV2, values: 1, levels: [2]int64{0, int64(len(levels))},
				content: append(slices.Clone(levels), make([]byte, 8)...)}),
		"a number that comes twice": one(physicalBytes, required,
			forgedPage{header: twice(thriftI32), content: make([]byte, 4)}),
		"a number of another type": one(physicalBytes, required,
			forgedPage{header: twice(thriftI64), content: make([]byte, 4)}),
	}
}

// lengths returns numbers in the encoding DELTA_BINARY_PACKED, with differences of 32 bits.
func lengths(numbers []int32) []byte {
	const block = 128
	b := uvarints(block, 1, uint64(len(numbers)), uint64(numbers[0])<<1)
	for i := 1; i < len(numbers); i += block {
		b = append(b, 0, 32)
		for j := i; j < i+block; j++ {
			difference := int32(0)
			if j < len(numbers) {
				difference = numbers[j] - numbers[j-1]
			}
			b = binary.LittleEndian.AppendUint32(b, uint32(difference))
		}
	}
	return b
}

// A page that claims more than it has is an error, and takes no memory by what it claims.
func TestForgeries(t *testing.T) {
	for name, f := range forgeries() {
		t.Run(name, func(t *testing.T) {
			b := f.bytes()
			file := opened(t, b)
			for _, use := range []func(c *Column) error{
				func(c *Column) error { return c.Keys(0, func([]byte) {}) },
				func(c *Column) error { _, err := c.NewFilter(0, 10); return err },
			} {
				var err error
				taken := allocated(func() { err = use(file.columns[0]) })
				if !errors.Is(err, ErrDamaged) {
					t.Errorf("%v, want %v", err, ErrDamaged)
				}
				if taken > 1<<20+8*len(b) {
					t.Errorf("%d bytes for a file of %d", taken, len(b))
				}
			}
		})
	}
}

// A page header that does not end takes a bounded part of the file.
func TestLongPageHeader(t *testing.T) {
	const size = 40 << 30
	f := forgery{physical: physicalInt64, values: 1}
	// A string that has all of the file's bytes.
	start := append([]byte(magic), 5<<4|thriftStruct, 5<<4|thriftStruct, 1<<4|thriftBinary)
	start = append(start, uvarints(size-1000)...)
	end := f.footer(size)
	s := &sparse{start, end, size + int64(len(magic)+len(end))}
	file, err := Open(s, s.size)
	check(t, err)
	taken := allocated(func() { err = file.columns[0].Keys(0, func([]byte) {}) })
	if !errors.Is(err, ErrDamaged) ||
		!strings.Contains(fmt.Sprint(err), "its header") || taken > 2*maxPageHeader {
		t.Errorf("%v, after %d bytes", err, taken)
	}
}

// The memory for a filter is bounded by the different values, however many a page stands for. A run
// of values is one call.
func TestEqualValues(t *testing.T) {
	const runs, times = 4, maxPageValues
	dictionary := forgedPage{kind: dictionaryPage, values: 1, content: []byte{1, 0, 0, 0, 'a'}}
	f := forgery{physical: physicalBytes, values: runs * times, pages: []forgedPage{dictionary}}
	for range runs {
		f.pages = append(f.pages, forgedPage{values: times, encoding: encodingDictionary,
			content: append([]byte{0}, uvarints(times<<1)...)})
	}
	f.pages = append(f.pages, forgedPage{values: 1 << 20, encoding: encodingDictionary,
		content: append([]byte{0}, uvarints(1<<18|1)...)})
	f.values += 1 << 20
	b := f.bytes()
	calls, keys := 0, int64(0)
	check(t, opened(t, b).columns[0].KeyRuns(0, func(_ []byte, times int64) {
		calls++
		keys += times
	}))
	if calls != runs+1 || keys != f.values {
		t.Errorf("%d runs of %d keys, want %d of %d", calls, keys, runs+1, f.values)
	}
	var table kernel.SplitBlockTable
	var err error
	taken := allocated(func() { table, err = opened(t, b).columns[0].NewFilter(0, 10) })
	if check(t, err); len(table) != 1 || taken > 4<<20 {
		t.Errorf("%d blocks, and %d bytes for a file of %d", len(table), taken, len(b))
	}
}

// Packed numbers without bits are one run, however many they are.
func TestNumbersWithoutBits(t *testing.T) {
	runs := ""
	check(t, eachRun(uvarints(1<<40|1, 1<<40|1), 0, 1<<43-5,
		func(number uint32, times int64) error {
			if runs += fmt.Sprint(number, " ", times, "\n"); len(runs) > 1000 {
				return errors.New(runs)
			}
			return nil
		}))
	if want := fmt.Sprintf("0 %d\n0 %d\n", int64(1<<42), int64(1<<42-5)); runs != want {
		t.Errorf("runs %s, want %s", runs, want)
	}
}

// A value that is damaged ends in one error, and not in one for each value.
func TestDamagedValues(t *testing.T) {
	const values = 1000
	f := opened(t, forgery{physical: physicalBytes, values: values, pages: []forgedPage{{
		values:  values,
		content: bytes.Repeat(append([]byte{1, 2, 0, 0}, make([]byte, 513)...), values)}},
	}.bytes())
	c := f.columns[0]
	c.valueType = decimalValues
	c.leaf.parent = &element{parent: c.leaf.parent, name: strings.Repeat("x", 1<<20)}
	taken := allocated(func() {
		if err := c.Keys(0, func([]byte) {}); !errors.Is(err, ErrDamaged) {
			t.Error(err)
		}
	})
	if taken > 16<<20 {
		t.Errorf("%d bytes", taken)
	}
}

// A page is no larger than a limit: in the file, which may have more bytes than it takes on disk,
// and when it is decompressed.
func TestLargePage(t *testing.T) {
	for _, test := range []struct{ compressed, size int64 }{
		{maxPage + 1, 4}, {1 << 20, maxPage + 1},
	} {
		var w thriftWriter
		w.integer(1, thriftI32, dataPage)
		w.integer(2, thriftI32, test.size)
		w.integer(3, thriftI32, test.compressed)
		w.raw(5, thriftStruct, []byte{1<<4 | thriftI32, 2, 1<<4 | thriftI32, 0, 0})
		f := forgery{physical: physicalInt32, codec: codecGzip, values: 1}
		end := f.footer(2 * maxPage)
		s := &sparse{append([]byte(magic), w.end()...), end, 2*maxPage + int64(4+len(end))}
		file, err := Open(s, s.size)
		check(t, err)
		taken := allocated(func() { err = file.columns[0].Keys(0, func([]byte) {}) })
		if !errors.Is(err, ErrDamaged) || taken > 1<<19 {
			t.Errorf("%+v: %d bytes: %v", test, taken, err)
		}
	}
}

// The window of a stream of Zstandard may be larger than its page, and its memory serves all pages.
func TestWindows(t *testing.T) {
	const values = 20
	encoder, err := zstd.NewWriter(nil, zstd.WithWindowSize(maxPageBytes))
	check(t, err)
	var packed bytes.Buffer
	encoder.Reset(&packed)
	_, err = encoder.Write([]byte{7, 0, 0, 0})
	check(t, err)
	check(t, encoder.Flush()) // without the size of the content
	check(t, encoder.Close())
	f := forgery{physical: physicalInt32, codec: codecZstd, values: values}
	for range values {
		f.pages = append(f.pages, forgedPage{values: 1, size: 4, content: packed.Bytes()})
	}
	c := opened(t, f.bytes()).columns[0]
	keys := ""
	taken := allocated(func() { check(t, c.Keys(0, func(key []byte) { keys += string(key) })) })
	if keys != strings.Repeat("7", values) || taken > 3*maxPageBytes {
		t.Errorf("%s, %d bytes", keys, taken)
	}
}

// A size of the pages without the header of the dictionary's page, as parquet-mr before 1.2.9 wrote
// it, is read, also where the last page is shorter than that header.
func TestSizeWithoutDictionaryHeader(t *testing.T) {
	for _, more := range []int64{0, 1 << 20} {
		dictionary := forgedPage{kind: dictionaryPage, values: 2 + more,
			encoding: encodingPlainDictionary,
			content:  append([]byte{1, 0, 0, 0, 'a', 1, 0, 0, 0, 'b'}, make([]byte, 4*more)...)}
		page := forgedPage{values: 1, encoding: encodingPlainDictionary, content: []byte{1, 2, 1}}
		f := forgery{physical: physicalBytes, values: 2}
		pages := slices.Concat(dictionary.bytes(), page.bytes(), page.bytes())
		header := int64(len(dictionary.bytes()) - len(dictionary.content))
		for missing, damage := range map[int64]bool{0: false, header: false, header + 1: true} {
			b := slices.Concat([]byte(magic), pages, f.footer(int64(len(pages))-missing))
			keys := ""
			err := opened(t, b).columns[0].Keys(0, func(key []byte) { keys += string(key) })
			if errors.Is(err, ErrDamaged) != damage || err == nil && keys != "bb" {
				t.Errorf("without %d bytes of %d: %s (%v)", missing, header, keys, err)
			}
		}
	}
}

// FuzzPages reads any content of a page whose header and footer agree with it. The content is
// compressed, or is what the codec has to decompress. There is no panic, errors are typed, the
// memory is bounded by what a page may stand for, and a filter has all values.
func FuzzPages(f *testing.F) {
	for _, g := range forgeries() {
		if p := g.pages[0]; p.header == nil && len(p.content) < 1<<12 {
			f.Add(uint8(g.physical), uint8(g.repeats), uint8(g.codec), uint8(p.encoding),
				p.kind == dataPageV2, false, uint8(p.levels[1]), uint32(p.values), uint32(0),
				p.content)
		}
	}
	some := slices.Concat(lengths([]int32{1, 2, 0}), lengths([]int32{2, 1, 3}), []byte("abcdefgh"))
	for codec, compression := range compressions {
		for encoding := range uint8(encodingByteStreams + 1) {
			for _, physical := range []uint8{physicalInt32, physicalBytes, physicalFixed} {
				f.Add(physical, uint8(required), uint8(codec), encoding, true, false, uint8(0),
					uint32(3), uint32(0), some)
			}
		}
		if compression != nil {
			packed, err := compression.Encode(nil, some)
			check(f, err)
			f.Add(uint8(physicalInt32), uint8(required), uint8(codec), uint8(0), false, true,
				uint8(0), uint32(3), uint32(len(some)), packed)
		}
	}
	f.Add(uint8(physicalBytes), uint8(optional), uint8(0), uint8(encodingDictionary), true, false,
		uint8(2), uint32(3), uint32(0), []byte{6, 1, 1, 3, 0b010})
	f.Fuzz(func(
		t *testing.T,
		physical, repeats, codec, encoding uint8,
		v2, raw bool,
		definition uint8,
		values, size uint32,
		content []byte,
	) {
		g := forgery{physical: int64(physical % 8), length: 3, repeats: int64(repeats % 3),
			codec: int64(codec % 8), values: int64(values % (1 << 20))}
		p := forgedPage{values: g.values, encoding: int64(encoding), content: content}
		if encoding == encodingDictionary || encoding == encodingPlainDictionary {
			g.codec = codecNone
			g.pages = []forgedPage{{kind: dictionaryPage, values: 2,
				content: []byte{1, 0, 0, 0, 'a', 3, 0, 0, 0, 'b', 'c', 'd', 0, 0, 0, 0}}}
		}
		var levels []byte
		if v2 {
			p.kind, levels = dataPageV2, content[:min(int(definition), len(content))]
			p.levels[1] = int64(len(levels))
		}
		if compression := compressions[g.codec]; compression != nil && g.codec != codecNone {
			p.size = int64(len(content))
			if packed, err := compression.Encode(nil, content[len(levels):]); raw {
				p.size = int64(size)
			} else if check(t, err); len(content) > 0 {
				p.content = append(slices.Clone(levels), packed...)
			}
		}
		g.pages = append(g.pages, p)
		file := opened(t, g.bytes())
		c := file.columns[0]
		count := int64(0)
		var err error
		taken := allocated(func() {
			err = c.values(0, func(_ []byte, times int64) { count += times })
		})
		if taken > 3*maxPageBytes {
			t.Fatalf("%d bytes for a page of %d", taken, len(p.content))
		}
		if count > g.values {
			t.Fatalf("%d values, expected at most %d", count, g.values)
		}
		table, repeated := c.NewFilter(0, 10)
		if err != nil && (!typed(err) || repeated == nil) {
			t.Fatalf("%v, and of a filter %v", err, repeated)
		}
		if err != nil || repeated != nil || c.valueType == other {
			return
		}
		check(t, c.Keys(0, func(key []byte) {
			if v, err := c.Value(string(key)); err != nil || !v.In(table) {
				t.Fatalf("%q is not in the filter of its column (%v)", key, err)
			}
		}))
	})
}
