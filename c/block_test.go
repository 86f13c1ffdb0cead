package c

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/kernel/vectors"
)

// target is the header as an implementation that package vectors tests.
type target struct{ d *driver }

func (t target) Name() string { return "bloomlane.h" }
func (t target) Group() int   { return 1 }

func (t target) New(blockBits, nblocks int) (vectors.Machine, error) {
	t.d.call("table %x %x", blockBits, nblocks)
	return table(t), nil
}

// table is the table of the driver.
type table target

var results = map[vectors.Op][]vectors.Result{
	vectors.Query:  {vectors.Absent, vectors.Present},
	vectors.Match:  {vectors.Absent, vectors.Present},
	vectors.Insert: {vectors.Absent, vectors.Present},
	vectors.Delete: {vectors.Absent, vectors.Retained, vectors.Deleted},
}

func (t table) Apply(records []vectors.Record, out []vectors.Result) error {
	for i, r := range records {
		command := string(r.Op)
		switch r.Op {
		case vectors.Merge:
			t.d.call("merge %x %s", r.Block, strings.Trim(fmt.Sprintf("%x", r.Mask), "[]"))
			out[i] = vectors.Merged
			continue
		case vectors.Match: // a query of the block
			command = "query"
		}
		out[i] = results[r.Op][t.d.number("%s %x", command, r.H)]
	}
	return nil
}

func (t table) Block(i int) (b vectors.Block, err error) {
	if n := copy(b[:], t.d.numbers(t.d.call("block %x", i))); n != len(b) {
		return b, fmt.Errorf("a block of %d lanes", n)
	}
	return b, nil
}

// The operations have the results and the blocks of the definition, record by record.
func TestVectors(t *testing.T) {
	each(t, func(t *testing.T, d *driver) {
		for _, config := range []vectors.Config{
			{NBlocks: 250, Records: 5000, Seed: 1}, {NBlocks: 1, Records: 2000, Seed: 2},
			{NBlocks: vectors.MaxBlocks, Records: 500, Seed: 3},
		} {
			for _, config.BlockBits = range []int{256, 512} {
				var file bytes.Buffer
				tally, err := vectors.Make(&file, config)
				if err != nil {
					t.Fatal(err)
				}
				for op, results := range results {
					for _, result := range results {
						if config.Seed == 1 && tally[op][result] < 20 {
							t.Errorf("%s was %s %d times, want at least 20", op, result,
								tally[op][result])
						}
					}
				}
				if n, err := vectors.Check(&file, target{d}); n != config.Records || err != nil {
					t.Errorf("%+v: %d records, %v", config, n, err)
				}
			}
		}
	})
}

// Batches of any length have the answers of the definition, also those of several words.
func TestQueryBatch(t *testing.T) {
	each(t, func(t *testing.T, d *driver) {
		t.Run("512", func(t *testing.T) { testQueryBatch[uint64](t, d) })
		t.Run("256", func(t *testing.T) { testQueryBatch[uint32](t, d) })
	})
}

func testQueryBatch[T fallback.Lane](t *testing.T, d *driver) {
	const nblocks = 20
	rng := rand.New(rand.NewPCG(35, 5))
	want := make([][fallback.Lanes]T, nblocks)
	d.call("table %x %x", fallback.Lanes*fallback.LaneBits[T](), nblocks)
	var hashes []uint64
	for range 400 {
		h := rng.Uint64()
		if rng.IntN(2) == 0 {
			d.call("insert %x", h)
			fallback.Insert(want, h)
		}
		hashes = append(hashes, h)
	}
	for n := range hashes {
		present := make([]uint64, (n+63)/64)
		count := fallback.QueryBatch(want, hashes[:n], present)
		words := strings.Trim(fmt.Sprintf("%x", append([]uint64{uint64(count)}, present...)), "[]")
		command := strings.Trim(fmt.Sprintf("batch %x %x", n, hashes[:n]), "[]")
		if got := d.call("%s", strings.ReplaceAll(command, "[", "")); got != words {
			t.Fatalf("%d keys: %s, want %s", n, got, words)
		}
	}
}

// The index is that of the definition in tables of any size, also those of 2^32 blocks and more.
func TestIndex(t *testing.T) {
	each(t, func(t *testing.T, d *driver) {
		rng := rand.New(rand.NewPCG(35, 1))
		corners := []uint64{1, 2, 3, 1000, 1 << 30, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1 << 63,
			math.MaxUint64 - 1, math.MaxUint64}
		for range 100 {
			corners = append(corners, rng.Uint64()>>rng.IntN(64))
		}
		for _, h := range corners {
			for _, n := range corners {
				got, want := d.number("index %x %x", h, n), fallback.Index(h, n)
				if got != want {
					t.Fatalf("block of %#x of %d: %d, want %d", h, n, got, want)
				}
			}
		}
	})
}

// The mask is that of the definition.
func TestMask(t *testing.T) {
	each(t, func(t *testing.T, d *driver) {
		rng := rand.New(rand.NewPCG(35, 2))
		for i := range 2000 {
			h := rng.Uint64()
			if i < 3 {
				h = [...]uint64{0, math.MaxUint64, 0x0123456789abcdef}[i]
			}
			wide, narrow := fallback.Mask[uint64](h), fallback.Mask[uint32](h)
			for bits, want := range map[int]string{512: fmt.Sprintf("%x", wide),
				256: fmt.Sprintf("%x", narrow)} {
				if got := "[" + d.call("mask %x %x", bits, h) + "]"; got != want {
					t.Fatalf("mask of %d bits of %#x: %s, want %s", bits, h, got, want)
				}
			}
		}
	})
}
