package family_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/family"
	"github.com/bloomlane/bloomlane/filter/family/a2"
	"github.com/bloomlane/bloomlane/filter/family/bitwise"
	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/family/spectral"
	"github.com/bloomlane/bloomlane/filter/family/stable"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/kinds"
	"github.com/bloomlane/bloomlane/filter/kinds/kindstest"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/internal/workload"
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
	troublesome := workload.Hashes(rng, 10_000)
	g, _, err := retouched.New(f, retouched.Config{
		Members:     filter.Infallible(slices.Values(hashes)),
		Troublesome: filter.Infallible(slices.Values(troublesome)),
	})
	return g, err
}

// A filter that is closed while another is made of it is an error.
func TestMadeOfAFilterThatIsClosed(t *testing.T) {
	f, err := plain.New(plain.Config{Members: 100, BitsPerKey: 8})
	if err != nil {
		t.Fatal(err)
	}
	made, report, err := retouched.New(f, retouched.Config{
		Troublesome: filter.Infallible(slices.Values([]uint64{1, 2})),
		Members: filter.Infallible(func(yield func(uint64) bool) {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			yield(1)
		}),
	})
	if made != nil || report != nil || !errors.Is(err, filter.ErrClosed) {
		t.Errorf("%v, %v and the error %v", made, report, err)
	}
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
		"Merger": "bitwise spectral-ms spectral-mi dlbf", "Folder": "", "Estimator": "", "Intersecter": "",
		"Grower": "", "Clearer": "", "Counter": "bitwise spectral-ms spectral-mi spectral-rm",
		"Prefetcher": "", "Deleter": "bitwise spectral-ms spectral-rm dlbf",
	})
}
