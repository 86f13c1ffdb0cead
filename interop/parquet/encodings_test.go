package parquet

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	pages "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"
)

// Values that parquet-go writes in any encoding, codec and version are read, with nulls and in
// lists, over several pages.
func TestEncodings(t *testing.T) {
	codecs := slices.DeleteFunc(slices.Clone(compressions), func(c compress.Codec) bool {
		return c == nil
	})
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(i int) []byte {
		b := bytes.Repeat([]byte("prefix of some values "), rng.IntN(4))
		return fmt.Append(b, rng.IntN(1+i*i))
	}
	number := func(int) uint64 { // of any size, so that differences have any width
		return uint64(rng.Int64()) >> rng.IntN(64) * uint64(1-2*rng.Int64N(2))
	}
	for _, test := range []struct {
		node      pages.Node
		encodings []encoding.Encoding
		value     func(i int) pages.Value
	}{
		{pages.Int(32), []encoding.Encoding{&pages.Plain, &pages.RLEDictionary,
			&pages.DeltaBinaryPacked, &pages.ByteStreamSplit},
			func(i int) pages.Value { return pages.Int32Value(int32(number(i))) }},
		{pages.Int(64), []encoding.Encoding{&pages.Plain, &pages.RLEDictionary,
			&pages.DeltaBinaryPacked, &pages.ByteStreamSplit},
			func(i int) pages.Value { return pages.Int64Value(int64(number(i))) }},
		{pages.Leaf(pages.FloatType), []encoding.Encoding{&pages.Plain, &pages.RLEDictionary,
			&pages.ByteStreamSplit},
			func(int) pages.Value { return pages.FloatValue(rng.Float32()) }},
		{pages.Leaf(pages.DoubleType), []encoding.Encoding{&pages.Plain, &pages.RLEDictionary,
			&pages.ByteStreamSplit},
			func(int) pages.Value { return pages.DoubleValue(rng.NormFloat64()) }},
		{pages.String(), []encoding.Encoding{&pages.Plain, &pages.RLEDictionary,
			&pages.DeltaLengthByteArray, &pages.DeltaByteArray},
			func(i int) pages.Value { return pages.ByteArrayValue(text(i)) }},
		{pages.Leaf(pages.FixedLenByteArrayType(5)), []encoding.Encoding{&pages.Plain,
			&pages.RLEDictionary, &pages.DeltaByteArray, &pages.ByteStreamSplit},
			func(i int) pages.Value {
				return pages.FixedLenByteArrayValue(fmt.Appendf(nil, "%05d", i*i%99_999))
			}},
	} {
		for i, e := range test.encodings {
			for repeats, node := range []pages.Node{pages.Required(test.node),
				pages.Optional(test.node), pages.Repeated(test.node)} {
				codec, version := codecs[rng.IntN(len(codecs))], 1+rng.IntN(2)
				name := fmt.Sprint(test.node.Type(), " ", e, " ", codec, " ", repeats, version, i)
				t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
					var b bytes.Buffer
					schema := pages.NewSchema("root", pages.Group{"c": pages.Encoded(node, e)})
					w := pages.NewGenericWriter[any](&b, schema, pages.Compression(codec),
						pages.DataPageVersion(version), pages.PageBufferSize(3000))
					var want []string
					for i := range 3000 {
						row, values := pages.Row{}, 1
						switch {
						case repeats == repeated:
							values = rng.IntN(4)
						case repeats == optional && i%100 < rng.IntN(60):
							values = 0
						}
						if values == 0 {
							row = append(row, pages.NullValue().Level(0, 0, 0))
						}
						for j := range values {
							v := test.value(i)
							want = append(want, string(v.Bytes()))
							row = append(row, v.Level(min(j, 1), min(repeats, 1), 0))
						}
						_, err := w.WriteRows([]pages.Row{row})
						check(t, err)
					}
					check(t, w.Close())
					f := opened(t, b.Bytes())
					var got []string
					check(t, f.columns[0].values(0, func(value []byte, times int64) {
						for range times {
							got = append(got, string(value))
						}
					}))
					if !slices.Equal(got, want) {
						t.Errorf("%d values, want %d", len(got), len(want))
					}
				})
			}
		}
	}
}

