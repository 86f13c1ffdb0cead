package deletable

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/kernel"
)

// blocksOf returns the table of a filter.
func blocksOf(f *Filter) kernel.Table512 { return tableOf(f).blocks }

func tableOf(f *Filter) *table { return base.Open(&f.Body) }

var fixed = keytest.Fixed

func newFilter(t testing.TB, members int, bitsPerKey float64) *Filter {
	t.Helper()
	return filtertest.New(New)(t, Config{Members: members, BitsPerKey: bitsPerKey})
}

func bytesOf(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// same fails the test unless the filters have the same bits, counters and plan.
func same(t *testing.T, got, want *Filter) {
	t.Helper()
	if !slices.Equal(blocksOf(got), blocksOf(want)) {
		t.Error("the tables differ")
	}
	if tableOf(got).history != tableOf(want).history {
		t.Errorf("counters %+v, want %+v", tableOf(got).history, tableOf(want).history)
	}
	if tableOf(got).plan != tableOf(want).plan {
		t.Errorf("plan %+v, want %+v", tableOf(got).plan, tableOf(want).plan)
	}
}

// After a second insert, a delete of the member is Retained, as the package comment says.
func TestAMemberThatIsInsertedTwiceIsRetained(t *testing.T) {
	f := newFilter(t, 100, 16)
	f.InsertUint64(1)
	if present, err := f.InsertUint64(1); !present || err != nil {
		t.Errorf("present when inserted again: %v (%v)", present, err)
	}
	if status := f.DeleteUint64(1); status != Retained {
		t.Errorf("status %v, want retained", status)
	}
}

// Deletes of non-members break the contract. The counters are wrong then, but stay within bounds.
func TestMembersNeverBelowZero(t *testing.T) {
	f := newFilter(t, 100, 1)
	for n := range uint64(100) {
		f.InsertUint64(n)
	}
	for n := range uint64(10_000) {
		f.DeleteUint64(n)
	}
	if f.Deleted()+f.Retained() <= f.Inserts() {
		t.Fatal("not more deletes than inserts: the test shows nothing")
	}
	if f.Members() != 0 {
		t.Errorf("%d members, want 0", f.Members())
	}
}

// filtertest tests that operations do not allocate.
func TestStatsDoNotAllocate(t *testing.T) {
	f := newFilter(t, 10_000, 8)
	if allocs := testing.AllocsPerRun(10, func() { f.Stats() }); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// The positions of a key are the bits that its insert sets: one in each data lane of a block, also
// of the last block. If any of them is cleared, the key is not found. A position in a collision
// lane, or beyond the last bit, panics and clears nothing.
func TestClearBits(t *testing.T) {
	f := newFilter(t, 100, 16)
	for _, hash := range []uint64{0, 1, 0x0123456789abcdef, 1 << 63, ^uint64(0)} {
		p := f.AppendPositions(nil, hash)
		f.Reset()
		if _, err := f.InsertHash(hash); err != nil {
			t.Fatal(err)
		}
		var want []uint64
		for i, word := range blocksOf(f).Words() {
			for bit := range 64 {
				if word>>bit&1 != 0 {
					want = append(want, uint64(64*i+bit))
				}
			}
		}
		if !slices.Equal(p, want) {
			t.Fatalf("hash %#x: positions %d, its insert sets %d", hash, p, want)
		}
		for _, bad := range []uint64{0, 63, uint64(f.Shape().Blocks-1) * 512,
			uint64(f.Shape().Blocks)*512 + 64, ^uint64(0)} {
			func() {
				defer func() {
					if text, _ := recover().(string); !strings.Contains(text,
						"deletable: ClearBits") || !f.QueryHash(hash) {
						t.Errorf("bit %d: panic %q, or a bit was cleared", bad, text)
					}
				}()
				f.ClearBits(append(slices.Clone(p), bad))
			}()
		}
		for _, bit := range p {
			g := f.Clone()
			if g.ClearBits([]uint64{bit}); g.QueryHash(hash) || !f.QueryHash(hash) ||
				g.Stats().Ones != 6 {
				t.Errorf("hash %#x without bit %d: %+v", hash, bit, g.Stats())
			}
		}
	}
}
