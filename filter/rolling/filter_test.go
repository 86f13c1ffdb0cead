package rolling

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// fixed is the hash key of the tests, so that every run is the same.
var (
	fixed     = keytest.Fixed
	newFilter = filtertest.New(New)
)

func ringOf(f *Filter) *ring { return base.Require(&f.Life) }

func mustInsert(t testing.TB, f *Filter, hash uint64) Generation {
	t.Helper()
	if _, err := f.InsertHash(hash); err != nil {
		t.Fatal(err)
	}
	return f.Newest()
}

// at returns a hash with given positions in its seven lanes, in a table of one block. It inverts
// the multiplication of the format.
func hash(positions [7]uint64) uint64 {
	const multiplier = 0x9E3779B97F4A7C15
	inverse := uint64(multiplier)
	for range 6 { // Newton's method: each step doubles the number of right bits
		inverse *= 2 - multiplier*inverse
	}
	var g uint64
	for i, p := range positions {
		g |= p << (64 - 6*(i+1))
	}
	return g * inverse
}

// Keys. The third is present in a generation that has the first two.
var (
	zeros = hash([7]uint64{0, 0, 0, 0, 0, 0, 0})
	ones  = hash([7]uint64{1, 1, 1, 1, 1, 1, 1})
	mixed = hash([7]uint64{0, 1, 0, 1, 0, 1, 0})
	twos  = hash([7]uint64{2, 2, 2, 2, 2, 2, 2})
)

// oneBlock is the smallest filter of the tests: tables of one block, which accept four inserts
// each.
var oneBlock = Config{Members: 4, BitsPerKey: 1, Generations: 3, Capacity: 4}

func TestADeleteIsWhereTheKeyIs(t *testing.T) {
	for _, test := range []struct {
		name   string
		delete func(f *Filter, where Generation) Status
		status Status
	}{
		{"from the generation that is known",
			func(f *Filter, g Generation) Status { return f.DeleteHashIn(g, mixed) }, Deleted},
		{"from any, where two show it",
			func(f *Filter, _ Generation) Status { return f.DeleteHash(mixed) }, Retained},
		{"from none", func(f *Filter, _ Generation) Status { return f.DeleteHashIn(0, mixed) },
			Retained},
	} {
		f := newFilter(t, oneBlock)
		mustInsert(t, f, zeros)
		mustInsert(t, f, ones)
		if err := f.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		// a member of the second generation, and a false positive of the first
		g := mustInsert(t, f, mixed)
		if status := test.delete(f, g); status != test.status {
			t.Errorf("%s: %v, want %v", test.name, status, test.status)
		}
		if !f.QueryHash(zeros) || !f.QueryHash(ones) {
			t.Errorf("%s: the delete took bits of other members", test.name)
		}
		shown := ringOf(f).newest().table.Query(mixed)
		if shown != (test.status == Retained) {
			t.Errorf("%s: its own generation shows it: %v", test.name, shown)
		}
	}
}

func TestADeleteOfAKeyThatOneGenerationShows(t *testing.T) {
	f := newFilter(t, oneBlock)
	mustInsert(t, f, zeros)
	if err := f.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustInsert(t, f, ones)
	if status := f.DeleteHash(ones); status != Deleted || f.QueryHash(ones) || !f.QueryHash(zeros) {
		t.Errorf("%v, visible %v, and the other member %v", status, f.QueryHash(ones),
			f.QueryHash(zeros))
	}
	if status := f.DeleteHash(ones); status != Absent {
		t.Errorf("%v, want absent", status)
	}
}