// Numbers of each width are read from runs and from groups, of which the last may be cut.
func TestRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for width := range int64(33) {
		var b []byte
		var want []uint32
		number := func() uint32 { return uint32(rng.Uint64() & (1<<width - 1)) }
		for range 20 {
			if rng.IntN(2) == 0 {
				times, v := 1+rng.IntN(100), number()
				b = append(b, uvarints(uint64(times)<<1)...)
				for i := int64(0); i < (width+7)/8; i++ {
					b = append(b, byte(v>>(8*i)))
				}
				want = append(want, slices.Repeat([]uint32{v}, times)...)
			}
			groups := 2 + rng.IntN(10)
			b = append(b, uvarints(uint64(groups)<<1|1)...)
			numbers := make([]uint32, 8*groups)
			packedBytes := make([]byte, int64(groups)*width)
			for i := range numbers {
				numbers[i] = number()
				for bit := range width {
					at := int64(i)*width + bit
					packedBytes[at/8] |= byte(numbers[i]>>bit&1) << (at % 8)
				}
			}
			b, want = append(b, packedBytes...), append(want, numbers...)
		}
		read := func(b []byte, n int) (got []uint32, err error) {
			err = eachRun(b, width, int64(n), func(number uint32, times int64) error {
				got = append(got, slices.Repeat([]uint32{number}, int(times))...)
				return nil
			})
			return got, err
		}
		if got, err := read(b, len(want)); err != nil || !slices.Equal(got, want) {
			t.Errorf("width %d: %v, %d numbers, want %d", width, err, len(got), len(want))
		}
		most := len(want) - 7 // of the last group one is used
		cut := b[:len(b)-int(7*width/8)]
		if got, err := read(cut, most); err != nil || !slices.Equal(got, want[:most]) {
			t.Errorf("width %d, cut: %v", width, err)
		}
		if got, err := read(b, most-10); err != nil || !slices.Equal(got, want[:most-10]) {
			t.Errorf("width %d, with a group that is not used: %v", width, err)
		}
		if _, err := read(b, len(want)+1); err == nil {
			t.Errorf("width %d: a number too many is read", width)
		}
	}
}

