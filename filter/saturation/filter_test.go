package saturation_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/kinds"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/filter/saturation"
)

var fixed = keytest.Key(0, 0, 0, 0, 0, 0, 0, 9)

// filters returns a filter of each kind whose fill grows with its members. The fill of a rolling
// filter falls with each generation that ends, so there is none.
func filters(t *testing.T, members int) map[string]filter.StoredSet {
	all := map[string]filter.StoredSet{}
	for _, kind := range kinds.All() {
		if kind.From != "" || kind.Name == rolling.Kind.Name ||
			kind.Promises&(base.Forgets|base.Grows) != 0 {
			continue
		}
		f, err := kind.New(filter.Sizing{Members: members, BitsPerKey: 24, Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		all[kind.Name] = f
	}
	if len(all) < 5 {
		t.Fatalf("%d kinds", len(all))
	}
	return all
}

func watch(t *testing.T, f filter.StoredSet, config saturation.Config) *saturation.Filter {
	t.Helper()
	s, err := saturation.New(f, config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Inserts are refused when the fill is reached, within 1 % of it, and earlier members stay. A batch
// has the results of its inserts one after another.
func TestInsertsEndAtTheFill(t *testing.T) {
	for _, members := range []int{40, 3000} {
		batched := filters(t, members)
		for name, f := range filters(t, members) {
			const most = 0.2
			single, batch := watch(t, f, saturation.Config{Fill: most}),
				watch(t, batched[name], saturation.Config{Fill: most})
			rng := rand.New(rand.NewPCG(1, 2))
			var hashes, answers []uint64
			var refused error
			for refused == nil {
				h := rng.Uint64()
				if len(hashes) > 0 && rng.IntN(8) == 0 {
					h = hashes[rng.IntN(len(hashes))] // present before
				}
				present, err := single.InsertHash(h)
				if refused = err; err != nil {
					break
				}
				if len(hashes)%64 == 0 {
					answers = append(answers, 0)
				}
				if present {
					answers[len(hashes)/64] |= 1 << (len(hashes) % 64)
				}
				hashes = append(hashes, h)
			}
			state := f.State()
			var err error
			if state.Fill, _, err = f.ScanFill(); err != nil {
				t.Fatal(err)
			}
			var full *saturation.Error
			if !errors.Is(refused, filter.ErrFull) || !errors.As(refused, &full) ||
				full.Most != most || full.Fill != state.Fill {
				t.Fatalf("%s: %v at %+v", name, refused, state)
			}
			// the most that the last insert may add, which is more than the mean
			last := 3 * most / float64(len(hashes))
			if state.Fill < most || state.Fill > 1.01*most+last {
				t.Errorf("%s, %d members: refused at a fill of %.4f, want %g and a hundredth", name,
					members, state.Fill, most)
			}
			if found := single.QueryHashBatch(hashes, nil); found != len(hashes) {
				t.Errorf("%s: %d of %d members are present", name, found, len(hashes))
			}
			more := append(slices.Clone(hashes), rng.Uint64(), rng.Uint64())
			present, n := make([]uint64, filter.Words(len(more))), 0
			for i := range present {
				present[i] = 0xa5a5a5a5a5a5a5a5
			}
			for _, size := range []int{1, 64, 3, 130, len(more)} {
				var err error
				m := 0
				if size = min(size, len(more)-n); n%64 == 0 {
					m, err = batch.InsertHashBatch(more[n:n+size], present[n/64:])
				} else {
					words := make([]uint64, filter.Words(size))
					m, err = batch.InsertHashBatch(more[n:n+size], words)
					for i := range m {
						bit := uint64(1) << ((n + i) % 64)
						present[(n+i)/64] &^= bit
						if filter.At(words, i) {
							present[(n+i)/64] |= bit
						}
					}
				}
				if n += m; err != nil && (!errors.Is(err, filter.ErrFull) ||
					n != len(hashes)) {
					t.Fatalf("%s: %d of %d are in: %v", name, n, len(hashes), err)
				}
				if err != nil {
					break
				}
			}
			if n != len(hashes) || !equal(present, answers, n) {
				t.Errorf("%s: %d inserts by batches, %d by single calls, with answers %x and %x",
					name, n, len(hashes), present, answers)
			}
			if a, b := batched[name].State(), f.State(); a != b {
				t.Errorf("%s: by batches %+v, by single calls %+v", name, a, b)
			}
		}
	}
}

// equal reports whether the first n answers are the same.
func equal(a, b []uint64, n int) bool {
	for i := range n {
		if filter.At(a, i) != filter.At(b, i) {
			return false
		}
	}
	return true
}

// After deletes a full filter accepts members again.
func TestDeletesMakeRoom(t *testing.T) {
	f, err := deletable.New(deletable.Config{Members: 3000, BitsPerKey: 24, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	s := watch(t, f, saturation.Config{Fill: 0.2})
	n := uint64(0)
	for ; ; n++ {
		if _, err := s.InsertUint64(n); err != nil {
			break
		}
	}
	if _, err := s.InsertUint64(n); !errors.Is(err, filter.ErrFull) {
		t.Errorf("asked again: %v", err)
	}
	for i := range n / 2 {
		f.DeleteUint64(i)
	}
	for i := range n / 4 {
		if _, err := s.InsertUint64(n + i); err != nil {
			t.Fatalf("after %d deletes, insert %d is refused: %v", n/2, i, err)
		}
	}
}

// Saturated is called repeatedly instead of a refusal, and may refuse.
func TestTheOwnerIsAsked(t *testing.T) {
	f, err := plain.New(plain.Config{Members: 10_000, BitsPerKey: 10, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	own := errors.New("no more")
	calls := 0
	s := watch(t, f, saturation.Config{Fill: 0.25, Saturated: func(state filter.State) error {
		if calls++; state.Fill < 0.25 {
			t.Errorf("asked at %+v", state)
		}
		if state.Fill > 0.5 {
			return own
		}
		return nil
	}})
	n := uint64(0)
	for ; ; n++ {
		if _, err = s.InsertUint64(n); err != nil {
			break
		}
	}
	if fill := f.Stats().Fill; !errors.Is(err, own) || fill < 0.5 || fill > 0.505 || calls < 100 ||
		calls > 1500 {
		t.Errorf("asked %d times, until %d inserts and a fill of %.3f: %v", calls, n, fill, err)
	}
}

// counted counts the scans.
type counted struct {
	*deletable.Filter
	scans int
}

func (c *counted) ScanFill() (fill, most float64, err error) {
	c.scans++
	return c.Filter.ScanFill()
}

// Looks at the fill are rare, and a refused insert causes none.
func TestLooksAreFew(t *testing.T) {
	f, err := deletable.New(deletable.Config{Members: 200_000, BitsPerKey: 16, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	f.InsertUint64(1 << 40)
	f.DeleteUint64(1 << 40) // from here on a look is a scan
	c := &counted{Filter: f}
	s := watch(t, c, saturation.Config{Fill: 0.3})
	rng, hashes := rand.New(rand.NewPCG(3, 4)), make([]uint64, 1000)
	for err == nil {
		for i := range hashes {
			hashes[i] = rng.Uint64()
		}
		_, err = s.InsertHashBatch(hashes, nil)
	}
	for range 1000 {
		if _, err := s.InsertHash(5); err == nil {
			t.Fatal("inserted")
		}
	}
	if c.scans < 5 || c.scans > 80 {
		t.Errorf("%d looks at the state", c.scans)
	}
}

// Keys that are inserted many times are many members with few bits. The pace of the next inserts is
// not taken from them.
func TestRepeatedKeys(t *testing.T) {
	f, err := deletable.New(deletable.Config{Members: 10_000, BitsPerKey: 16, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	s := watch(t, f, saturation.Config{Fill: 0.5})
	f.InsertHash(77)
	f.DeleteHash(77) // from here on a look is a scan
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 1_000_000 {
		if _, err := s.InsertHash(uint64(i%20) << 40); err != nil {
			t.Fatal(err)
		}
	}
	for err == nil {
		_, err = s.InsertHash(rng.Uint64())
	}
	if fill := f.Stats().Fill; !errors.Is(err, filter.ErrFull) || fill > 0.505 {
		t.Errorf("a fill of %g, and %v", fill, err)
	}
}

// One key that comes again and again does not fill a filter of any kind. A refusal by the filter
// itself ends the try, as that of a cuckoo filter does after the eighth time.
func TestAHotKey(t *testing.T) {
	for name, f := range filters(t, 1000) {
		s := watch(t, f, saturation.Config{Fill: 0.2})
		for i := range 20_000 {
			var saturated *saturation.Error
			if _, err := s.InsertHash(42); errors.As(err, &saturated) {
				t.Errorf("%s: after %d inserts of one key: %v", name, i, err)
				break
			} else if err != nil {
				break
			}
		}
	}
}

// A filter after a refresh has as many members as before, and room for more.
func TestRefreshed(t *testing.T) {
	f, err := deletable.New(deletable.Config{Members: 1000, BitsPerKey: 16, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	s := watch(t, f, saturation.Config{Fill: 0.3})
	rng, live := rand.New(rand.NewPCG(7, 8)), []uint64(nil)
	for {
		h := rng.Uint64()
		if _, err = s.InsertHash(h); err != nil {
			break
		}
		if live = append(live, h); len(live) > 300 {
			f.DeleteHash(live[0])
			live = live[1:]
		}
	}
	err = f.RefreshHash(t.Context(), 0, f.Shape().Blocks,
		func(low, high uint64) iter.Seq2[uint64, error] {
			return func(yield func(uint64, error) bool) {
				for _, h := range live {
					if h >= low && h <= high && !yield(h, nil) {
						return
					}
				}
			}
		})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err = s.InsertHash(rng.Uint64()); err == nil {
			return
		}
	}
	t.Errorf("at a fill of %g: %v", f.Stats().Fill, err)
}

// A Filter that is far from full keeps the laws of its filter.
func TestLaws(t *testing.T) {
	kind := plain.Kind
	watched := func(f filter.Stored, err error) (filter.StoredSet, error) {
		if err != nil {
			return nil, err
		}
		return saturation.New(f.(filter.StoredSet), saturation.Config{Fill: 1})
	}
	kind.New = func(s filter.Sizing) (filter.StoredSet, error) { return watched(plain.Kind.New(s)) }
	kind.Decode = func(c *file.Contents, k key.Key) (filter.Stored, error) {
		return watched(plain.Kind.Decode(c, k))
	}
	filtertest.Run(t, kind)
}

// An insert after a refusal and a Close returns ErrClosed, into a filter of every kind.
func TestClosedAfterRefusal(t *testing.T) {
	for name, f := range filters(t, 40) {
		s := watch(t, f, saturation.Config{Fill: 0.05})
		for err, n := error(nil), uint64(0); err == nil; n++ {
			_, err = s.InsertUint64(n)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.InsertHash(1); !errors.Is(err, filter.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
		if n, err := s.InsertHashBatch([]uint64{1, 2}, nil); n != 0 ||
			!errors.Is(err, filter.ErrClosed) {
			t.Errorf("%s: %d inserts, and %v", name, n, err)
		}
		if _, err := saturation.New(f, saturation.Config{Fill: 0.5}); !errors.Is(err,
			filter.ErrClosed) {
			t.Errorf("%s: a new Filter: %v", name, err)
		}
	}
	if _, err := saturation.New(nil, saturation.Config{Fill: 0.5}); !errors.Is(err,
		filter.ErrClosed) {
		t.Errorf("no filter: %v", err)
	}
}

// An insert by the Filter within Saturated is refused, unless the call has made room.
func TestInsertsWithinSaturated(t *testing.T) {
	f, err := plain.New(plain.Config{Members: 1000, BitsPerKey: 10, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	var s *saturation.Filter
	refused, calls := 0, 0
	s = watch(t, f, saturation.Config{Fill: 0.25, Saturated: func(filter.State) error {
		calls++
		_, err := s.InsertHashBatch([]uint64{uint64(calls) << 40}, nil)
		if errors.Is(err, filter.ErrFull) {
			refused++
		}
		if calls%4 == 0 {
			f.Reset()
			if _, err := s.InsertHash(uint64(calls) << 41); err != nil {
				t.Errorf("with room: %v", err)
			}
		}
		return nil
	}})
	for n := range uint64(2000) {
		if _, err := s.InsertUint64(n); err != nil {
			t.Fatal(err)
		}
	}
	if calls < 10 || refused != calls {
		t.Errorf("%d calls, and %d inserts in them refused", calls, refused)
	}
}

func TestRefusesConfigs(t *testing.T) {
	f := filters(t, 10)["plain"]
	for _, fill := range []float64{0, -1, 1.1} {
		var sizing *filter.SizingError
		if _, err := saturation.New(f, saturation.Config{Fill: fill}); !errors.As(err, &sizing) ||
			sizing.Field != "Fill" {
			t.Errorf("a fill of %g: %v", fill, err)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	f, err := deletable.New(deletable.Config{Members: 100_000, BitsPerKey: 16, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	s := watch(t, f, saturation.Config{Fill: 0.2})
	hashes, present := make([]uint64, 100), make([]uint64, 2)
	if n := testing.AllocsPerRun(10, func() {
		for i := range hashes {
			hashes[i] = fallback.Spread(hashes[i] + uint64(i) + 1)
		}
		if _, err := s.InsertHashBatch(hashes, present); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Nobody knows how many keys will come. Inserts end when half of the bits are set.
func Example() {
	f, err := deletable.New(deletable.Config{Members: 1000, Rate: 0.01, Key: fixed})
	if err != nil {
		panic(err)
	}
	s, err := saturation.New(f, saturation.Config{Fill: 0.5})
	if err != nil {
		panic(err)
	}
	for n := range uint64(10_000) {
		if _, err := s.InsertUint64(n); errors.Is(err, filter.ErrFull) {
			fmt.Printf("full after %d members: false positives %.1f %%", f.Members(),
				100*f.State().Rate)
			break
		}
	}
	// Output: full after 1026 members: false positives 1.0 %
}
