package accuracy

import (
	"context"
	"errors"
	"math"
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

// Ours answer as their formulas say, lose nothing, and are measured at all points.
func TestOursAreAsPredicted(t *testing.T) {
	var subjects []subject
	for _, ours := range peer.Ours() {
		subjects = append(subjects, small.subjects(ours, result.Implementation)...)
	}
	steps := 0
	found, notes, err := small.measure(t.Context(), subjects, func(done, all int) {
		if steps++; done != steps || all != len(subjects) {
			t.Errorf("step %d: %d of %d", steps, done, all)
		}
	})
	if err != nil || len(notes) > 0 || len(found) != 4 || steps != 4 {
		t.Fatalf("%d results in %d steps, notes %q, error %v", len(found), steps, notes, err)
	}
	for _, a := range found {
		if a.Kind != result.Implementation || a.Members != 1<<14 || a.Bits < a.Asked || a.Bits > a.Asked*1.01 {
			t.Errorf("%+v", a)
		}
		if a.Lost+a.Refused+a.DeleteLost != 0 {
			t.Errorf("%s at %g: lost %d, refused %d, lost by deletes %d", a.Name, a.Asked, a.Lost, a.Refused, a.DeleteLost)
		}
		// The members are a sample too, whose blocks have other loads than expected.
		bound := 6*math.Sqrt(*a.Predicted/float64(a.NonMembers)) + 0.05**a.Predicted
		if math.Abs(a.Rate-*a.Predicted) > bound {
			t.Errorf("%s at %g: rate %v, predicted %v", a.Name, a.Asked, a.Rate, *a.Predicted)
		}
		if math.Abs(*a.Deletable-*a.PredictedDeletable) > 0.02 {
			t.Errorf("%s at %g: %v deletable, predicted %v", a.Name, a.Asked, *a.Deletable, *a.PredictedDeletable)
		}
	}
}

// again returns ours under other names, as those of other libraries.
func again() []peer.Peer {
	others := peer.Ours()
	for i := range others {
		others[i].Name += " again"
	}
	return others
}

// Each peer is measured at all points.
func TestMeasure(t *testing.T) {
	settings := small
	settings.Members, settings.Bits, settings.NonMembers, settings.Most, settings.Deleted = 1<<12, []float64{12, 16}, 1<<14, 1<<14, 1<<10
	found, notes, err := settings.Measure(t.Context(), again(), nil)
	if err != nil || len(notes) > 0 {
		t.Errorf("notes %q, error %v", notes, err)
	}
	for _, p := range append(peer.Ours(), again()...) {
		points := 2
		if p.Fixed {
			points = 1
		}
		for _, a := range found {
			if a.Name != p.Name {
				continue
			}
			points--
			if p.Deletes != (a.Deletable != nil) {
				t.Errorf("%s deletes: %v, deletable %v", p.Name, p.Deletes, a.Deletable)
			}
			if !p.Fixed && math.Abs(a.Bits/a.Asked-1) > 0.1 {
				t.Errorf("%s takes %v bits per key, asked for %v", p.Name, a.Bits, a.Asked)
			}
		}
		if points != 0 {
			t.Errorf("%s lacks %d points", p.Name, points)
		}
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

func (f *wrong) QueryHashBatch(keys, hits []uint64) (found int) {
	clear(hits)
	for i, key := range keys {
		if f.members[key] || f.present && key%8 == 0 {
			found++
			if hits != nil {
				hits[i/64] |= 1 << (i % 64)
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
	measure := func(f *wrong) result.Accuracy {
		f.members = map[uint64]bool{}
		s := subject{
			peer: peer.Peer{Name: "wrong"}, kind: result.Peer, bits: 1, fit: len(keys),
			build: func(keys []uint64, _ float64) (peer.Filter, int, error) { return f, peer.Insert(f, keys), nil },
		}
		a, err := small.accuracy(t.Context(), s, keys)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := measure(&wrong{}); a.Bits != 1 || a.Lost != 0 || a.Refused != 0 || a.Rate != 0 || *a.Deletable != 1 || a.DeleteLost != 0 || a.Predicted != nil {
		t.Errorf("without a mistake: %+v", a)
	}
	if a := measure(&wrong{loses: true}); a.Lost != 200 || a.Refused != 200 || *a.Deletable != 0.75 {
		t.Errorf("of 800, 200 lost: %+v", a)
	}
	if a := measure(&wrong{present: true}); math.Abs(a.Rate-1.0/8) > 0.01 || *a.Deletable != 7.0/8 || a.NonMembers != 1<<18 {
		t.Errorf("an eighth of the non-members present: %+v", a)
	}
	if a := measure(&wrong{takes: true}); a.DeleteLost != 400 {
		t.Errorf("400 lost by deletes: %+v", a)
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
		settings := Settings{Members: 1, NonMembers: 3 * chunk, Most: 5*chunk + 7, Positives: 1, Enough: 100}
		var a result.Accuracy
		settings.ask(t.Context(), &test.f, &a)
		if a.NonMembers != test.want {
			t.Errorf("%s: %d non-members, want %d", test.name, a.NonMembers, test.want)
		}
	}
}

func TestSkippedAndStopped(t *testing.T) {
	broken := errors.New("broken")
	s := subject{
		peer: peer.Peer{Name: "broken"}, bits: 8, fit: 1,
		build: func([]uint64, float64) (peer.Filter, int, error) { return nil, 0, broken },
	}
	found, notes, err := small.measure(t.Context(), []subject{s}, nil)
	if len(found) != 0 || err != nil || len(notes) != 1 || !strings.Contains(notes[0], "broken at 8 bits") {
		t.Errorf("found %v, notes %q, error %v", found, notes, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	found, _, err = small.Measure(ctx, again(), func(int, int) { cancel() })
	if len(found) != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled after the first: %d results, error %v", len(found), err)
	}
}

func TestKey(t *testing.T) {
	const splitMix64 = 0xe220a8397b1dcdaf // the first output of the seed 0
	if key(0) != splitMix64 {
		t.Errorf("key(0) = %#x, want %#x", key(0), uint64(splitMix64))
	}
}