// What is wrong inside a page is an error that says what was found.
func TestWrongContents(t *testing.T) {
	deltas := func(size, parts, count uint64, rest ...byte) []byte {
		return append(uvarints(size, parts, count, 0), rest...)
	}
	plain := []byte{1, 0, 0, 0, 'a'}
	dictionary := forgedPage{kind: dictionaryPage, values: 1, content: plain}
	indexes := func(content ...byte) []forgedPage {
		return []forgedPage{dictionary, {values: 2, encoding: encodingDictionary, content: content}}
	}
	put := func(encoding int64, content ...[]byte) []forgedPage {
		return []forgedPage{{values: 2, encoding: encoding, content: slices.Concat(content...)}}
	}
	leveled := func(levels ...byte) []forgedPage {
		return []forgedPage{{kind: dataPageV2, values: 2, content: append(levels, plain...),
			levels: [2]int64{0, int64(len(levels))}}}
	}
	for says, f := range map[string]forgery{
		"found blocks of 0 differences": {physical: physicalInt32, pages: put(5, deltas(0, 1, 2))},
		"blocks of 128 differences in 0 parts": {physical: physicalInt32,
			pages: put(5, deltas(128, 0, 2))},
		"blocks of 128 differences in 3 parts": {physical: physicalInt32,
			pages: put(5, deltas(128, 3, 2))},
		"blocks of 128 differences in 8 parts": {physical: physicalInt32,
			pages: put(5, deltas(128, 8, 2))},
		"blocks of 8192 differences": {physical: physicalInt32,
			pages: put(5, deltas(1<<13, 1, 2))},
		"found 3 differences, expected 2": {physical: physicalInt32,
			pages: put(5, deltas(128, 4, 3))},
		"a number without an end": {physical: physicalInt32, pages: put(5, deltas(128, 4, 2))},
		"a length of 4 bytes, expected 0 to the": {physical: physicalInt32,
			pages: put(5, deltas(128, 4, 2, 0))},
		"differences of 65 bits": {physical: physicalInt32,
			pages: put(5, deltas(128, 1, 2, 0, 65))},
		"a length of 1024 bytes": {physical: physicalInt64,
			pages: put(5, deltas(128, 1, 2, 0, 64))},
		"a length of 9 bytes": {physical: physicalBytes,
			pages: put(6, lengths([]int32{0, 9}), make([]byte, 8))},
		"a length of -1 bytes": {physical: physicalBytes, pages: put(6, lengths([]int32{0, -1}))},
		"a length of 2 bytes, expected 0 to the 1": {physical: physicalBytes,
			pages: put(7, lengths([]int32{0, 2}), lengths([]int32{1, 1}), make([]byte, 2))},
		"a length of -2 bytes": {physical: physicalBytes,
			pages: put(7, lengths([]int32{0, -2}), lengths([]int32{1, 1}), make([]byte, 2))},
		"a length of -3 bytes": {physical: physicalBytes,
			pages: put(7, lengths([]int32{0, 0}), lengths([]int32{1, -3}), make([]byte, 2))},
		"a value of 3 bytes, expected 2": {physical: physicalFixed, length: 2,
			pages: put(7, lengths([]int32{0, 2}), lengths([]int32{2, 1}), make([]byte, 3))},
		"7 bytes of 2 values": {physical: physicalInt32, pages: put(9, make([]byte, 7))},
		"a length of 5 bytes": {physical: physicalBytes,
			pages: put(0, []byte{5, 0, 0, 0})},
		"a length of 1 bytes":           {physical: physicalBytes, pages: indexes()},
		"indexes of 33 bits":            {physical: physicalBytes, pages: indexes(33)},
		"the end before 2 numbers":      {physical: physicalBytes, pages: indexes(1)},
		"a run of 0":                    {physical: physicalBytes, pages: indexes(1, 0, 0)},
		"a run of 3":                    {physical: physicalBytes, pages: indexes(1, 6, 0)},
		"a run at the end":              {physical: physicalBytes, pages: indexes(1, 4)},
		"0 groups of packed":            {physical: physicalBytes, pages: indexes(1, 1)},
		"0 bytes of packed":             {physical: physicalBytes, pages: indexes(1, 3)},
		"index 1, expected one below 1": {physical: physicalBytes, pages: indexes(1, 4, 1)},
		"found a second dictionary": {physical: physicalBytes,
			pages: append(indexes(1, 4, 0), dictionary)},
		"found indexes, expected a dictionary": {physical: physicalBytes,
			pages: indexes(1, 4, 0)[1:]},
		"levels: parquet: damaged: found level 2": {physical: physicalBytes,
			repeats: optional, pages: leveled(4, 2)},
		"levels: parquet: damaged: found level 3": {physical: physicalBytes,
			repeats: optional, pages: leveled(4, 3)},
		"levels: parquet: damaged: found a run of 4": {physical: physicalBytes,
			repeats: optional, pages: leveled(8, 1)},
		"levels: parquet: damaged: found a length of 9": {physical: physicalBytes,
			repeats: optional, pages: put(0, []byte{9, 0, 0, 0, 4, 1})},
		"3 values with nulls, expected 2": {physical: physicalBytes,
			pages: []forgedPage{{values: 3, content: slices.Concat(plain, plain, plain)}}},
		"1 values with nulls, expected 2": {physical: physicalBytes,
			pages: []forgedPage{{values: 1, content: plain}}},
	} {
		f.values = 2
		c := opened(t, f.bytes()).columns[0]
		keys := 0
		for _, err := range []error{c.Keys(0, func([]byte) { keys++ }),
			second(c.NewFilter(0, 1))} {
			if !typed(err) || !strings.Contains(fmt.Sprint(err), says) {
				t.Errorf("%v, want %s", err, says)
			}
		}
		if keys > 2 {
			t.Errorf("%s: %d keys of 2", says, keys)
		}
	}
	for encoding, physical := range map[int64]int64{1: physicalInt32, 3: physicalInt32,
		4: physicalInt32, 10: physicalInt32, 5: physicalBytes, 6: physicalFixed, 7: physicalDouble,
		9: physicalBytes, math.MaxInt32: physicalFloat} {
		f := forgery{physical: physical, length: 1, values: 2,
			pages: put(encoding, make([]byte, 100))}
		err := opened(t, f.bytes()).columns[0].Keys(0, func([]byte) {})
		if !strings.Contains(fmt.Sprint(err), fmt.Sprintf("in encoding %d of", encoding)) {
			t.Errorf("encoding %d: %v", encoding, err)
		}
	}
}

// A run of equal values is as many keys: filters that count take each of them.
func TestRunsAreKeys(t *testing.T) {
	f := forgery{physical: physicalBytes, values: 6, pages: []forgedPage{
		{kind: dictionaryPage, values: 2, content: []byte{1, 0, 0, 0, 'a', 1, 0, 0, 0, 'b'}},
		{values: 6, encoding: encodingDictionary, content: []byte{1, 5 << 1, 0, 1 << 1, 1}}}}
	var keys []byte
	check(t, opened(t, f.bytes()).columns[0].Keys(0, func(key []byte) {
		keys = append(keys, key...)
	}))
	if string(keys) != "aaaaab" {
		t.Errorf("%s, want aaaaab", keys)
	}
}

// A page of version 2 may be not compressed where others of its column are.
func TestPlainPage(t *testing.T) {
	for _, plain := range []bool{true, false} {
		f := forgery{physical: physicalBytes, codec: codecSnappy, values: 1, pages: []forgedPage{
			{kind: dataPageV2, values: 1, plain: plain, content: []byte{1, 0, 0, 0, 'a'}}}}
		var keys []byte
		err := opened(t, f.bytes()).columns[0].Keys(0, func(key []byte) {
			keys = append(keys, key...)
		})
		if plain != (err == nil && string(keys) == "a") {
			t.Errorf("plain is %v: %q, %v", plain, keys, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
