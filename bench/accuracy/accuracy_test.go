package accuracy

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/filter"
)

// small is what tests have time for.
var small = Settings{
	Members: 1 << 14, Bits: []float64{10, 16},
	NonMembers: 1 << 18, Most: 1 << 18, Positives: 100, Enough: 1 << 18,
	Deleted: 1 << 14,
}

// kinds is the number of kinds of this project with a table of their own, of keys of bytes.
const kinds = 5

// twice returns the filters of this project under other names, as those of other libraries.
func twice() []peer.Peer {
	others := peer.Ours()
	for i := range others {
		others[i].Name += " again"
	}
	return others
}

// All are measured at all points, and answer as their formulas say and lose nothing, since they are
// ours.
func TestMeasure(t *testing.T) {
	found, notes := small.Measure(twice(), io.Discard)
	if len(notes) > 0 || len(found) != 8+2*kinds {
		t.Fatalf("%d results, notes %q", len(found), notes)
	}
	for _, a := range found {
		if a.Lost+a.Refused+a.DeleteLost != 0 {
			t.Errorf("%s at %g: lost %d, refused %d, lost by deletes %d", a.Name, a.Asked, a.Lost,
				a.Refused, a.DeleteLost)
		}
	}
	found = slices.Delete(found, 4, 4+2*kinds) // whose formulas are tested with them
	for i, p := range append(peer.Ours(), twice()...) {
		for j, bits := range small.Bits {
			a, kind := found[2*i+j], result.Implementation
			if i >= 2 {
				kind = result.Peer
			}
			if a.Name != p.Name || a.Kind != kind || a.Members != 1<<14 || a.Asked != bits ||
				a.Bits < bits || a.Bits > bits*1.01 {
				t.Errorf("%+v, want %s at %g", a, p.Name, bits)
			}
			// The members are a sample too, whose blocks have other loads than expected.
			bound := 6*math.Sqrt(*a.Predicted/float64(a.NonMembers)) + 0.05**a.Predicted
			if math.Abs(a.Rate-*a.Predicted) > bound {
				t.Errorf("%s at %g: rate %v, predicted %v", a.Name, bits, a.Rate, *a.Predicted)
			}
			if math.Abs(*a.Deletable-*a.PredictedDeletable) > 0.02 {
				t.Errorf("%s at %g: %v deletable, predicted %v", a.Name, bits, *a.Deletable,
					*a.PredictedDeletable)
			}
		}
	}
}

// A filter of one size is measured once, and one that rounds the bits once for each size.
func TestSubjects(t *testing.T) {
	of := peer.Peer{Bits: func(bits float64) float64 { return max(bits, 12) }}
	settings := Settings{Bits: []float64{8, 12, 16}}
	if all := settings.subjects(of, result.Peer); len(all) != 2 || all[0].bits != 8 ||
		all[1].bits != 16 {
		t.Errorf("%+v, want 8 and 16 bits", all)
	}
	if all := settings.subjects(peer.Peer{Fixed: true}, result.Peer); len(all) != 1 {
		t.Errorf("%d filters of one size", len(all))
	}
}

// wrong is a filter that keeps its members in a map, and makes mistakes.
type wrong struct {
	members map[uint64]bool
	loses   bool // members whose last two bits are 0
	present bool // non-members whose last three bits are 0
	takes   bool // with each member that it deletes, the one whose last bit is the other
}

func (f *wrong) State() filter.State { return filter.State{Bytes: 100} }

func (f *wrong) QueryHashBatch(keys, present []uint64) (found int) {
	clear(present)
	for i, key := range keys {
		if f.members[key] || f.present && key%8 == 0 {
			found++
			if present != nil {
				present[i/64] |= 1 << (i % 64)
			}
		}
	}
	return found
}

func (f *wrong) InsertHashBatch(keys, _ []uint64) (int, error) {
	for i, key := range keys {
		if f.members[key] = !f.loses || key%4 != 0; !f.members[key] {
			return i, errors.New("full")
		}
	}
	return len(keys), nil
}

func (f *wrong) DeleteHashBatch(keys []uint64, _ []filter.Status) int {
	for _, key := range keys {
		delete(f.members, key)
		if f.takes {
			delete(f.members, key^1)
		}
	}
	return len(keys)
}

func TestMistakesShow(t *testing.T) {
	keys := make([]uint64, 800)
	for i := range keys {
		keys[i] = uint64(i)
	}
	share := func(of float64) *float64 { return &of }
	for _, test := range []struct {
		what string
		f    wrong
		want result.Accuracy
	}{
		{"nothing", wrong{}, result.Accuracy{Deletable: share(1)}},
		{"200 of 800 lost", wrong{loses: true},
			result.Accuracy{Lost: 200, Refused: 200, Deletable: share(0.75)}},
		{"an eighth of the non-members present", wrong{present: true},
			result.Accuracy{Rate: 1.0 / 8, Deletable: share(7.0 / 8)}},
		{"400 lost by deletes", wrong{takes: true},
			result.Accuracy{Deletable: share(0.5), DeleteLost: 400}},
	} {
		test.f.members = map[uint64]bool{}
		p := peer.Peer{
			Size:  func(int, float64) int64 { return 100 },
			Begin: func(int, float64) peer.Builder { return peer.Growing(&test.f) },
		}
		a, err := small.accuracy(subject{p, result.Peer, 1}, keys)
		if err != nil {
			t.Fatal(err)
		}
		want := test.want
		if a.Bits != 1 || a.Predicted != nil || a.NonMembers != 1<<18 ||
			math.Abs(a.Rate-want.Rate) > 0.01 || a.Lost != want.Lost || a.Refused != want.Refused ||
			a.DeleteLost != want.DeleteLost || *a.Deletable != *want.Deletable {
			t.Errorf("%s: %+v", test.what, a)
		}
	}
}

// More non-members are asked where few are found, and no more where enough are.
func TestNonMembers(t *testing.T) {
	for _, test := range []struct {
		name string
		f    wrong
		want int64
	}{
		{"many positives", wrong{present: true}, chunk},
		{"none", wrong{}, 5*chunk + 7},
	} {
		settings := Settings{Members: 1, NonMembers: 3 * chunk, Most: 5*chunk + 7,
			Positives: 1, Enough: 100}
		var a result.Accuracy
		settings.ask(&test.f, &a)
		if a.NonMembers != test.want {
			t.Errorf("%s: %d non-members, want %d", test.name, a.NonMembers, test.want)
		}
	}
}

func TestSkipped(t *testing.T) {
	broken := twice()[:1]
	broken[0].Name, broken[0].MaxBytes = "broken", 1
	found, notes := small.Measure(broken, io.Discard)
	if len(found) != 4+2*kinds || len(notes) != 2 ||
		!strings.Contains(notes[0], "broken at 10 bits") {
		t.Errorf("%d results, notes %q", len(found), notes)
	}
}

func TestKey(t *testing.T) {
	const splitMix64 = 0xe220a8397b1dcdaf // the first output of the seed 0
	if key(0) != splitMix64 {
		t.Errorf("key(0) = %#x, want %#x", key(0), uint64(splitMix64))
	}
}
