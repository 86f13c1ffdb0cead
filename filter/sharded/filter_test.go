package sharded

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
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
	rng, all := rand.New(rand.NewPCG(seed, 7)), make([]uint64, n)
	for i := range all {
		all[i] = rng.Uint64()
	}
	return all
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

// sizes are numbers of blocks: fewer than stripes, as many, more, and numbers that the stripes do
// not divide.
var sizes = []int{1, 3, maxStripes, maxStripes + 1, 1000, 4097}

// Stripes are runs of consecutive blocks that cover the table. All but the last have the same
// length.
func TestStripes(t *testing.T) {
	for n := 1; n < 5000; n++ {
		tab := newTable(make(kernel.Table512, n), nil, base.History{})
		if s := len(tab.stripes); s > maxStripes || s<<tab.shift < n || (s-1)<<tab.shift >= n ||
			n >= maxStripes && s <= maxStripes/2 {
			t.Fatalf("%d blocks: %d stripes of %d", n, s, 1<<tab.shift)
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
			got := snapshot(t, f)
			if name == "both" && f.Repeated() > 0 {
				moreCollided(t, got.CloneTable(), want.CloneTable())
				got = want
			} else if f.Repeated() > 0 {
				t.Errorf("%s: %d repeated", name, f.Repeated())
			}
			if !got.Equal(want) {
				t.Errorf("%d blocks, %s: other bits", blocks, name)
			}
		}
	}
}

// moreCollided fails the test unless the tables differ in collided regions only, and got has all
// those of want.
func moreCollided(t *testing.T, got, want kernel.Table512) {
	t.Helper()
	for i := range got {
		if want[i][0]&^got[i][0] != 0 || !slices.Equal(got[i][1:], want[i][1:]) {
			t.Fatalf("block %d: %x, want %x", i, got[i], want[i])
		}
	}
}

// Goroutines insert, query and delete keys of their own, many per block. Each finds its members at
// any time, and all members are found at the end.
func TestStress(t *testing.T) {
	for _, blocks := range []int{1, 2, 70} {
		t.Run(fmt.Sprint(blocks, " blocks"), func(t *testing.T) { stress(t, blocks) })
	}
}

func stress(t *testing.T, blocks int) {
	const goroutines = 4
	f := newFilter(t, blocks)
	var stop atomic.Bool
	var inserted, gone atomic.Int64
	kept := make([][]uint64, goroutines)
	var others sync.WaitGroup
	others.Go(func() { // this one only reads
		for !stop.Load() {
			if s := f.State(); s.Fill < 0 || s.Fill > 1 || s.Rate < 0 || s.Rate > 1 {
				t.Errorf("state %+v", s)
			}
			if _, err := f.Snapshot(); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Millisecond)
		}
	})
	for round := range short(50) {
		together(goroutines, func(g int) {
			rng := rand.New(rand.NewPCG(uint64(round), uint64(g)))
			members := kept[g]
			for range 100 {
				fresh := []uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()}
				if rng.IntN(2) == 0 {
					_, _ = f.InsertHashBatch(fresh, nil)
				} else {
					for _, h := range fresh {
						_, _ = f.InsertHash(h)
					}
				}
				members = append(members, fresh...)
				inserted.Add(3)
				check(t, f, members)
				for len(members) > 8*blocks {
					i := rng.IntN(len(members))
					status := filter.Absent
					if rng.IntN(2) == 0 {
						status = f.DeleteHash(members[i])
					} else {
						var of [1]filter.Status
						f.DeleteHashBatch(members[i:i+1], of[:])
						status = of[0]
					}
					if status == filter.Absent {
						t.Error("a member was absent when it was deleted")
					}
					gone.Add(1)
					members = slices.Delete(members, i, i+1)
				}
			}
			kept[g] = members
		})
		if t.Failed() {
			break
		}
		if round%10 == 9 { // so that not all regions collide, which would retain all deletes
			d := snapshot(t, f)
			if d.Members() != int(inserted.Load()-gone.Load()) {
				t.Fatalf("%d members, want %d", d.Members(), inserted.Load()-gone.Load())
			}
			second, err := Of(d.Fresh().(*deletable.Filter))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d inserts were repeated", f.Repeated(), inserted.Load())
			base.Begin(&f.Life, kindName, base.Held(&second.Life), base.Identity(&second.Life))
			inserted.Store(0)
			gone.Store(0)
			for _, members := range kept {
				_, _ = f.InsertHashBatch(members, nil)
				inserted.Add(int64(len(members)))
			}
		}
	}
	stop.Store(true)
	others.Wait()
	all := slices.Concat(kept...)
	for rest := all; len(rest) > 0; rest = rest[min(len(rest), 8*blocks):] {
		check(t, f, rest)
		f.DeleteHashBatch(rest[:min(len(rest), 8*blocks)], nil)
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
// collided.
func TestNeighbours(t *testing.T) {
	const blocks = 512
	type pair struct{ x, y uint64 }
	first := newFilter(t, blocks)
	rng, pairs := rand.New(rand.NewPCG(8, 8)), make([]pair, blocks)
	for i := range pairs {
		pairs[i].x, pairs[i].y = neighbours(rng, base.Require(&first.Life), i)
	}
	repeated := 0
	// until they met
	for round := 0; round < short(200) || repeated == 0 && round < short(1000); round++ {
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
			func(p pair) { _, _ = f.InsertHashBatch([]uint64{p.x}, nil) },
			func(p pair) { f.DeleteHashBatch([]uint64{p.x}, nil) },
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
		repeated += f.Repeated()
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
			if round%4 != 2 && block[0]&^shared != 0 { // it may be so beside a batch of inserts
				t.Fatalf("round %d: a bit of one is marked", round)
			}
		}
	}
	t.Logf("%d inserts were repeated", repeated)
}

