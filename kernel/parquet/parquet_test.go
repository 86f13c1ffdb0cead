package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/kernel"
)

// lengths are lengths of columns: all short ones, and lengths of several groups, the last of which
// is a part of one or whole.
func lengths() []int {
	all := []int{groupValues - 1, groupValues, groupValues + 1, 3*groupValues + 77, 4 * groupValues}
	for n := range 131 {
		all = append(all, n)
	}
	return all
}

// plain returns the plain encoding of a value.
func plain(value any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, value)
	if err != nil {
		panic(err)
	}
	return b
}

// column has the operations on a column of one type.
type column struct {
	encoded [][]byte // the plain encoding of each value
	insert  func(t kernel.SplitBlockTable)
	query   func(t kernel.SplitBlockTable, present []uint64) int
}

// columns returns a column of n values of every type.
func columns(rng *rand.Rand, n int) map[string]column {
	all := map[string]column{
		"int32":   fixed(n, func() int32 { return int32(rng.Uint32()) }),
		"uint32":  fixed(n, rng.Uint32),
		"float32": fixed(n, func() float32 { return math.Float32frombits(rng.Uint32()) }),
		"int64":   fixed(n, func() int64 { return int64(rng.Uint64()) }),
		"uint64":  fixed(n, rng.Uint64),
		"float64": fixed(n, func() float64 { return math.Float64frombits(rng.Uint64()) }),
	}
	values, texts, data, wide, narrow := make([][]byte, n), make([]string, n), []byte("head"),
		[]int64{4}, []int32{4}
	for i := range values {
		values[i] = make([]byte, rng.IntN(45))
		for j := range values[i] {
			values[i][j] = byte(rng.Uint32())
		}
		texts[i] = string(values[i])
		data = append(data, values[i]...)
		wide, narrow = append(wide, int64(len(data))), append(narrow, int32(len(data)))
	}
	all["[][]byte"] = column{values, func(t kernel.SplitBlockTable) { InsertBytes(t, values) },
		func(t kernel.SplitBlockTable, present []uint64) int {
			return QueryBytes(t, values, present)
		}}
	all["[]string"] = column{values, func(t kernel.SplitBlockTable) { InsertBytes(t, texts) },
		func(t kernel.SplitBlockTable, present []uint64) int {
			return QueryBytes(t, texts, present)
		}}
	all["32-bit offsets"] = column{values,
		func(t kernel.SplitBlockTable) { InsertOffsets(t, data, narrow) },
		func(t kernel.SplitBlockTable, present []uint64) int {
			return QueryOffsets(t, data,
				narrow, present)
		}}
	all["64-bit offsets"] = column{values,
		func(t kernel.SplitBlockTable) { InsertOffsets(t, data, wide) },
		func(t kernel.SplitBlockTable, present []uint64) int {
			return QueryOffsets(t, data,
				wide, present)
		}}
	return all
}

func fixed[V Fixed](n int, random func() V) column {
	values := make([]V, n)
	c := column{
		insert: func(t kernel.SplitBlockTable) { Insert(t, values) },
		query: func(t kernel.SplitBlockTable, present []uint64) int {
			return Query(t, values, present)
		},
	}
	for i := range values {
		values[i] = random()
		c.encoded = append(c.encoded, plain(values[i]))
	}
	return c
}

// A column of any type has the results of its values one after another. The hash of a value is that
// of its plain encoding.
func TestColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 60))
	for _, n := range lengths() {
		for name, c := range columns(rng, n) {
			checkColumn(t, fmt.Sprintf("%d of %s", n, name), c, n/16+3, rng)
		}
	}
}

func checkColumn(t *testing.T, what string, c column, nblocks int, rng *rand.Rand) {
	t.Helper()
	const untouched = 0xA5A5A5A5A5A5A5A5
	n := len(c.encoded)
	got, want := kernel.NewSplitBlockTable(nblocks), kernel.NewSplitBlockTable(nblocks)
	for i := range c.encoded { // half of them are members
		if rng.IntN(2) == 0 {
			want.Insert(fallback.XXHash(c.encoded[i]))
		}
	}
	copy(got, want)
	expected, count := slices.Repeat([]uint64{untouched}, (n+63)/64+2), 0
	clear(expected[:(n+63)/64])
	for i, value := range c.encoded {
		if want.Query(fallback.XXHash(value)) {
			expected[i/64] |= 1 << (i % 64)
			count++
		}
	}
	present := slices.Repeat([]uint64{untouched}, len(expected))
	if answer := c.query(got, present); answer != count || !slices.Equal(present, expected) {
		t.Fatalf("%s: %d are present, want %d; same answers %v", what, answer, count,
			slices.Equal(present, expected))
	}
	if answer := c.query(got, nil); answer != count {
		t.Fatalf("%s, present nil: %d are present, want %d", what, answer, count)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s: a query wrote to the table", what)
	}
	c.insert(got)
	for _, value := range c.encoded {
		want.Insert(fallback.XXHash(value))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s: the insert is not that of each value", what)
	}
}

