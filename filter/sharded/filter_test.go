package sharded

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/workload"
	"github.com/bloomlane/bloomlane/kernel"
)

var fixed = keytest.Key(0x31, 0x9c, 0x05)

// config returns the config of a filter of the given number of blocks, with 32 members each.
func config(blocks int) deletable.Config {
	return deletable.Config{Members: 32 * blocks, BitsPerKey: 16, Key: fixed}
}

func newFilter(t testing.TB, blocks int) *Filter {
	t.Helper()
	f, err := New(config(blocks))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(base.Require(&f.Life).blocks); got != blocks {
		t.Fatalf("%d blocks, want %d", got, blocks)
	}
	return f
}

func hashes(seed uint64, n int) []uint64 {
	return workload.Hashes(rand.New(rand.NewPCG(seed, 7)), n)
}

func short(n int) int {
	if testing.Short() || fallback.Race {
		return n / 10
	}
	return n
}

// together runs do in several goroutines at the same time.
func together(goroutines int, do func(i int)) {
	var all sync.WaitGroup
	for i := range goroutines {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

func snapshot(t testing.TB, f *Filter) *deletable.Filter {
	t.Helper()
	d, err := f.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func historyOf(d *deletable.Filter) base.History {
	s := d.Stats()
	return base.History{Inserts: uint64(s.Inserts), Deleted: uint64(s.Deleted),
		Retained: uint64(s.Retained)}
}

// sizes are numbers of blocks: fewer than a stripe has, as many, one more, a range a stripe, ranges
// of two stripes and of four, and numbers that neither divides.
var sizes = []int{1, 3, partBlocks, partBlocks + 1, 1000, maxRanges*partBlocks + 1,
	maxStripes*partBlocks + 1}

// Stripes are runs of consecutive blocks that cover the table, and ranges are runs of stripes. All
// but the last have the same length. What the writers of a stripe share is on one cache line.
func TestStripes(t *testing.T) {
	for n := 1; n < 5000; n++ {
		tab := newTable(make(kernel.Table512, n), nil, base.History{})
		for i, runs := range [][3]int{{n, len(tab.stripes), tab.shift},
			{len(tab.stripes), tab.ranges(), tab.rangeShift}} {
			most, least := []int{maxStripes, maxRanges}[i], []int{partBlocks, 1}[i]
			of, count, length := runs[0], runs[1], 1<<runs[2]
			if count > most || count*length < of || (count-1)*length >= of || length < least ||
				length > least && count <= most/2 {
				t.Fatalf("%d blocks: %d runs of %d", n, count, length)
			}
		}
		const line = 64
		for i := range tab.stripes {
			s := &tab.stripes[i]
			from, to := uintptr(unsafe.Pointer(s)), uintptr(unsafe.Pointer(&s.copied))
			// Allocations of 32-bit programs begin anywhere in a line.
			if from/line != to/line && bits.UintSize == 64 || unsafe.Sizeof(*s) != line {
				t.Fatalf("%d blocks: stripe %d lies on two lines", n, i)
			}
		}
	}
	tab := base.Require(&newFilter(t, 1000).Life)
	last := 0
	for h := range uint64(1 << 12) {
		stripe := tab.index(h<<52) >> tab.shift
		if stripe < last || stripe >= len(tab.stripes) {
			t.Fatalf("hash %#x: stripe %d after %d", h<<52, stripe, last)
		}
		last = stripe
	}
	if last != len(tab.stripes)-1 {
		t.Errorf("the last stripe is %d of %d", last, len(tab.stripes))
	}
}

// Batches of any length have the results of their operations one after another, with duplicates,
// and with more keys of a stripe than a section has.
func TestBatches(t *testing.T) {
	for _, blocks := range sizes {
		for _, n := range []int{1, 63, group - 1, group, group + 1, chunk, chunk + 1,
			3*chunk + 77} {
			f := newFilter(t, blocks)
			want, err := deletable.New(config(blocks))
			if err != nil {
				t.Fatal(err)
			}
			all := hashes(1, n)
			for i := 3; i < n; i += 3 {
				all[i] = all[i/2]
			}
			const stale = 0xA5
			present, expected := slices.Repeat([]uint64{stale}, filter.Words(n)+1),
				slices.Repeat([]uint64{stale}, filter.Words(n)+1)
			status, statuses := slices.Repeat([]filter.Status{stale}, n+1),
				slices.Repeat([]filter.Status{stale}, n+1)
			if m, err := f.InsertHashBatch(all, present); m != n || err != nil {
				t.Fatalf("%d of %d are in: %v", m, n, err)
			}
			_, _ = want.InsertHashBatch(all, expected)
			if !slices.Equal(present, expected) || !snapshot(t, f).Equal(want) {
				t.Fatalf("%d blocks, %d keys: a batch of inserts differs", blocks, n)
			}
			if got, deleted := f.DeleteHashBatch(all[:n/2], status),
				want.DeleteHashBatch(all[:n/2], statuses); got != deleted ||
				!slices.Equal(status, statuses) || !snapshot(t, f).Equal(want) {
				t.Fatalf("%d blocks, %d keys: a batch of deletes differs", blocks, n)
			}
			if got, deleted := f.DeleteHashBatch(all[n/2:], nil),
				want.DeleteHashBatch(all[n/2:], nil); got != deleted {
				t.Fatalf("%d blocks, %d keys: %d deleted, want %d", blocks, n, got, deleted)
			}
			_, _ = f.InsertHashBatch(all, nil)
			_, _ = want.InsertHashBatch(all, nil)
			if got := snapshot(t, f); !got.Equal(want) ||
				f.State().Members != want.State().Members {
				t.Fatalf("%d blocks, %d keys: %v differs", blocks, n, got)
			}
		}
	}
}

// Inserts by many goroutines set the same bits as inserts one after another.
func TestInsertsTogether(t *testing.T) {
	const goroutines = 4
	for _, blocks := range sizes {
		all := hashes(2, goroutines*short(8*blocks+4000))
		want, err := deletable.New(config(blocks))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = want.InsertHashBatch(all, nil)
		for name, batch := range map[string]func(i int) int{
			"one by one": func(int) int { return 1 },
			"batches":    func(i int) int { return 100 + 1000*i },
			"both":       func(i int) int { return 1 + i%2*99 },
		} {
			f := newFilter(t, blocks)
			part := len(all) / goroutines
			together(goroutines, func(i int) {
				rest := all[i*part:][:part]
				for len(rest) > 0 {
					n := min(len(rest), batch(i))
					if n == 1 {
						_, _ = f.InsertHash(rest[0])
					} else {
						_, _ = f.InsertHashBatch(rest[:n], nil)
					}
					rest = rest[n:]
				}
			})
			if !snapshot(t, f).Equal(want) {
				t.Errorf("%d blocks, %s: other bits or counts", blocks, name)
			}
		}
	}
}

func check(t *testing.T, f *Filter, members []uint64) {
	t.Helper()
	if found := f.QueryHashBatch(members, nil); found != len(members) {
		t.Errorf("%d of %d members are found in a batch", found, len(members))
	}
	for _, h := range members[max(0, len(members)-4):] {
		if !f.QueryHash(h) {
			t.Error("a member is not found")
		}
	}
}

// neighbours returns two hashes of one block that share bits in more than one lane.
func neighbours(rng *rand.Rand, t *table, block int) (x, y uint64) {
	low, high := t.blocks.Interval(block, block+1)
	for {
		x, y = low+rng.Uint64N(high-low), low+rng.Uint64N(high-low)
		a, b, shared := fallback.Mask[uint64](x), fallback.Mask[uint64](y), 0
		for lane := range a {
			if a[lane]&b[lane] != 0 {
				shared++
			}
		}
		if shared > 1 {
			return x, y
		}
	}
}

// Two goroutines work at the same moment on keys that share bits, in one block after another. The
// member of one is found after any operation of the other, and every shared bit is marked as
// collided. A batch has more keys, in another block, so that it is grouped.
func TestNeighbours(t *testing.T) {
	const blocks = 512
	batch := slices.Repeat([]uint64{math.MaxUint64}, alone+1)
	type pair struct{ x, y uint64 }
	first := newFilter(t, blocks)
	rng, pairs := rand.New(rand.NewPCG(8, 8)), make([]pair, blocks-1)
	for i := range pairs {
		pairs[i].x, pairs[i].y = neighbours(rng, base.Require(&first.Life), i)
	}
	for round := range short(200) {
		f := newFilter(t, blocks)
		for i := range pairs {
			pairs[i].x, pairs[i].y = pairs[i].y, pairs[i].x
			if round%2 != 0 {
				_, _ = f.InsertHash(pairs[i].x)
			}
		}
		other := []func(p pair){
			func(p pair) { _, _ = f.InsertHash(p.x) },
			func(p pair) { f.DeleteHash(p.x) },
			func(p pair) {
				batch[0] = p.x
				_, _ = f.InsertHashBatch(batch, nil)
			},
			func(p pair) {
				batch[0] = p.x
				f.DeleteHashBatch(batch, nil)
			},
		}[round%4]
		var turns [2]atomic.Int64
		together(2, func(g int) {
			for i, p := range pairs {
				turns[g].Store(int64(i) + 1)
				for spins := 0; turns[1-g].Load() <= int64(i); spins++ {
					if spins > 1000 {
						runtime.Gosched()
					}
				}
				for range (round + i) % 7 * g { // slightly later each time
					turns[g].Load()
				}
				if g == 0 {
					other(p)
				} else if present, _ := f.InsertHash(p.y); present || !f.QueryHash(p.y) {
					t.Errorf("round %d: a new member was present, or is not found", round)
				}
			}
		})
		for i, p := range pairs {
			x, y, block := fallback.Mask[uint64](p.x), fallback.Mask[uint64](p.y),
				base.Require(&f.Life).load(i)
			shared := uint64(0)
			for lane := range y {
				if y[lane]&^block[lane] != 0 {
					t.Fatalf("round %d: a bit of a member is lost", round)
				}
				shared |= x[lane] & y[lane]
			}
			if round%2 == 0 && shared&^block[0] != 0 {
				t.Fatalf("round %d: a bit of both is not marked", round)
			}
			if block[0]&^shared != 0 {
				t.Fatalf("round %d: a bit of one is marked", round)
			}
		}
	}
}

// A writer excludes others from its stripe, and from no other. A copy, a merge and a rebuild
// exclude each other, and no writer. Queries do not wait.
func TestLocksExclude(t *testing.T) {
	f := newFilter(t, 2*partBlocks)
	tab := base.Require(&f.Life)
	all := hashes(3, 3*alone)
	slices.Sort(all)
	first := slices.IndexFunc(all, func(h uint64) bool { return tab.index(h) >= partBlocks })
	type calls map[string]func()
	writes := func(h []uint64) calls {
		if len(h) <= alone {
			t.Fatalf("%d keys of a stripe", len(h))
		}
		return calls{
			"insert":      func() { _, _ = f.InsertHash(h[1]) },
			"few inserts": func() { _, _ = f.InsertHashBatch(h[2:4], nil) },
			"inserts":     func() { _, _ = f.InsertHashBatch(h, nil) },
			"delete":      func() { f.DeleteHash(h[0]) },
			"deletes":     func() { f.DeleteHashBatch(h, nil) },
		}
	}
	passes := calls{
		"copy":    func() { _, _ = f.Contents() },
		"merge":   func() { _ = f.Merge(newFilter(t, 2*partBlocks)) },
		"rebuild": func() { _ = renewals["rebuild"](f, all) },
	}
	queries := calls{
		"query":   func() { f.QueryHash(all[0]) },
		"queries": func() { f.QueryHashBatch(all, nil) },
		"history": func() { f.History() },
	}
	if !counted {
		delete(queries, "history")
	}
	waits := func(name string, lock sync.Locker, call func()) {
		done := make(chan bool)
		lock.Lock()
		before := slices.Clone(tab.blocks[:partBlocks])
		go func() {
			call()
			close(done)
		}()
		select {
		case <-done:
			t.Errorf("%s: did not wait", name)
		case <-time.After(5 * time.Millisecond):
		}
		if !slices.Equal(tab.blocks[:partBlocks], before) {
			t.Errorf("%s: wrote beside another", name)
		}
		lock.Unlock()
		filtertest.Within(t, name+", after the lock is free", func() { <-done })
	}
	for _, test := range []struct {
		lock       sync.Locker
		wait, pass []calls
	}{
		{&tab.stripes[0].lock, []calls{writes(all[:first]), passes},
			[]calls{writes(all[first:]), queries}},
		{&tab.pass, []calls{passes}, []calls{writes(all), queries}},
	} {
		for _, calls := range test.wait {
			for name, call := range calls {
				waits(name, test.lock, call)
			}
		}
		test.lock.Lock()
		for _, calls := range test.pass {
			for name, call := range calls {
				filtertest.Within(t, name+" beside a lock of others", call)
			}
		}
		test.lock.Unlock()
	}
	tab.turns.Add(1)
	waits("history in a rebuild", &tab.stripes[0].lock, func() { f.History() })
	tab.turns.Add(1)
}

// Others wait for a section of a batch, and not for the whole batch.
func TestSectionsAreShort(t *testing.T) {
	for _, blocks := range sizes {
		tab := base.Require(&newFilter(t, blocks).Life)
		var g grouped
		all := hashes(4, chunk)
		g.group(tab, all)
		for first, start, end := 0, 0, 0; start < chunk; start = end {
			first, end = g.begin(tab, first, start, chunk)
			r := tab.index(g.hashes[start]) >> tab.shift >> tab.rangeShift
			locked := map[int]bool{}
			for _, h := range g.hashes[start:end] {
				locked[tab.index(h)>>tab.shift] = true
			}
			for i := range tab.stripes {
				s := &tab.stripes[i]
				if s.lock.TryLock() == locked[i] || locked[i] && i>>tab.rangeShift != r {
					t.Fatalf("%d blocks: stripe %d in a section of range %d", blocks, i, r)
				}
				s.lock.Unlock()
			}
			if end-start > group {
				t.Errorf("%d blocks: a section of %d keys", blocks, end-start)
			}
		}
	}
}

// A copy has the counts of the writes that it has, whatever is written between its parts, and
// others may write between them.
func TestWritesBetweenCopies(t *testing.T) {
	const parts = 4
	f := newFilter(t, maxStripes*parts*partBlocks)
	tab := base.Require(&f.Life)
	_, high := tab.blocks.Interval(tab.blocksOf(0))
	var all []uint64
	for _, h := range hashes(34, 64*maxStripes*parts*partBlocks) {
		if h <= high {
			all = append(all, h)
		}
	}
	have, err := deletable.New(config(len(tab.blocks)))
	if err != nil {
		t.Fatal(err)
	}
	to, each := make(kernel.Table512, parts*partBlocks), len(all)/parts/3
	for part := range parts {
		// Inserts and deletes, in batches or one by one, in parts that are copied and in others.
		some := all[part*3*each:][:3*each]
		rest := slices.DeleteFunc(slices.Clone(some),
			func(h uint64) bool { return tab.index(h) < part*partBlocks })
		gone := slices.DeleteFunc(slices.Clone(some[:each]),
			func(h uint64) bool { return tab.index(h) < part*partBlocks })
		if part%2 == 0 {
			_, _ = f.InsertHashBatch(some, nil)
			f.DeleteHashBatch(some[:each], nil)
		} else {
			for _, h := range some {
				_, _ = f.InsertHash(h)
			}
			for _, h := range some[:each] {
				f.DeleteHash(h)
			}
		}
		_, _ = have.InsertHashBatch(rest, nil)
		have.DeleteHashBatch(gone, nil)
		h, more := tab.copyPart(to, 0)
		if more != (part < parts-1) {
			t.Fatalf("part %d: %v", part, more)
		}
		if want := historyOf(have); !more && h != want {
			t.Errorf("%+v, want %+v", h, want)
		}
	}
	if !slices.Equal(to, have.CloneTable()[:len(to)]) {
		t.Error("other bits")
	}
	requireRest(t, "copied", f)
	if got := snapshot(t, f).Inserts(); got != parts*3*each {
		t.Errorf("%d inserts, want %d", got, parts*3*each)
	}
}

// A copy has all bits of an insert or none, and its counts are of the inserts that it has, beside
// inserts of one key and in batches.
func TestCopiesBesideInserts(t *testing.T) {
	const blocks, goroutines = 4 * maxStripes * partBlocks, 3
	all := make([]uint64, blocks) // one of each block
	for i := range all {
		all[i], _ = fallback.Interval(uint64(i), uint64(i)+1, blocks)
	}
	mixed := slices.Clone(all)
	rand.New(rand.NewPCG(35, 35)).Shuffle(blocks, func(i, j int) {
		mixed[i], mixed[j] = mixed[j], mixed[i]
	})
	partial := 0
	for range short(20) {
		f := newFilter(t, blocks)
		var ended atomic.Int32
		for g := range goroutines {
			go func() {
				defer ended.Add(1)
				part := mixed[g*blocks/goroutines : (g+1)*blocks/goroutines]
				for i := 0; len(part) > 0; i++ {
					n := 1
					if i%400 == 0 {
						n = min(len(part), 2*alone)
						_, _ = f.InsertHashBatch(part[:n], nil)
					} else {
						_, _ = f.InsertHash(part[0])
					}
					part = part[n:]
				}
			}()
		}
		for last := false; !last; {
			last = ended.Load() == goroutines
			d, has := snapshot(t, f), 0
			for i, block := range d.CloneTable() {
				if block == (kernel.Block512{}) {
					continue
				}
				if has++; block != kernel.Mask512(all[i]) {
					t.Fatalf("a copy has %x of an insert", block)
				}
			}
			if has != d.Inserts() || has != d.Members() {
				t.Fatalf("a copy has %d inserts and counts %d", has, d.Inserts())
			}
			if 0 < has && has < blocks {
				partial++
			}
		}
	}
	t.Logf("%d copies beside inserts", partial)
}

// roster has the members of one goroutine. Its lock is held for the list and the filter.
type roster struct {
	sync.Mutex
	members []uint64
}

// Counts are exact when goroutines insert and delete beside merges, rebuilds, refreshes and copies,
// in one stripe and in many. Meanwhile they lack no write that has returned, and no delete is
// without its insert.
func TestExactCounts(t *testing.T) {
	for _, blocks := range []int{1, 5000} {
		for name, call := range map[string]func(f *Filter, live listed) error{
			"nothing": func(*Filter, listed) error { return nil },
			"merge":   func(f *Filter, _ listed) error { return f.Merge(newFilter(t, blocks)) },
			"rebuild": func(f *Filter, live listed) error {
				return f.RebuildHash(t.Context(), live(0, math.MaxUint64))
			},
			"refresh": func(f *Filter, live listed) error {
				return f.RefreshHash(t.Context(), live)
			},
			"copy": func(f *Filter, _ listed) error {
				_, err := f.AppendBinary(nil)
				return err
			},
			"merge into another": func(f *Filter, _ listed) error {
				return newFilter(t, blocks).Merge(f)
			},
		} {
			f := newFilter(t, blocks)
			base.Require(&f.Life).plannedInserts = math.MaxInt
			renewed := name == "rebuild" || name == "refresh"
			t.Run(fmt.Sprint(blocks, " blocks, ", name), func(t *testing.T) {
				exactCounts(t, f, renewed, call)
			})
		}
	}
}

// listed has the members with the hashes of an interval.
type listed func(low, high uint64) iter.Seq2[uint64, error]

func exactCounts(t *testing.T, f *Filter, renewed bool, call func(*Filter, listed) error) {
	const goroutines = 3
	var rosters [goroutines]roster
	members := func() (all []uint64) {
		for i := range rosters {
			r := &rosters[i]
			r.Lock()
			all = append(all, r.members...)
			r.Unlock()
		}
		return all
	}
	live := func(low, high uint64) iter.Seq2[uint64, error] {
		return func(yield func(uint64, error) bool) { intervalSource(members())(low, high)(yield) }
	}
	var inserts, deletes, ended atomic.Uint64
	var others sync.WaitGroup
	for g := range rosters {
		all, r := hashes(36+uint64(g), short(40000)), &rosters[g]
		others.Go(func() {
			defer ended.Add(1)
			for i := 0; i < len(all); {
				n := min(len(all)-i, []int{1, 1, 1, 2 * alone}[i%4])
				r.Lock()
				if n > 1 {
					_, _ = f.InsertHashBatch(all[i:i+n], nil)
				} else {
					_, _ = f.InsertHash(all[i])
				}
				inserts.Add(uint64(n))
				r.members = append(r.members, all[i:i+n]...)
				i += n
				if half := len(r.members) / 2; i%9 == 0 {
					f.DeleteHashBatch(r.members[:half], nil)
					f.DeleteHash(r.members[half])
					r.members = r.members[half+1:]
					deletes.Add(uint64(half) + 1)
				}
				r.Unlock()
			}
		})
	}
	others.Go(func() {
		for ended.Load() < goroutines {
			least := inserts.Load()
			if h := f.History(); h.Deleted+h.Retained > h.Inserts || !renewed && h.Inserts < least {
				t.Errorf("%+v after %d inserts", h, least)
				return
			}
		}
	})
	rounds := 0
	for last := false; !last; rounds++ {
		last = ended.Load() == goroutines
		if err := call(f, live); err != nil {
			t.Error(err)
			break
		}
	}
	others.Wait()
	h := f.History()
	if got, want := h.Members(), len(members()); got != want {
		t.Errorf("%d members after %d rounds, want %d", got, rounds, want)
	}
	if gone := h.Deleted + h.Retained; !renewed && (h.Inserts != inserts.Load() ||
		gone != deletes.Load()) {
		t.Errorf("%+v, want %d inserts and %d deletes", h, inserts.Load(), deletes.Load())
	}
	if got := historyOf(snapshot(t, f)); got != h {
		t.Errorf("a copy has %+v, want %+v", got, h)
	}
}

// Of two inserts of one key at the same time one hears that it was present.
func TestSameKeys(t *testing.T) {
	f, all := newFilter(t, 70), hashes(39, short(20000))
	var absent [2][]uint64
	together(2, func(g int) {
		for i, h := range all {
			var word [1]uint64
			if i%3 == g {
				_, _ = f.InsertHashBatch([]uint64{h}, word[:])
			} else if present, _ := f.InsertHash(h); present {
				word[0] = 1
			}
			if word[0] == 0 {
				absent[g] = append(absent[g], h)
			}
		}
	})
	slices.Sort(absent[0])
	for _, h := range absent[1] {
		if _, both := slices.BinarySearch(absent[0], h); both {
			t.Fatal("both inserts of a key heard that it was absent")
		}
	}
}

// Of takes a filter with its history, and its file is that of a deletable filter.
func TestOf(t *testing.T) {
	d, err := deletable.New(config(100))
	if err != nil {
		t.Fatal(err)
	}
	all := hashes(6, 2000)
	_, _ = d.InsertHashBatch(all[:1000], nil)
	d.DeleteHashBatch(all[:100], nil)
	want := d.Clone()
	f, err := Of(d)
	if err != nil {
		t.Fatal(err)
	}
	if !d.Closed() {
		t.Error("the filter that was taken is not closed")
	}
	if _, err := Of(nil); !errors.Is(err, filter.ErrClosed) {
		t.Errorf("of nil: %v", err)
	}
	if _, err := Of(d); !errors.Is(err, filter.ErrClosed) {
		t.Errorf("taken twice: %v", err)
	}
	if got := snapshot(t, f); !got.Equal(want) || !got.Key().Equal(fixed) {
		t.Error("it is not what it was")
	}
	for _, h := range all[1000:] {
		_, _ = f.InsertHash(h)
	}
	f.DeleteHash(all[100])
	_, _ = want.InsertHashBatch(all[1000:], nil)
	want.DeleteHash(all[100])
	path := filepath.Join(t.TempDir(), "f.blm")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func(string, key.Key) (*deletable.Filter, error){deletable.Open,
		deletable.Load} {
		got, err := open(path, fixed)
		if err != nil || !got.Equal(want) {
			t.Errorf("the file is another: %v", err)
		}
		second, err := Of(got)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := second.InsertHash(1); err != nil || !second.QueryHash(1) ||
			second.State().Members != want.State().Members+1 {
			t.Errorf("a filter in a file: %+v (%v)", second.State(), err)
		}
	}
	if got, want := f.State(), want.State(); got.Fill != want.Fill || got.Members != want.Members ||
		got.Bytes != want.Bytes || got.Scanned != want.Scanned || got.Rate < 0.999*want.Rate ||
		got.Rate > 1.001*want.Rate {
		t.Errorf("state %+v, want %+v", got, want)
	}
}
