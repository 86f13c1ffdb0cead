package family_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/family"
	"github.com/bloomlane/bloomlane/filter/family/a2"
	"github.com/bloomlane/bloomlane/filter/family/bitwise"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/family/spectral"
	"github.com/bloomlane/bloomlane/filter/family/stable"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/kinds"
	"github.com/bloomlane/bloomlane/filter/kinds/kindstest"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/filter/saturation"
)

var (
	suite = kindstest.Suite{
		Kinds:  family.All(),
		Makers: map[string]filtertest.Maker{retouched.Kind.Name: retouch},
		Docs:   "../../docs",
	}
	both = kindstest.Suite{
		Kinds:  slices.Concat(kinds.All(), family.All()),
		Makers: suite.Makers,
	}
)

// retouch returns a retouched filter of hashes: a plain filter some of whose false positives are
// removed.
func retouch(s filter.Sizing, hashes []uint64) (filter.Stored, error) {
	f, err := plain.New(plain.Config{Members: s.Members, BitsPerKey: s.BitsPerKey, Key: s.Key})
	if err != nil {
		return nil, err
	}
	if _, err := f.InsertHashBatch(hashes, nil); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(3, 5))
	troublesome := make([]uint64, 10_000)
	for i := range troublesome {
		troublesome[i] = rng.Uint64()
	}
	g, _, err := retouched.New(f, retouched.Config{
		Members:     filter.Infallible(slices.Values(hashes)),
		Troublesome: filter.Infallible(slices.Values(troublesome)),
	})
	return g, err
}

func TestEveryKindKeepsItsLaws(t *testing.T)   { suite.Laws(t) }
func TestExtremeRates(t *testing.T)            { suite.ExtremeRates(t) }
func TestFilesAreDocumented(t *testing.T)      { suite.FilesAreDocumented(t) }
func TestNew(t *testing.T)                     { suite.New(t) }
func TestCorpus(t *testing.T)                  { suite.Corpus(t) }
func TestAs(t *testing.T)                      { suite.As(t) }
func TestStateNames(t *testing.T)              { suite.StateNames(t) }
func TestReplay(t *testing.T)                  { suite.Replay(t) }
func TestDeletesOfFalsePositives(t *testing.T) { suite.DeletesOfFalsePositives(t) }
func FuzzDecode(f *testing.F)                  { suite.FuzzDecode(f) }
func BenchmarkKinds(b *testing.B)              { suite.Benchmark(b) }
func BenchmarkState(b *testing.B)              { suite.BenchmarkState(b) }

// A program may take the kinds of both lists.
func TestOpenFindsTheKind(t *testing.T)  { both.Open(t) }
func TestMergeOfOtherKinds(t *testing.T) { both.MergeOfOtherKinds(t) }

func TestNamesDiffer(t *testing.T) {
	names := map[string]bool{}
	for _, kind := range both.Kinds {
		if names[kind.Name] {
			t.Errorf("two kinds are called %s", kind.Name)
		}
		names[kind.Name] = true
	}
}

func TestShapes(t *testing.T) {
	suite.Shapes(t, map[string]kindstest.Plan{
		"bitwise":     kindstest.PlanOf(bitwise.Config{}, (*bitwise.Config).Shape),
		"spectral-ms": kindstest.PlanOf(spectral.Config{}, (*spectral.Config).SelectionShape),
		"spectral-mi": kindstest.PlanOf(spectral.Config{}, (*spectral.Config).IncreaseShape),
		"spectral-rm": kindstest.PlanOf(spectral.Config{}, (*spectral.Config).RecurringShape),
		"dlbf":        kindstest.PlanOf(dlbf.Config{}, (*dlbf.Config).Shape),
		"stable":      kindstest.PlanOf(stable.Config{}, (*stable.Config).Shape),
		"a2":          kindstest.PlanOf(a2.Config{}, (*a2.Config).Shape),
	})
}

func TestScans(t *testing.T) {
	suite.Scans(t, map[string]string{
		"dlbf": kindstest.ScansAfterDelete, "a2": kindstest.NeverScans,
		"bitwise": kindstest.AlwaysScans, "stable": kindstest.AlwaysScans,
		"spectral-ms": kindstest.AlwaysScans, "spectral-mi": kindstest.AlwaysScans,
		"spectral-rm": kindstest.AlwaysScans, "retouched": kindstest.AlwaysScans,
	})
}

func TestAbilities(t *testing.T) {
	suite.Abilities(t, map[string]string{
		"Merger": "bitwise spectral-ms spectral-mi dlbf", "Folder": "", "Intersecter": "",
		"Grower": "", "Clearer": "", "Counter": "bitwise spectral-ms spectral-mi spectral-rm",
		"Prefetcher": "", "Deleter": "bitwise spectral-ms spectral-rm dlbf",
	})
}

// Where the fill grows with the members, a saturation ends the inserts.
func TestInsertsEndAtTheFill(t *testing.T) {
	const most = 0.2
	for _, kind := range family.All() {
		if kind.From != "" || kind.Promises.Has(base.Forgets) {
			continue
		}
		f, err := kind.New(filter.Sizing{Members: 3000, BitsPerKey: 24, Key: keytest.Key(9)})
		if err != nil {
			t.Fatal(err)
		}
		s, err := saturation.New(f, saturation.Config{Fill: most})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(3, 9))
		hashes := make([]uint64, 100_000)
		for i := range hashes {
			hashes[i] = rng.Uint64()
		}
		n, err := s.InsertHashBatch(hashes, nil)
		if fill := f.State().Fill; !errors.Is(err, filter.ErrFull) ||
			fill < 0.9*most || fill > 1.1*most {
			t.Errorf("%s: %d inserts make a fill of %.4f, want %.4f (%v)", kind.Name, n, fill,
				most, err)
		}
		if found := s.QueryHashBatch(hashes[:n], nil); found != n {
			t.Errorf("%s: %d of %d members are present", kind.Name, found, n)
		}
	}
}

// Inserts end at the fill with cells of any width and any number of hashes.
func TestWideCells(t *testing.T) {
	for _, hashes := range []int{1, 3, 14} {
		for _, width := range []int{8, 32} {
			f, err := spectral.NewSelection(spectral.Config{Members: 3000, Width: width,
				BitsPerKey: float64(width * hashes * 2), Hashes: hashes, Key: keytest.Key(9)})
			if err != nil {
				t.Fatal(err)
			}
			s, err := saturation.New(f, saturation.Config{Fill: 0.5})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(9, 10))
			for err == nil {
				_, err = s.InsertHash(rng.Uint64())
			}
			if fill := f.State().Fill; !errors.Is(err, filter.ErrFull) || fill < 0.5 ||
				fill > 0.503 {
				t.Errorf("%d hashes, %d bits: a fill of %.4f, and %v", hashes, width, fill, err)
			}
		}
	}
}