// An owner who knows the generations and replaces the oldest members needs no stragglers: the
// generations become empty and are used again.
func TestAGenerationRetiresWithItsLastMember(t *testing.T) {
	const members = 1000
	f := newFilter(t, Config{Members: members, BitsPerKey: 32})
	type known struct {
		hash uint64
		in   Generation
	}
	var queue []known
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 50*members + 77 { // so that the last generations are in use in part
		if i >= members {
			f.DeleteHashIn(queue[0].in, queue[0].hash)
			queue = queue[1:]
		}
		hash := rng.Uint64()
		queue = append(queue, known{hash, mustInsert(t, f, hash)})
	}
	for _, k := range queue {
		if !f.QueryHash(k.hash) {
			t.Fatal("a member is not found")
		}
	}
	if s := f.Stats(); s.Moved != 0 || s.Expired != 0 || s.Retired < 90 || s.Members != members {
		t.Errorf("%+v, want no moves, %d members and 96 generations retired or so", s, members)
	}
}

// A generation is used again as soon as its last member is deleted, at any place in the ring. The
// newest is used again when it is closed.
func TestEachGenerationRetires(t *testing.T) {
	const generations = 5
	for k := range generations {
		f := newFilter(t, Config{Members: 8, BitsPerKey: 1, Generations: generations, Capacity: 2})
		var where [generations]Generation
		for i := range where {
			mustInsert(t, f, twos)
			if where[i] = mustInsert(t, f, zeros); i < generations-1 {
				if err := f.Rotate(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		f.DeleteHashIn(where[k], twos)
		before := f.Stats()
		f.DeleteHashIn(where[k], zeros)
		newest := k == generations-1
		want := generations - 1
		if newest {
			want++
		}
		if s := f.Stats(); before.Live != generations || s.Live != want ||
			s.Retired != generations-want {
			t.Errorf("without members in generation %d: %d live, %d retired, want %d live", k,
				s.Live, s.Retired, want)
		}
		if err := f.Rotate(t.Context()); newest && (err != nil || f.Stats().Live != generations ||
			f.Stats().Retired != 1) {
			t.Errorf("the newest is empty and closed: %+v, error %v", f.Stats(), err)
		}
	}
	// The same holds for a single generation: a retained key is gone with it.
	f := newFilter(t, oneBlock)
	g := mustInsert(t, f, zeros)
	mustInsert(t, f, zeros)
	for range 2 {
		f.DeleteHashIn(g, zeros)
	}
	visible := f.QueryHash(zeros)
	err := f.Rotate(t.Context())
	if s := f.Stats(); err != nil || !visible || f.QueryHash(zeros) || s.Live != 1 ||
		s.Retired != 1 {
		t.Errorf("visible %v, then %v; %+v, error %v", visible, f.QueryHash(zeros), s, err)
	}
}

// A batch that is longer than the ring stops where its own first keys would have to go, because
// their owner cannot supply them as stragglers yet. All forms of keys return how many were
// inserted.
func TestABatchThatFillsTheRing(t *testing.T) {
	const capacity, generations = 600, 3
	numbers := make([]uint64, generations*capacity+1000)
	keys, hashes := make([][]byte, len(numbers)), make([]uint64, len(numbers))
	for i := range numbers {
		numbers[i] = uint64(i)
		keys[i] = []byte{byte(i), byte(i >> 8), 0, 0, 0, 0, 0, 0}
		hashes[i] = fixed.HashUint64(numbers[i])
	}
	for _, before := range []int{0, 1, capacity - 1, capacity, capacity + 1, 2 * capacity} {
		for name, insert := range map[string]func(f *Filter) (int, error){
			"bytes":  func(f *Filter) (int, error) { return f.InsertBatch(keys, nil) },
			"uint64": func(f *Filter) (int, error) { return f.InsertUint64Batch(numbers, nil) },
			"hash":   func(f *Filter) (int, error) { return f.InsertHashBatch(hashes, nil) },
		} {
			config := Config{Members: 1000, BitsPerKey: 32, Generations: generations,
				Capacity: capacity}
			config.Stragglers = func(
				context.Context,
				Generation,
				Generation,
			) iter.Seq2[uint64, error] {
				return func(func(uint64, error) bool) {}
			}
			f := newFilter(t, config)
			for i := range before { // members that their owner does not supply, so they leave
				mustInsert(t, f, fixed.HashUint64(1<<40+uint64(i)))
			}
			n, err := insert(f)
			// The generation of the first key stays, with its other members.
			want, first := generations*capacity-before%capacity, Generation(1+before/capacity)
			var e *StragglersError
			if n != want || !errors.As(err, &e) || !errors.Is(err, filter.ErrFull) ||
				e.Generation != first {
				t.Errorf("%s after %d keys: %d inserted (%v), want %d", name, before, n, err, want)
			}
			if found := f.QueryHashBatch(hashes[:n], nil); found != n {
				t.Errorf("%s after %d keys: %d of the %d inserted are found", name,
					before, found, n)
			}
		}
	}
}

// A delete by generation finds its key in all forms of keys, also if several generations show it.
func TestDeleteInOfAllKinds(t *testing.T) {
	const number = 7
	key, hash := []byte{number, 0, 0, 0, 0, 0, 0, 0}, fixed.HashUint64(number)
	for name, delete := range map[string]func(f *Filter, g Generation) Status{
		"bytes": func(f *Filter, g Generation) Status { return f.DeleteHashIn(g, f.Hash(key)) },
		"uint64": func(f *Filter, g Generation) Status {
			return f.DeleteHashIn(g,
				f.HashUint64(number))
		},
		"hash": func(f *Filter, g Generation) Status { return f.DeleteHashIn(g, hash) },
	} {
		f := newFilter(t, oneBlock)
		mustInsert(t, f, hash)
		if err := f.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
		g := mustInsert(t, f, hash)
		status := delete(f, g)
		if status != Deleted || ringOf(f).newest().table.Query(hash) ||
			!ringOf(f).live[0].table.Query(hash) {
			t.Errorf("%s: %v, want deleted, and from the generation alone", name, status)
		}
	}
}

// Without a source of stragglers the insert fails, nothing changes and no member is lost.
func TestAnInsertThatWouldLoseMembersFails(t *testing.T) {
	f := newFilter(t, oneBlock)
	rng := rand.New(rand.NewPCG(2, 2))
	hashes := workload.Hashes(rng, 12)
	generations := make([]Generation, 13)
	n, err := f.InsertHashBatchIn(append(hashes, rng.Uint64()), generations)
	var e *StragglersError
	if n != 12 || !errors.As(err, &e) || !errors.Is(err, ErrStragglers) || e.Generation != 1 ||
		e.Found != 4 {
		t.Fatalf("%d inserted: %v; want 12 and a *StragglersError of 4 in generation 1", n, err)
	}
	const want = "rolling filter: generation 1: full: members are left, and there is no " +
		"source of stragglers: found 4, expected at most 0"
	if err.Error() != want {
		t.Errorf("%s, want\n%s", err, want)
	}
	before := f.Stats()
	if _, err := f.InsertHash(rng.Uint64()); !errors.Is(err, ErrStragglers) {
		t.Errorf("%v, want ErrStragglers", err)
	}
	if err := f.Rotate(t.Context()); !errors.Is(err, ErrStragglers) {
		t.Errorf("%v, want ErrStragglers", err)
	}
	if f.Stats() != before || f.QueryHashBatch(hashes, nil) != len(hashes) {
		t.Errorf("%+v, want %+v", f.Stats(), before)
	}
	if slices.Compact(generations[:12])[2] != 3 {
		t.Errorf("generations %v, want four of 1, 2 and 3 each", generations)
	}
}

// Stragglers that do not fit change nothing, and the number that their generation would have is not
// used again, because their owner may have recorded it.
func TestStragglersThatDoNotFit(t *testing.T) {
	config := oneBlock
	var given []uint64
	var generations [2]Generation
	config.Stragglers = func(_ context.Context, from, to Generation) iter.Seq2[uint64, error] {
		generations = [2]Generation{from, to}
		return filter.Infallible(slices.Values(given))
	}
	f := newFilter(t, config)
	for range 3 {
		mustInsert(t, f, zeros)
		mustInsert(t, f, ones)
		mustInsert(t, f, mixed)
		mustInsert(t, f, mixed)
	}
	given = []uint64{zeros, ones, mixed, zeros, ones, mixed}
	before := f.Stats()
	_, err := f.InsertHash(zeros)
	var e *StragglersError
	if !errors.As(err, &e) || *e != (StragglersError{filter.ErrFull, 1, 5, 4}) {
		t.Errorf("%v, want generation 1 to be full: 5 stragglers for 4 places", err)
	}
	if generations != [2]Generation{1, 4} || f.Stats() != before {
		t.Errorf("%v after %v, and %+v; want ErrFull after 1 4, and %+v", err, generations,
			f.Stats(), before)
	}
	given = nil
	if g := mustInsert(t, f, zeros); g != 5 {
		t.Errorf("generation %d, want 5", g)
	}
	// If all members of every generation are left, no number of moves makes room.
	given = []uint64{zeros, ones, mixed, mixed}
	for range 2 {
		if err := f.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = f.InsertHashBatch([]uint64{zeros, ones, mixed, mixed}, nil)
	if _, err := f.InsertHash(zeros); !errors.Is(err, filter.ErrFull) {
		t.Errorf("%v, want ErrFull", err)
	}
}

// If a source of stragglers fails, or its context ends, nothing moves, every member stays, and the
// insert returns the error.
func TestStragglersThatFail(t *testing.T) {
	broken := errors.New("the list is gone")
	for name, test := range map[string]struct {
		yield  []uint64 // yielded before the error
		err    error    // the error of the source
		cancel bool     // whether the source cancels the context
	}{
		"at once":                    {nil, broken, false},
		"half way":                   {[]uint64{zeros, ones}, broken, false},
		"at the end":                 {[]uint64{zeros, ones, mixed, mixed}, broken, false},
		"a context":                  {[]uint64{zeros}, nil, true},
		"a context, before any":      {nil, nil, true},
		"a context that nobody sees": {[]uint64{zeros, ones, mixed}, nil, true},
	} {
		config := oneBlock
		var cancel context.CancelCauseFunc
		config.Stragglers = func(ctx context.Context, _, _ Generation) iter.Seq2[uint64, error] {
			return func(yield func(uint64, error) bool) {
				for _, hash := range test.yield {
					if !yield(hash, nil) {
						return
					}
				}
				if test.cancel {
					cancel(broken)
				} else {
					yield(mixed, test.err)
				}
			}
		}
		f := newFilter(t, config)
		for range 3 {
			mustInsert(t, f, zeros)
			mustInsert(t, f, ones)
			mustInsert(t, f, mixed)
			mustInsert(t, f, mixed)
		}
		before := f.Stats()
		if !f.Full() {
			t.Errorf("%s: not full", name)
		}
		var ctx context.Context
		ctx, cancel = context.WithCancelCause(t.Context())
		defer cancel(nil)
		var e *StragglersError
		if err := f.Rotate(ctx); !errors.Is(err, broken) || !errors.As(err, &e) ||
			!strings.Contains(err.Error(), "the list is gone") {
			t.Errorf("%s: rotate: %v, want %v", name, err, broken)
		}
		if !test.cancel { // the context of an insert does not end
			if _, err := f.InsertHash(zeros); !errors.Is(err, broken) {
				t.Errorf("%s: insert: %v, want %v", name, err, broken)
			}
			if n, err := f.InsertHashBatch([]uint64{zeros, ones}, nil); n != 0 ||
				!errors.Is(err, broken) {
				t.Errorf("%s: batch: %d inserted, %v", name, n, err)
			}
		}
		if f.Stats() != before || !f.QueryHash(zeros) || !f.QueryHash(ones) || !f.QueryHash(mixed) {
			t.Errorf("%s: %+v, want %+v", name, f.Stats(), before)
		}
	}
}

func TestFull(t *testing.T) {
	f := newFilter(t, oneBlock)
	for n := range 9 {
		if want := n > 0 && n%4 == 0; f.Full() != want {
			t.Errorf("full after %d inserts: %v", n, !want)
		}
		mustInsert(t, f, zeros)
	}
}

// With Expire a batch is inserted whole, or returns where it stopped: its first keys do not expire
// for its last ones.
func TestABatchDoesNotExpireItself(t *testing.T) {
	const capacity, generations = 100, 4
	f := newFilter(t, Config{Members: 300, BitsPerKey: 32, Generations: generations,
		Capacity: capacity, Expire: true})
	rng := rand.New(rand.NewPCG(4, 4))
	for range 3 {
		mustInsert(t, f, rng.Uint64()) // members of earlier batches, which may expire
	}
	hashes := workload.Hashes(rng, 10*capacity)
	n, err := f.InsertHashBatch(hashes, nil)
	if want := generations*capacity - 3; n != want || !errors.Is(err, filter.ErrFull) {
		t.Errorf("%d inserted (%v), want %d and ErrFull", n, err, want)
	}
	if found := f.QueryHashBatch(hashes[:n], nil); found != n {
		t.Errorf("%d of the %d inserted are found", found, n)
	}
	newest := f.Newest()
	if _, err := f.InsertHashBatch(hashes[n:][:capacity], nil); err != nil {
		t.Errorf("another batch: %v", err)
	}
	if got := f.Newest(); got != newest+1 {
		t.Errorf("generation %d follows %d", got, newest)
	}
}

// Members expire by rotations, also if generations became empty before.
func TestExpire(t *testing.T) {
	config := oneBlock
	config.Expire = true
	f := newFilter(t, config)
	g := mustInsert(t, f, zeros)
	for rotations := range 5 {
		if want := rotations < config.Generations; f.QueryHash(zeros) != want {
			t.Errorf("after %d rotations: visible %v, want %v", rotations, !want, want)
		}
		if err := f.Rotate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	// The owner cannot know whether a member has expired. Here mixed has expired, and is a false
	// positive of a live generation. A delete that cleared its bits would lose both members.
	mustInsert(t, f, zeros)
	where := mustInsert(t, f, ones)
	for _, test := range []struct {
		name   string
		delete func() Status
		want   Status
	}{
		{"an expired key that a live generation shows",
			func() Status { return f.DeleteHash(mixed) }, Retained},
		{"the same, of a generation that has retired",
			func() Status { return f.DeleteHashIn(g, mixed) }, Absent},
		{"an expired key that no generation shows", func() Status { return f.DeleteHash(twos) },
			Absent},
		{"the same, of a generation that has retired",
			func() Status { return f.DeleteHashIn(g, twos) }, Absent},
		{"a key that is a member again", func() Status { return f.DeleteHashIn(g, zeros) }, Absent},
		{"a member by its key alone", func() Status { return f.DeleteHash(ones) }, Retained},
		{"the same, of no generation", func() Status { return f.DeleteHashIn(0, ones) }, Retained},
	} {
		status := test.delete()
		if !f.QueryHash(zeros) || !f.QueryHash(ones) {
			t.Fatalf("delete of %s: %v, and a member is lost", test.name, status)
		}
		if status != test.want {
			t.Errorf("delete of %s: %v, want %v", test.name, status, test.want)
		}
	}
	if status := f.DeleteHashIn(where, ones); status != Deleted || f.QueryHash(ones) ||
		!f.QueryHash(zeros) {
		t.Errorf("%v in its generation, want deleted", status)
	}
	if s := f.Stats(); s.Expired != 1 {
		t.Errorf("%d expired, want 1", s.Expired)
	}
}

func TestConfigErrors(t *testing.T) {
	stragglers := func(context.Context, Generation, Generation) iter.Seq2[uint64, error] {
		return func(func(uint64, error) bool) {}
	}
	for _, test := range []struct {
		config Config
		field  string
	}{
		{Config{Rate: 0.01}, "Members"},
		{Config{Members: math.MaxInt, Rate: 0.01}, "Members"},
		{Config{Members: math.MaxInt/4 + 1, Rate: 0.01}, "Members"},
		{Config{Members: 1}, "Rate"},
		{Config{Members: 1, Rate: 1}, "Rate"},
		{Config{Members: 1, Rate: -1}, "Rate"},
		{Config{Members: 1, Rate: math.NaN()}, "Rate"},
		{Config{Members: deletable.MaxBlocks, Rate: 1e-15}, "Rate"},
		{Config{Members: 1, Rate: 0.5, BitsPerKey: 16}, "BitsPerKey"},
		{Config{Members: 1, BitsPerKey: -1}, "BitsPerKey"},
		{Config{Members: 1, BitsPerKey: math.NaN()}, "BitsPerKey"},
		{Config{Members: 1, BitsPerKey: math.Inf(1)}, "BitsPerKey"},
		{Config{Members: deletable.MaxBlocks, BitsPerKey: 1024}, "BitsPerKey"},
		{Config{Members: 1, Rate: 0.5, Generations: 1}, "Generations"},
		{Config{Members: 1, Rate: 0.5, Generations: -1}, "Generations"},
		{Config{Members: 1, Rate: 0.5, Generations: maxGenerations + 1}, "Generations"},
		{Config{Members: 100, Rate: 0.5, Capacity: 33}, "Capacity"},
		{Config{Members: 100, Rate: 0.5, Capacity: -1}, "Capacity"},
		{Config{Members: 100, Rate: 0.5, Capacity: math.MaxInt}, "Capacity"},
		{Config{Members: 1, Rate: 0.5, Expire: true, Stragglers: stragglers}, "Expire"},
	} {
		f, err := New(test.config)
		var e *filter.SizingError
		if f != nil || !errors.As(err, &e) || e.Field != test.field || e.Kind != "rolling" {
			t.Errorf("%+v: %v, want a *filter.SizingError of %s", test.config, err, test.field)
		}
	}
}

// For a rate Shape finds the smallest tables that keep it in sum. Memory does not exceed
// BitsPerKey.
func TestPlan(t *testing.T) {
	for _, generations := range []int{0, 2, 3, 8} {
		for _, rate := range []float64{0.1, 0.01, 0.001} {
			c := Config{Members: 10_000, Rate: rate, Generations: generations}
			p, err := c.Shape()
			if err != nil {
				t.Fatal(err)
			}
			sum := func(nblocks int) float64 {
				return float64(p.Generations) * deletable.Shape{Blocks: nblocks}.Rate(p.Capacity)
			}
			if got := p.Rate(math.MaxInt); got != sum(p.Blocks) || got > rate ||
				sum(p.Blocks-1) <= rate {
				t.Errorf("%+v for %g: the sum is %g, and with a block less %g", p, rate,
					sum(p.Blocks), sum(p.Blocks-1))
			}
			if (p.Generations-1)*p.Capacity < c.Members {
				t.Errorf("%+v: no room for %d members", p, c.Members)
			}
		}
	}
	// The largest tables, to the block.
	const most, bits = deletable.MaxBlocks / 4, float64(8 * deletable.BlockBytes)
	for _, test := range []struct {
		blocks float64 // blocks of each table
		want   int     // 0 stands for an error
	}{{1.9, 1}, {most, most}, {most + 0.5, most}, {most + 1, 0}, {most + 1.5, 0}} {
		c := Config{Members: 1 << 20, BitsPerKey: test.blocks * 4 * bits / (1 << 20)}
		if p, err := c.Shape(); p.Blocks != test.want || (err == nil) != (test.want > 0) {
			t.Errorf("%v blocks a table: %+v, error %v; want %d", test.blocks, p, err, test.want)
		}
	}
	c := Config{Members: 10_000, BitsPerKey: 40}
	if p, err := c.Shape(); err != nil || p.Bytes() > 50_000 ||
		p.Bytes() < 50_000-4*deletable.BlockBytes {
		t.Errorf("%+v (%v), want 50000 bytes, less than a block a table fewer", p, err)
	}
}

// The table of docs/theory/rolling.md: the memory of four generations, which is less than that of
// counters.
func TestTheMemoryOfTheDocumentation(t *testing.T) {
	const members = 1_000_000
	for _, test := range []struct{ rate, bits, counting float64 }{
		{0.05, 21.8, 24.9}, {0.01, 30.8, 38.3}, {0.001, 48.6, 57.4}, {0.0001, 75.5, 76.5},
	} {
		c := Config{Members: members, Rate: test.rate}
		p, err := c.Shape()
		if err != nil {
			t.Fatal(err)
		}
		bits, counting := 8*float64(p.Bytes())/members, 4*1.44*math.Log2(1/test.rate)
		if math.Abs(bits-test.bits) > 0.1 || math.Abs(counting-test.counting) > 0.1 ||
			bits > counting {
			t.Errorf("rate %g: %.2f bits per member, counting %.2f, want %.1f and %.1f", test.rate,
				bits, counting, test.bits, test.counting)
		}
	}
}

// A batch says the generation of each key, as inserts one after another do, and makes their filter.
func TestABatchSaysItsGenerations(t *testing.T) {
	hashes := workload.Hashes(rand.New(rand.NewPCG(5, 5)), 2*chunk+77)
	config := Config{Members: 900, BitsPerKey: 10, Capacity: 400} // they end within chunks
	one, batch := newFilter(t, config), newFilter(t, config)
	want, generations := make([]Generation, len(hashes)), make([]Generation, len(hashes))
	for i, hash := range hashes {
		want[i] = mustInsert(t, one, hash)
	}
	if n, err := batch.InsertHashBatchIn(hashes, generations); n != len(hashes) || err != nil ||
		!slices.Equal(generations, want) || !one.Equal(batch) || one.Newest() < 3 {
		t.Errorf("%d inserted into %v, want %v (%v)", n, generations, want, err)
	}
}

// Package filtertest has the calls of all kinds.
func TestNoCallAllocates(t *testing.T) {
	f := newFilter(t, Config{Members: 100_000, BitsPerKey: 16, Expire: true})
	hashes, generations := make([]uint64, 2*chunk+7), make([]Generation, 2*chunk+7)
	for name, call := range map[string]func(){
		"DeleteHashIn": func() { f.DeleteHashIn(1, 1) },
		"InsertHash":   func() { _, _ = f.InsertHash(1) }, // which rotates
		"in":           func() { _, _ = f.InsertHashBatchIn(hashes, generations) },
		"Rotate":       func() { _ = f.Rotate(t.Context()) },
		"Stats":        func() { f.Stats() },
	} {
		if allocs := testing.AllocsPerRun(10, call); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

// Generations that are too few panic with the numbers, before anything is written.
func TestBatchesPanic(t *testing.T) {
	f := newFilter(t, Config{Members: 100, BitsPerKey: 16})
	before := f.Stats()
	defer func() {
		const want = "rolling: InsertHashBatchIn: generations has 512 elements, 513 keys need 513"
		if got := recover(); got != want || f.Stats() != before {
			t.Errorf("panic %v, want %q, or something is inserted", got, want)
		}
	}()
	_, _ = f.InsertHashBatchIn(make([]uint64, 513), make([]Generation, 512))
}

// The cost of a query, which reads a cache line per generation. The first result is for one table
// of the same size.
func BenchmarkQueryHashBatch(b *testing.B) {
	const members = 1 << 20
	hashes := make([]uint64, 1<<16)
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	f := newFilter(b, Config{Members: members, Rate: 0.001})
	for range members * 2 {
		if _, err := f.InsertHash(rng.Uint64()); err != nil {
			b.Fatal(err)
		}
	}
	perKey := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(hashes)),
			"ns/key")
	}
	b.Run("one table", func(b *testing.B) {
		hits := make([]uint64, len(hashes)/64)
		for b.Loop() {
			ringOf(f).live[0].table.QueryBatch(hashes, hits)
		}
		perKey(b)
	})
	b.Run("four generations", func(b *testing.B) {
		hits := make([]uint64, len(hashes)/64)
		for b.Loop() {
			f.QueryHashBatch(hashes, hits)
		}
		perKey(b)
	})
}

// The rate is at most 1, also if the tables are much too small.
func TestRatesAreAtMostOne(t *testing.T) {
	f := newFilter(t, Config{Members: 1000, BitsPerKey: 1, Expire: true})
	rng := rand.New(rand.NewPCG(4, 4))
	for range 2000 {
		mustInsert(t, f, rng.Uint64())
	}
	if s := f.Stats(); s.PlannedRate != 1 || s.Rate != 1 {
		t.Errorf("planned %g, now %g, want 1 of both", s.PlannedRate, s.Rate)
	}
}

// Fill and Collided count all tables, the free ones included.
func TestStatsOfTheBits(t *testing.T) {
	f := newFilter(t, oneBlock)
	for range 4 { // one generation: the second insert collides in region 0 only
		mustInsert(t, f, zeros)
	}
	mustInsert(t, f, ones)
	mustInsert(t, f, mixed)
	s := f.Stats()
	// Seven bits of zeros; in the next table seven of ones and the four others of mixed.
	if want := float64(7+11) / (3 * 448); s.Fill != want || s.Collided != 2 {
		t.Errorf("fill %g and %d collided regions, want %g and 2: that of zeros, and that of "+
			"ones and mixed", s.Fill, s.Collided, want)
	}
}

// Full filters, with Capacity inserts in each table, have the planned rate as a mean over hash
// keys, and about 99 of 100 are below Rate99.
func TestFullFilters(t *testing.T) {
	for _, test := range []struct{ members, filters int }{{100, 4000}, {1000, 4000},
		{10_000, 600}} {
		config := Config{Members: test.members, Rate: 0.01}
		size, err := config.Shape()
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() {
			test.filters /= 4
		}
		planned := size.Rate(math.MaxInt)
		rng := rand.New(rand.NewPCG(9, 10))
		sum, squares, highest := 0.0, 0.0, 0.0
		above, above99 := 0, 0
		for range test.filters {
			f := newFilter(t, config)
			for range size.Generations * size.Capacity {
				if _, err := f.InsertHash(rng.Uint64()); err != nil {
					t.Fatal(err)
				}
			}
			s := f.Stats()
			if s.Live != size.Generations {
				t.Fatalf("%+v: not full", s)
			}
			sum += s.Rate
			squares += s.Rate * s.Rate
			highest = max(highest, s.Rate)
			if s.Rate > s.PlannedRate {
				above++
			}
			if s.Rate > s.PlannedRate99 {
				above99++
			}
		}
		n := float64(test.filters)
		mean := sum / n
		deviation := math.Sqrt((squares/n - mean*mean) / n)
		t.Logf("%d members: %.1f %% are above the plan, %.2f %% above Rate99; as parts of it, "+
			"Rate99 is %.2f, the highest %.2f, the mean %.4f ± %.4f", test.members,
			100*float64(above)/n,
			100*float64(above99)/n, size.Rate99()/planned, highest/planned, mean/planned,
			deviation/planned)
		if math.Abs(mean-planned) > 4*deviation {
			t.Errorf("%d members: a mean rate of %g ± %g, want %g", test.members, mean,
				deviation, planned)
		}
		least, most := 0.003, 0.02
		if testing.Short() {
			least, most = 0.001, 0.03
			if test.filters < 1000 {
				least = 0 // it may be zero by chance
			}
		}
		if share := float64(above99) / n; share < least || share > most {
			t.Errorf("%d members: %.2f %% of the filters are above %g, want about 1 %%",
				test.members, 100*share, size.Rate99())
		}
	}
}