// A section excludes other sections and deletes. An insert of one key that begins beside it waits.
func TestSectionsExclude(t *testing.T) {
	f := newFilter(t, 1)
	h := hashes(3, 3)
	_, _ = f.InsertHash(h[0])
	s := &base.Require(&f.Life).stripes[0]
	for name, call := range map[string]func(){
		"insert":  func() { _, _ = f.InsertHash(h[1]) },
		"inserts": func() { _, _ = f.InsertHashBatch(h[2:], nil) },
		"delete":  func() { f.DeleteHash(h[0]) },
		"deletes": func() { f.DeleteHashBatch(h[1:2], nil) },
		"copy":    func() { _, _ = f.Contents() },
	} {
		done := make(chan bool)
		s.begin()
		before := base.Require(&f.Life).load(0)
		go func() {
			call()
			close(done)
		}()
		select {
		case <-done:
			t.Errorf("%s: did not wait", name)
		case <-time.After(5 * time.Millisecond):
		}
		if base.Require(&f.Life).load(0) != before {
			t.Errorf("%s: wrote into a section of another", name)
		}
		s.end()
		<-done
	}
}

// Others wait for a section of a batch, and not for the whole batch.
func TestSectionsAreShort(t *testing.T) {
	f := newFilter(t, 1)
	all := hashes(4, chunk)
	sections := func() uint64 { return base.Require(&f.Life).stripes[0].sections.Load() / 2 }
	_, _ = f.InsertHashBatch(all, nil)
	if got := sections(); got != chunk/group {
		t.Errorf("%d sections, want %d", got, chunk/group)
	}
	f.DeleteHashBatch(all, nil)
	if got := sections(); got != 2*chunk/group {
		t.Errorf("%d sections, want %d", got, 2*chunk/group)
	}
}

// An insert that is repeated counts the bits that it set as its own, unless another write came
// between: then they count as those of the other key.
func TestRepeat(t *testing.T) {
	const every = 1<<fallback.Lanes - 2 // lanes
	x, y := neighbours(rand.New(rand.NewPCG(5, 5)), base.Require(&newFilter(t, 1).Life), 0)
	mask, other := fallback.Mask[uint64](x), fallback.Mask[uint64](y)
	both, own, bothAndOwn := [fallback.Lanes]uint64{}, mask, [fallback.Lanes]uint64{}
	fallback.InsertMask(&both, &mask)
	fallback.InsertMask(&both, &other)
	for _, bit := range mask {
		own[0] |= bit
	}
	bothAndOwn = both
	bothAndOwn[0] |= own[0]
	var left uint64 // the lanes of x that y has not set
	for lane := 1; lane < fallback.Lanes; lane++ {
		if mask[lane]&other[lane] == 0 {
			left |= 1 << lane
		}
	}
	for name, test := range map[string]struct {
		before, during func(f *Filter)
		fresh          uint64
		want           [fallback.Lanes]uint64
	}{
		"nothing": {nil, nil, every, mask},
		"it was lost": {nil, func(f *Filter) { clear(base.Require(&f.Life).blocks) }, every,
			mask},
		"a batch": {nil, func(f *Filter) { _, _ = f.InsertHashBatch([]uint64{y}, nil) },
			every, bothAndOwn},
		"a lost one, a batch": {nil,
			func(f *Filter) {
				clear(base.Require(&f.Life).blocks)
				_, _ = f.InsertHashBatch([]uint64{y},
					nil)
			}, every, both},
		"another insert":     {nil, func(f *Filter) { _, _ = f.InsertHash(y) }, every, bothAndOwn},
		"one from before":    {func(f *Filter) { _, _ = f.InsertHash(y) }, nil, left, both},
		"itself from before": {func(f *Filter) { _, _ = f.InsertHash(x) }, nil, 0, own},
	} {
		f := newFilter(t, 1)
		if test.before != nil {
			test.before(f)
		}
		tab := base.Require(&f.Life)
		s := &tab.stripes[0]
		fresh := insertAtomically(tab.block(0), fallback.Spread(x))
		if fresh != test.fresh {
			t.Errorf("%s: fresh lanes %#x, want %#x", name, fresh, test.fresh)
		}
		s.written.Add(1)
		written := s.written.Load()
		if test.during != nil {
			test.during(f)
		}
		tab.repeat(s, 0, x, fresh, written, written)
		if got := tab.load(0); got != test.want {
			t.Errorf("%s: %x, want %x", name, got, test.want)
		}
		members := 1.0
		for _, more := range []func(*Filter){test.before, test.during} {
			if more != nil && name != "it was lost" {
				members++
			}
		}
		if got := f.State().Members; got != members || f.Repeated() != 1 {
			t.Errorf("%s: %g members, want %g; %d repeated", name, got, members, f.Repeated())
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
