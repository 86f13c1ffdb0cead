package rolling

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/internal/workload"
)

var (
	_ filter.Rebuilder = (*Filter)(nil)
	_ filter.Resetter  = (*Filter)(nil)
	_ filter.Deleter   = (*Filter)(nil)
)

// restarts are the ways to save a filter and to read it again.
var restarts = map[string]func(t *testing.T, f *Filter) (*Filter, error){
	"open": func(t *testing.T, f *Filter) (*Filter, error) {
		path := filepath.Join(t.TempDir(), "f.blm")
		if err := f.Save(path); err != nil {
			return nil, err
		}
		return Open(path, fixed)
	},
	"load": func(t *testing.T, f *Filter) (*Filter, error) {
		path := filepath.Join(t.TempDir(), "f.blm")
		if err := f.Save(path); err != nil {
			return nil, err
		}
		return Load(path, fixed)
	},
	"read": func(_ *testing.T, f *Filter) (*Filter, error) {
		var stream bytes.Buffer
		if _, err := f.WriteTo(&stream); err != nil {
			return nil, err
		}
		return Read(&stream, fixed)
	},
	"unmarshal": func(t *testing.T, f *Filter) (*Filter, error) {
		b, err := f.MarshalBinary()
		if err != nil {
			return nil, err
		}
		g := newFilter(t, oneBlock)
		return g, g.UnmarshalBinary(b)
	},
	"clone": func(_ *testing.T, f *Filter) (*Filter, error) { return f.Clone(), nil },
	"kind": func(_ *testing.T, f *Filter) (*Filter, error) {
		c, err := f.Contents()
		if err != nil {
			return nil, err
		}
		b, err := c.Append(nil)
		if err != nil {
			return nil, err
		}
		if c, err = file.Read(bytes.NewReader(b)); err != nil {
			return nil, err
		}
		g, err := Kind.Decode(c, fixed)
		if err != nil {
			return nil, err
		}
		return g.(*Filter), nil
	},
}

// A filter that is saved in the middle of a history and read again is, at the end, bit for bit the
// filter that was not stopped, with the same answers.
func TestARestartLosesNothing(t *testing.T) {
	steps := 1200
	if testing.Short() {
		steps = 600
	}
	for how, restart := range restarts {
		covered := counters{}
		for kind := range kinds {
			t.Run(fmt.Sprint(how, kind), func(t *testing.T) {
				// Two owners have the same members. One filter goes on, and the other stops many
				// times.
				owners := [2]*owner{{kind: kind}, {kind: kind}}
				var filters [2]*Filter
				for i, o := range owners {
					config := Config{Members: 40, BitsPerKey: 20, Generations: 3,
						Expire: kind == expires}
					if kind == knows || kind == ignores {
						config.Stragglers = o.stragglers
					}
					filters[i] = newFilter(t, config)
				}
				rng := rand.New(rand.NewPCG(uint64(kind), 11))
				stops := 0
				for step := range steps {
					op, hash, pick := rng.IntN(20), rng.Uint64(), rng.Uint64()
					var errs [2]error
					var answers [2]any
					for i, f := range filters {
						o := owners[i]
						switch {
						case op < 9 && len(o.members) < 40:
							present, err := f.InsertHash(hash)
							answers[i], errs[i] = present, err
							if err == nil {
								o.members = append(o.members,
									member{hash: hash, generation: f.Newest()})
							}
						case op < 17 && len(o.members) > 0:
							place := int(pick % uint64(len(o.members)))
							m := o.members[place]
							if pick>>60 == 0 {
								answers[i] = f.DeleteHash(m.hash)
							} else {
								answers[i] = f.DeleteHashIn(m.generation, m.hash)
							}
							o.members = slices.Delete(o.members, place, place+1)
						case op == 17:
							errs[i] = f.Rotate(t.Context())
						default:
							answers[i] = f.QueryHash(hash)
						}
					}
					if answers[0] != answers[1] || (errs[0] == nil) != (errs[1] == nil) ||
						errs[0] != nil && errs[0].Error() != errs[1].Error() {
						t.Fatalf("step %d: %v (%v), want %v (%v)", step, answers[1], errs[1],
							answers[0], errs[0])
					}
					if rng.IntN(20) != 0 {
						continue
					}
					stops++
					source := ringOf(filters[1]).stragglers
					g, err := restart(t, filters[1])
					if err != nil {
						t.Fatalf("step %d: %v", step, err)
					}
					if source != nil {
						if err := g.SetStragglers(source); err != nil {
							t.Fatal(err)
						}
					}
					filters[1] = g
					if !g.Equal(filters[0]) || !filters[0].Equal(g) ||
						g.Stats() != filters[0].Stats() || g.State() != filters[0].State() {
						t.Fatalf("step %d: the filter that was read is another:\n%+v, want\n%+v",
							step, g.Stats(), filters[0].Stats())
					}
				}
				if !slices.Equal(owners[0].members, owners[1].members) || stops < steps/40 {
					t.Errorf("%d stops, and other members", stops)
				}
				for name, value := range ringOf(filters[0]).counters.numbers() {
					*covered.numbers()[name] += *value
				}
			})
		}
		for name, value := range covered.numbers() {
			if *value == 0 {
				t.Errorf("%s: %s was always 0", how, name)
			}
		}
	}
}