func TestHash(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 61))
	for range 1000 {
		i, f := int32(rng.Uint32()), math.Float32frombits(rng.Uint32())
		l, d := int64(rng.Uint64()), math.Float64frombits(rng.Uint64())
		for _, test := range []struct {
			value any
			got   uint64
		}{{i, Hash(i)}, {f, Hash(f)}, {l, Hash(l)}, {d, Hash(d)}} {
			if want := fallback.XXHash(plain(test.value)); test.got != want {
				t.Fatalf("%T %v: %#x, want %#x", test.value, test.value, test.got, want)
			}
		}
	}
	if HashBytes("text") != HashBytes([]byte("text")) || HashBytes("") != fallback.XXHash(nil) {
		t.Error("a string hashes other than its bytes")
	}
}

// Lengths that do not fit panic with the numbers, before anything is written.
func TestPanics(t *testing.T) {
	table, values, present := kernel.NewSplitBlockTable(3), make([]int64, 3*groupValues),
		make([]uint64, 47)
	texts, offsets := make([]string, len(values)), make([]int32, len(values)+1)
	broken := slices.Clone(offsets)
	broken[2*groupValues] = -1
	falling := append(slices.Repeat([]int32{1}, 2*groupValues), 0)
	for message, call := range map[string]func(){
		"present has 47 words, 3072 values need 48": func() { Query(table, values, present) },
		"present has 46 words, 3072 values need 48": func() {
			QueryBytes(table, texts, present[1:])
		},
		"present has 45 words, 3072 values need 48": func() {
			QueryOffsets(table, nil,
				offsets, present[2:])
		},
		"table of 0 blocks cannot take 3072 values": func() { Query(nil, values, present) },
		"a table of 0 blocks cannot take 1024 keys": func() { Insert(nil, values) },
		"offset 2048 is -1, want one in 0..0":       func() { InsertOffsets(table, nil, broken) },
		"offset 2048 is 0, want one in 1..5": func() {
			InsertOffsets(table,
				make([]byte, 5), falling)
		},
		"offset 1 is 6, want one in 0..5": func() {
			QueryOffsets(table, make([]byte, 5),
				[]int64{0, 6}, nil)
		},
		"hashes has 3071 elements, 3072 values need": func() {
			HashBatch(values, make([]uint64, 3071))
		},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, message) {
					t.Errorf("panic %q, want one with %q", got, message)
				}
			}()
			call()
		}()
	}
	if slices.Max(present) != 0 || table.Count() != 0 {
		t.Error("something was written before a panic")
	}
	Insert(nil, values[:0])
	if Query(nil, values[:0], nil)+QueryOffsets(nil, nil, []int32(nil), nil)+QueryOffsets(nil, nil,
		[]int32{0}, nil) != 0 {
		t.Error("an empty column has members")
	}
}

func TestAllocations(t *testing.T) {
	table, present := kernel.NewSplitBlockTable(100), make([]uint64, 48)
	for name, c := range columns(rand.New(rand.NewPCG(1, 62)), 3*groupValues) {
		if n := testing.AllocsPerRun(3, func() {
			c.insert(table)
			c.query(table, present)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// FuzzColumns cuts data into values of all types, and compares columns of them with one value after
// another.
func FuzzColumns(f *testing.F) {
	f.Add(uint16(1), []byte("call me"))
	f.Add(uint16(40), []byte(strings.Repeat("some years ago, never mind how long", 300)))
	f.Fuzz(func(t *testing.T, seed uint16, data []byte) {
		rng := rand.New(rand.NewPCG(uint64(seed), 63))
		var narrow []int32
		var wide []float64
		for b := data; len(b) >= 8; b = b[8:] {
			narrow = append(narrow, int32(binary.LittleEndian.Uint32(b)))
			wide = append(wide, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
		next := 0
		checkColumn(t, "int32", fixed(len(narrow), func() int32 { next++; return narrow[next-1] }),
			1+int(seed)%50, rng)
		next = 0
		checkColumn(t, "float64", fixed(len(wide), func() float64 { next++; return wide[next-1] }),
			1+int(seed)%50, rng)
		var values [][]byte
		offsets := []int32{0}
		for end := 0; end < len(data); {
			n := min(rng.IntN(70), len(data)-end)
			values = append(values, data[end:end+n])
			end += n
			offsets = append(offsets, int32(end))
		}
		checkColumn(t, "byte arrays",
			column{values, func(t kernel.SplitBlockTable) { InsertBytes(t, values) },
				func(t kernel.SplitBlockTable, present []uint64) int {
					return QueryBytes(t, values,
						present)
				}}, 7, rng)
		checkColumn(t, "offsets",
			column{values, func(t kernel.SplitBlockTable) { InsertOffsets(t, data, offsets) },
				func(t kernel.SplitBlockTable, present []uint64) int {
					return QueryOffsets(t, data,
						offsets, present)
				}}, 7, rng)
	})
}
