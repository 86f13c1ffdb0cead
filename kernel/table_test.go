package kernel

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
)

// A table begins at a cache line and ends within its memory, wherever that memory begins.
func TestAligned(t *testing.T) {
	for n := 1; n < 6; n++ {
		for offset := range 16 {
			testAligned[Block512](t, n, offset)
			testAligned[Block256](t, n, offset)
			testAligned[SplitBlock](t, n, offset)
		}
	}
}

func testAligned[B Block256 | Block512 | SplitBlock](t *testing.T, n, offset int) {
	words := wordsFor[B](n)
	memory := make([]uint64, offset+words)[offset:]
	table := aligned[B](memory, n)
	start, first := addressOf(memory), addressOf(table)
	end := first + uintptr(n)*unsafe.Sizeof(*new(B))
	if len(table) != n || first%64 != 0 || first < start || end > start+uintptr(8*words) {
		t.Errorf("%T: %d blocks at %#x in %d words at %#x", table, len(table), first, words, start)
	}
}

// The largest tables have half as many bytes as the largest int, so no sum of sizes overflows.
func TestRequireSize(t *testing.T) {
	for blockBytes, limit := range map[int]int{64: 1<<(intBits-8) - 1, 32: 1<<(intBits-7) - 1} {
		for n, panics := range map[int]bool{0: true, 1: false, limit: false, limit + 1: true} {
			func() {
				defer func() {
					if message := recover(); (message != nil) != panics {
						t.Errorf("%d blocks of %d bytes: panic %v", n, blockBytes, message)
					}
				}()
				requireSize(n, blockBytes)
			}()
		}
	}
}

// Count counts all data bits and all collided regions, and Reset clears them.
func TestCountAndReset(t *testing.T) {
	rng := seeded[uint64](21)
	for n := range 70 {
		lanes512, lanes256 := randomTable[uint64](rng, n, true), randomTable[uint32](rng, n, true)
		t512, t256 := *(*Table512)(unsafe.Pointer(&lanes512)),
			*(*Table256)(unsafe.Pointer(&lanes256))
		testCount(t, lanes512, t512.Count)
		testCount(t, lanes256, t256.Count)
		t512.Reset()
		t256.Reset()
		if !slices.Equal(t512, make(Table512, n)) || !slices.Equal(t256, make(Table256, n)) {
			t.Fatalf("%d blocks: a bit is set after Reset", n)
		}
	}
}

func testCount[T fallback.Lane](t *testing.T, table [][8]T, count func() (int, int)) {
	t.Helper()
	wantOnes, wantCollided := 0, 0
	for _, block := range table {
		for lane, bitmap := range block {
			for ; bitmap != 0; bitmap &= bitmap - 1 {
				if lane == 0 {
					wantCollided++
				} else {
					wantOnes++
				}
			}
		}
	}
	if ones, collided := count(); ones != wantOnes || collided != wantCollided {
		t.Errorf("%d blocks: %d ones and %d collided, want %d and %d",
			len(table), ones, collided, wantOnes, wantCollided)
	}
}

func TestNewTable(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 7, 64, 1000} {
		t512, t256 := NewTable512(n), NewTable256(n)
		if len(t512) != n || len(t256) != n || cap(t512) != n || cap(t256) != n {
			t.Errorf("%d blocks: lengths %d and %d", n, len(t512), len(t256))
		}
		if gap512, gap256 := addressOf(t512)%64, addressOf(t256)%64; gap512|gap256 != 0 {
			t.Errorf("%d blocks: %d and %d bytes beyond a cache line", n, gap512, gap256)
		}
	}
	const most = int(^uint(0) >> 1)
	for _, n := range []int{0, -1, most} {
		testNoTable(t, n, func() { NewTable512(n) })
		testNoTable(t, n, func() { NewTable256(n) })
	}
	testNoTable(t, 1<<(intBits-8), func() { NewTable512(1 << (intBits - 8)) })
	testNoTable(t, 1<<(intBits-7), func() { NewTable256(1 << (intBits - 7)) })
}

// testNoTable fails the test unless create panics with the number of blocks.
func testNoTable(t *testing.T, n int, create func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if message := fmt.Sprint(recover()); !strings.Contains(message,
			fmt.Sprintf("table of %d blocks", n)) {
			t.Errorf("panic %q does not name the size, %d", message, n)
		}
	}()
	create()
}