// A filter with several pieces and all generations, some of them retired, is read as it was.
func TestALargeFile(t *testing.T) {
	f := newFilter(t, Config{Members: 400_000, BitsPerKey: 64, Generations: 5, Expire: true})
	rng := rand.New(rand.NewPCG(3, 4))
	hashes := workload.Hashes(rng, 700_000)
	if _, err := f.InsertHashBatch(hashes, nil); err != nil {
		t.Fatal(err)
	}
	if f.Shape().Bytes() < 3<<20 {
		t.Fatalf("%v: of one piece", f.Shape())
	}
	for how, restart := range restarts {
		if g, err := restart(t, f); err != nil || !g.Equal(f) ||
			g.QueryHashBatch(hashes, nil) != f.QueryHashBatch(hashes, nil) {
			t.Errorf("%s: another filter (%v)", how, err)
		}
	}
}

func TestFiles(t *testing.T) {
	f := newFilter(t, oneBlock)
	mustInsert(t, f, zeros)
	filtertest.Files(t, f, newFilter(t, Config{Members: 100, BitsPerKey: 16}),
		filtertest.Readers[*Filter]{Open: Open, Load: Load, Read: Read})
}

// Files with right checksums and numbers that no filter can have are errors.
func TestForgedContents(t *testing.T) {
	f := newFilter(t, Config{Members: 8, BitsPerKey: 1, Generations: 3, Capacity: 4})
	for range 9 { // three generations, with 4, 4 and 1 members
		mustInsert(t, f, zeros)
	}
	state := func(c *file.Contents) []uint64 { return c.Sections[len(c.Sections)-1].Words }
	for name, test := range map[string]struct {
		forge func(c *file.Contents)
		err   error
	}{
		"nothing":                 {func(*file.Contents) {}, nil},
		"a later number":          {func(c *file.Contents) { c.Set("last-number", 9) }, nil},
		"no member of the newest": {func(c *file.Contents) { state(c)[8] = 0 }, nil},
		"another kind": {func(c *file.Contents) { c.Kind = "deletable" },
			file.ErrKind},
		"no generations": {func(c *file.Contents) { c.Set("generations", 0) },
			file.ErrBounds},
		"one generation": {func(c *file.Contents) { c.Set("generations", 1) },
			file.ErrBounds},
		"too many generations": {func(c *file.Contents) { c.Set("generations", 65) },
			file.ErrBounds},
		"fewer than are live": {func(c *file.Contents) {
			c.Set("generations",
				2)
			c.Set("capacity", 8)
		}, file.ErrBounds},
		"no members": {func(c *file.Contents) { c.Set("members", 0) },
			file.ErrBounds},
		"most members": {func(c *file.Contents) { c.Set("members", math.MaxUint64) },
			file.ErrBounds},
		"no capacity for members": {func(c *file.Contents) { c.Set("members", 9) },
			file.ErrBounds},
		"most capacity": {func(c *file.Contents) { c.Set("capacity", math.MaxInt64) },
			file.ErrBounds},
		"inserts beyond a capacity": {
			func(c *file.Contents) { c.Set("members", 6); c.Set("capacity", 3) }, file.ErrBounds},
		"no blocks": {func(c *file.Contents) { c.Set("blocks", 0) },
			file.ErrBounds},
		"two blocks": {func(c *file.Contents) { c.Set("blocks", 2) },
			file.ErrBounds},
		"most blocks": {func(c *file.Contents) { c.Set("blocks", math.MaxUint64) },
			file.ErrBounds},
		"a rate of 0": {func(c *file.Contents) { c.SetFloat("planned-rate", 0) },
			file.ErrBounds},
		"a rate of NaN": {func(c *file.Contents) {
			c.SetFloat("planned-rate",
				math.NaN())
		}, file.ErrBounds},
		"a second rate below": {func(c *file.Contents) {
			c.SetFloat("planned-rate-99",
				1e-300)
		}, file.ErrBounds},
		"expire of 2": {func(c *file.Contents) { c.Set("expire", 2) },
			file.ErrBounds},
		"a last number of 0": {func(c *file.Contents) { c.Set("last-number", 0) },
			file.ErrBounds},
		"a last number of most": {func(c *file.Contents) {
			c.Set("last-number",
				math.MaxUint64)
		}, file.ErrBounds},
		"a last number that is live": {func(c *file.Contents) { c.Set("last-number", 2) },
			file.ErrBounds},
		"most inserts": {func(c *file.Contents) { c.Set("inserts", math.MaxUint64) },
			file.ErrBounds},
		"most expired": {func(c *file.Contents) { c.Set("expired", math.MaxUint64) },
			file.ErrBounds},
		"a number of 0":  {func(c *file.Contents) { state(c)[0] = 0 }, file.ErrBounds},
		"a number twice": {func(c *file.Contents) { state(c)[3] = 1 }, file.ErrBounds},
		"numbers out of order": {func(c *file.Contents) { state(c)[0], state(c)[3] = 2, 1 },
			file.ErrBounds},
		"too many inserts":          {func(c *file.Contents) { state(c)[1] = 5 }, file.ErrBounds},
		"more left than inserted":   {func(c *file.Contents) { state(c)[8] = 2 }, file.ErrBounds},
		"none left of a closed one": {func(c *file.Contents) { state(c)[2] = 0 }, file.ErrBounds},
		"left of most": {func(c *file.Contents) { state(c)[5] = math.MaxUint64 },
			file.ErrBounds},
		"a state of 10 words": {
			func(c *file.Contents) { c.Sections[3].Words = append(state(c), 1) }, file.ErrBounds},
		"a state of nothing": {func(c *file.Contents) { c.Sections[3].Words = nil },
			file.ErrBounds},
		"no state": {func(c *file.Contents) { c.Sections = c.Sections[:3] },
			file.ErrBounds},
		"a table less": {func(c *file.Contents) { c.Sections = c.Sections[1:] },
			file.ErrBounds},
		"a table more": {func(c *file.Contents) {
			c.Sections = append(c.Sections, file.Section{Name: "table-3", Words: make([]uint64, 8)})
		}, file.ErrBounds},
		"another table": {func(c *file.Contents) { c.Sections[1].Name = "table-7" },
			file.ErrBounds},
		"half a block": {func(c *file.Contents) {
			c.Sections[0].Words = make([]uint64,
				4)
		}, file.ErrBounds},
		"a table of two blocks": {func(c *file.Contents) {
			c.Sections[2].Words = make([]uint64,
				16)
		}, file.ErrBounds},
		"an attribute more": {func(c *file.Contents) { c.Set("other", 1) }, file.ErrBounds},
		"no attributes":     {func(c *file.Contents) { c.Attributes = nil }, file.ErrBounds},
		"another for an attribute": {func(c *file.Contents) { c.Attributes[0].Name = "a" },
			file.ErrBounds},
	} {
		c, err := f.Clone().Contents()
		if err != nil {
			t.Fatal(err)
		}
		test.forge(c)
		b, err := c.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := Read(bytes.NewReader(b), fixed)
		if !errors.Is(err, test.err) || (g == nil) != (test.err != nil) {
			t.Errorf("%s: %v, want %v", name, err, test.err)
		}
		if g == nil {
			continue
		}
		if again, err := g.MarshalBinary(); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%s: it writes another file (%v)", name, err)
		}
	}
}

