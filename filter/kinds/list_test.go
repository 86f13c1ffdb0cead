package kinds_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/counting"
	"github.com/bloomlane/bloomlane/filter/cuckoo"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/elastic"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/filtertest"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/kinds"
	"github.com/bloomlane/bloomlane/filter/kinds/kindstest"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/filter/sharded"
)

var suite = kindstest.Suite{Kinds: kinds.All(), Docs: "../../docs"}

func TestEveryKindKeepsItsLaws(t *testing.T)   { suite.Laws(t) }
func TestOpenFindsTheKind(t *testing.T)        { suite.Open(t) }
func TestExtremeRates(t *testing.T)            { suite.ExtremeRates(t) }
func TestFilesAreDocumented(t *testing.T)      { suite.FilesAreDocumented(t) }
func TestMergeOfOtherKinds(t *testing.T)       { suite.MergeOfOtherKinds(t) }
func TestNew(t *testing.T)                     { suite.New(t) }
func TestCorpus(t *testing.T)                  { suite.Corpus(t) }
func TestAs(t *testing.T)                      { suite.As(t) }
func TestStateNames(t *testing.T)              { suite.StateNames(t) }
func TestReplay(t *testing.T)                  { suite.Replay(t) }
func TestDeletesOfFalsePositives(t *testing.T) { suite.DeletesOfFalsePositives(t) }
func FuzzDecode(f *testing.F)                  { suite.FuzzDecode(f) }
func BenchmarkKinds(b *testing.B)              { suite.Benchmark(b) }

func TestShapes(t *testing.T) {
	suite.Shapes(t, map[string]kindstest.Plan{
		"deletable": kindstest.PlanOf(deletable.Config{}, (*deletable.Config).Shape),
		"plain":     kindstest.PlanOf(plain.Config{}, (*plain.Config).Shape),
		"blocked":   kindstest.PlanOf(plain.Config{Blocked: true}, (*plain.Config).Shape),
		"counting":  kindstest.PlanOf(counting.Config{}, (*counting.Config).Shape),
		"cuckoo":    kindstest.PlanOf(cuckoo.Config{}, (*cuckoo.Config).Shape),
		"rolling":   kindstest.PlanOf(rolling.Config{}, (*rolling.Config).Shape),
		"elastic":   kindstest.PlanOf(elastic.Config{}, (*elastic.Config).Shape),
	})
}

// withSharded is the suite with sharded filters too, which are deletable ones in files.
func withSharded() kindstest.Suite {
	kind := deletable.Kind
	kind.Name = "sharded"
	kind.New = base.NewOf(func(s filter.Sizing) (*sharded.Filter, error) {
		return sharded.New(deletable.Config(s))
	})
	return kindstest.Suite{Kinds: append(kinds.All(), kind)}
}

func BenchmarkState(b *testing.B) { withSharded().BenchmarkState(b) }

func TestScans(t *testing.T) {
	withSharded().Scans(t, map[string]string{
		"sharded":   kindstest.ScansAfterDelete,
		"deletable": kindstest.ScansAfterDelete, "counting": kindstest.ScansAfterDelete,
		"rolling": kindstest.ScansAfterDelete,
		"plain":   kindstest.NeverScans, "blocked": kindstest.NeverScans,
		"cuckoo": kindstest.NeverScans, "elastic": kindstest.NeverScans,
	})
}

func TestAbilities(t *testing.T) {
	suite.Abilities(t, map[string]string{
		"Merger": "deletable plain blocked counting elastic",
		"Folder": "deletable plain blocked", "Estimator": "deletable plain blocked", "Intersecter": "deletable elastic",
		"Grower": "elastic", "Clearer": "deletable plain blocked", "Counter": "",
		"Prefetcher": "deletable rolling elastic",
		"Deleter":    "deletable counting cuckoo rolling elastic",
	})
}

// A file of an unknown kind is an error that names the kind.
func TestAnUnknownKind(t *testing.T) {
	if kind, found := kinds.All().Of("sieve"); found || kind.Name != "" {
		t.Errorf("found %s", kind.Name)
	}
	b, err := (&file.Contents{Kind: "sieve"}).Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := file.Read(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := kinds.All().Decode(c, key.Unknown())
	if f != nil || !errors.Is(err, file.ErrKind) {
		t.Errorf("error %v", err)
	}
	path := filepath.Join(t.TempDir(), "f.blm")
	if err := c.Save(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var e *file.Error
	f, _, err = kinds.All().Open(path, key.Key{})
	if f != nil || !errors.Is(err, file.ErrKind) || !errors.As(err, &e) || e.Path != path {
		t.Errorf("error %v", err)
	}
	if _, _, err := kinds.All().Open(path+".missing", key.Key{}); !errors.As(err, &e) {
		t.Errorf("error %v", err)
	}
}

// The functions of a kind's own package are made of package base, whatever the kind.
func TestTypedFiles(t *testing.T) {
	made := filtertest.New(deletable.New)
	f := made(t, deletable.Config{Members: 100, BitsPerKey: 16})
	if _, err := f.InsertHash(7); err != nil {
		t.Fatal(err)
	}
	filtertest.Files(t, f, made(t, deletable.Config{Members: 1, BitsPerKey: 16}),
		filtertest.Readers[*deletable.Filter]{Open: deletable.Open, Load: deletable.Load,
			Read: deletable.Read})
}

// A filter that is made from others keeps the laws too. This one is made from hashes.
func TestTheLawsOfMadeFilters(t *testing.T) {
	kind := deletable.Kind
	kind.From = "hashes"
	filtertest.RunAgain(t, kind, func(s filter.Sizing, hashes []uint64) (filter.Stored, error) {
		f, err := deletable.New(deletable.Config(s))
		if err != nil {
			return nil, err
		}
		_, err = f.InsertHashBatch(hashes, nil)
		return f, err
	})
}

// A rolling filter has four tables, and a sharded one has locks and its plan as a file has it.
func TestSmallFilters(t *testing.T) {
	withSharded().Small(t, map[string]int{"": 256, "deletable": 272, "elastic": 512, "rolling": 608, "sharded": 800})
}