// Counters stay at their largest value.
func TestCountersStay(t *testing.T) {
	config := oneBlock
	config.Expire = true
	f := newFilter(t, config)
	for _, value := range ringOf(f).counters.numbers() {
		*value = base.MaxCount
	}
	for range 40 {
		mustInsert(t, f, zeros)
		f.DeleteHash(zeros)
		f.DeleteHashIn(f.Newest(), zeros)
	}
	for name, value := range ringOf(f).counters.numbers() {
		if *value != base.MaxCount {
			t.Errorf("%s is %d", name, *value)
		}
	}
	if _, err := restarts["read"](t, f); err != nil {
		t.Error(err)
	}
}

// The names of the numbers in a file do not change.
func TestTheNamesOfNumbers(t *testing.T) {
	f := newFilter(t, Config{Members: 4, BitsPerKey: 1, Generations: 3, Capacity: 5})
	ringOf(f).counters = counters{inserts: 11, moved: 12, deleted: 13, retained: 14,
		expired: 15, retired: 16}
	ringOf(f).last = 17
	c, err := f.Contents()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]uint64{
		"members": 4, "generations": 3, "capacity": 5, "blocks": 1, "expire": 0, "last-number": 17,
		"inserts": 11,
		"moved":   12, "deleted": 13, "retained": 14, "expired": 15, "retired": 16,
	} {
		if _, err := c.Uint(name, want, want); err != nil {
			t.Error(err)
		}
	}
	if c.Kind != "rolling" || len(c.Sections) != 2 || c.Sections[0].Name != "table-0" ||
		c.Sections[1].Name != "generations" {
		t.Errorf("kind %s, %d sections", c.Kind, len(c.Sections))
	}
}

// Deletes of non-members may reduce the members of a generation to 0, and not below: the file can
// be read.
func TestWhatIsLeftIsNotBelowZero(t *testing.T) {
	f := newFilter(t, oneBlock)
	mustInsert(t, f, zeros)
	mustInsert(t, f, zeros)
	for range 5 {
		f.DeleteHash(zeros) // retained, because it collides with itself
	}
	if s := f.Stats(); s.Members != 0 || s.Retained != 5 {
		t.Errorf("%+v", s)
	}
	if g, err := restarts["read"](t, f); err != nil || !g.Equal(f) {
		t.Error(err)
	}
}

func TestSetStragglers(t *testing.T) {
	source := (&owner{kind: knows}).stragglers
	config := oneBlock
	config.Expire = true
	f := newFilter(t, config)
	var e *filter.SizingError
	if err := f.SetStragglers(source); !errors.As(err, &e) || e.Field != "Stragglers" {
		t.Errorf("%v", err)
	}
	if err := f.SetStragglers(nil); err != nil || !f.Expires() ||
		!ringOf(f).promises().Has(base.Forgets) {
		t.Errorf("%v", err)
	}
	g := newFilter(t, oneBlock)
	for range 12 {
		mustInsert(t, g, zeros)
	}
	if _, err := g.InsertHash(zeros); !errors.Is(err, ErrStragglers) || g.Expires() ||
		ringOf(g).promises() != Promises {
		t.Errorf("%v", err)
	}
	if err := g.SetStragglers(source); err != nil {
		t.Fatal(err)
	}
	mustInsert(t, g, zeros)
	if err := g.SetStragglers(nil); err != nil || ringOf(g.Clone()).stragglers != nil {
		t.Errorf("%v", err)
	}
}

// No batch in any form loses keys of its own, whether members expire or are listed.
func TestBatchesAreWhole(t *testing.T) {
	config := Config{Members: 1000, BitsPerKey: 32, Key: fixed}
	t.Run("listed", func(t *testing.T) {
		filtertest.WholeBatches(t, 1000, func(members *[]uint64) (filter.StoredSet, error) {
			config.Stragglers = func(
				context.Context,
				Generation,
				Generation,
			) iter.Seq2[uint64, error] {
				return filter.Infallible(slices.Values(*members))
			}
			return New(config)
		})
	})
	t.Run("expiring", func(t *testing.T) {
		config.Stragglers, config.Expire = nil, true
		filtertest.WholeBatches(t, 1000, func(*[]uint64) (filter.StoredSet, error) {
			return New(config)
		})
	})
}

// An insert queries its key before it rotates, single and in batches: a key that this rotation
// expires was present.
func TestPresentIsBeforeTheRotation(t *testing.T) {
	config := oneBlock
	config.Expire = true
	one, batch := newFilter(t, config), newFilter(t, config)
	hashes := append(slices.Repeat([]uint64{zeros}, 4), slices.Repeat([]uint64{ones}, 8)...)
	hashes = append(hashes, zeros, zeros, ones)
	// in two batches, because one may not expire its own keys
	present, later := make([]uint64, 1), make([]uint64, 1)
	if _, err := batch.InsertHashBatch(hashes[:12], present); err != nil {
		t.Fatal(err)
	}
	if _, err := batch.InsertHashBatch(hashes[12:], later); err != nil {
		t.Fatal(err)
	}
	present[0] |= later[0] << 12
	for i, hash := range hashes {
		want := one.QueryHash(hash)
		got, err := one.InsertHash(hash)
		if err != nil || got != want || filter.At(present, i) != want {
			t.Errorf("insert %d: present %v, and of the batch %v, want %v (%v)", i, got,
				filter.At(present, i), want, err)
		}
	}
	if !one.Equal(batch) || one.Newest() != 4 || !filter.At(present, 12) {
		t.Errorf("generation %d, present %b", one.Newest(), present)
	}
}

// The state by the counters is near that by the bits, and its rate is the share of non-members that
// are present.
func TestState(t *testing.T) {
	f := newFilter(t, Config{Members: 20_000, BitsPerKey: 10})
	rng := rand.New(rand.NewPCG(12, 13))
	hashes := workload.Hashes(rng, 40_000)
	if _, err := f.InsertHashBatch(hashes, nil); err != nil {
		t.Fatal(err)
	}
	counted := f.State()
	f.DeleteHashIn(f.Newest(), hashes[39_999])
	scanned := f.State()
	nonMembers := workload.Hashes(rng, 1<<20)
	sampled := float64(f.QueryHashBatch(nonMembers, nil)) / float64(len(nonMembers))
	near := func(a, b float64) bool { return math.Abs(a/b-1) < 0.03 }
	if counted.Scanned || !scanned.Scanned || counted.Members != 40_000 ||
		scanned.Members != 39_999 || counted.Bytes != f.Shape().Bytes() ||
		!near(counted.Fill, scanned.Fill) || !near(counted.Rate, scanned.Rate) ||
		!near(sampled, scanned.Rate) ||
		scanned.Rate > f.Stats().Rate ||
		scanned.Fill != f.Stats().Fill {
		t.Errorf("counted %+v, scanned %+v, sampled %g, and of the bits %g", counted, scanned,
			sampled, f.Stats().Rate)
	}
}

// A file of one generation is read into the memory of one table, for any number of generations.
func TestDecodeTakesTheMemoryOfTheFile(t *testing.T) {
	f, err := New(Config{Members: 1000, BitsPerKey: 64 * 1024, Generations: 64, Key: fixed})
	if err != nil {
		t.Fatal(err)
	}
	content, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	g, err := Read(bytes.NewReader(content), fixed)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took, most := after.TotalAlloc-before.TotalAlloc, uint64(2*len(content)+1<<20); took > most {
		t.Errorf("%d bytes for a file of %d, want %d at most", took, len(content), most)
	}
	if err := g.Rotate(t.Context()); err != nil || g.Newest() != 2 {
		t.Errorf("generation %d (%v)", g.Newest(), err)
	}
	g.InsertUint64(1)
	if !g.QueryUint64(1) || !g.Clone().QueryUint64(1) {
		t.Error("a member of a generation that was opened later is not found")
	}
}
