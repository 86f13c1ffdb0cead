package streams

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/bench/studies/recording"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/report/chart/charttest"
)

// Each filter gets each number of members that it can have, keeps its rate, and finds all of them;
// what the elastic one and the owner of the cuckoo filter keep grows and shrinks with the members,
// and what a fixed one has does not.
func TestGrowth(t *testing.T) {
	r, second := new(grown), new(grown)
	printed := execute(t, Growth, "--quick", "--json")
	if err := recording.Read(strings.NewReader(printed), r); err != nil {
		t.Fatal(err)
	}
	const up, down = 3, 2 // sizes
	if len(r.Steps) != 5*up+3*down || len(r.subjects()) != 5 || len(r.Libraries) != 1 {
		t.Fatalf("%d steps of %d filters, libraries %v", len(r.Steps),
			len(r.subjects()), r.Libraries)
	}
	least, most := float64(r.Config.Least), float64(r.Config.Most)
	for _, s := range r.Steps {
		low, _ := s.Rate.interval()
		if s.Missed > 0 || low > 1.1*r.Config.Rate || s.Rate.Of != r.Config.NonMembers {
			t.Errorf("%s, %d members: %d are missed, rate %v", s.Subject, s.Members,
				s.Missed, s.Rate)
		}
		for _, times := range []spread{s.Update, s.Query} {
			if !(times.Least > 0 && times.Least <= times.Median) || times.Quartile != 0 {
				t.Errorf("%s, %d members: %+v", s.Subject, s.Members, times)
			}
		}
		if s.Rounds != r.Config.Rounds || s.Most < s.Memory.sum() || s.Longest <= 0 ||
			s.Note == "" {
			t.Errorf("%+v", s)
		}
		first := r.find(s.Subject, r.Config.Least, false)
		last := r.find(s.Subject, r.Config.Most, false)
		grew := float64(last.Memory.sum()) / float64(first.Memory.sum())
		switch {
		case s.Subject == "elastic" || s.Subject == "cuckoo, rebuilt":
			back := r.find(s.Subject, r.Config.Least, true).Memory.sum()
			if grew < most/least/2 || grew > 2*most/least || back > 8*first.Memory.sum() ||
				(s.Subject == "elastic") != (s.Memory.Keys == 0) {
				t.Errorf("%s: %+v, %+v, and %d bytes in the end", s.Subject, first, last, back)
			}
		case strings.HasSuffix(s.Subject, "from 10000"):
			if grew < 5 || s.Shrinks {
				t.Errorf("%s: %+v, %+v", s.Subject, first, last)
			}
		case grew > 3: // a second filter of the series, where rounding makes the first full early
			t.Errorf("%s: %+v, %+v", s.Subject, first, last)
		}
	}
	for _, shrinks := range []bool{false, true} {
		points := 0
		for _, p := range r.Curves {
			if p.Subject == "elastic" && p.Shrinks == shrinks {
				points++
			}
		}
		if points < 30 || points > 70 {
			t.Errorf("a curve of %d points, want %d for each doubling", points, perOctave)
		}
	}
	charttest.TextsHaveRoom(t, r.picture())

	var text bytes.Buffer
	if err := recording.Write(&text, r); err != nil || text.String() != printed {
		t.Errorf("another recording than was read (%v)", err)
	}
	for _, wrong := range []func(){
		func() { second.Steps = nil }, func() { second.Steps[0].Members = 5 },
	} {
		second = new(grown)
		if err := recording.Read(strings.NewReader(printed), second); err != nil {
			t.Fatal(err)
		}
		if wrong(); !errors.As(second.Check(), new(*result.FormatError)) {
			t.Errorf("%v of a malformed recording", second.Check())
		}
	}
}

// A filter that takes too long for a step has the step once, and no other one after it.
func TestPatience(t *testing.T) {
	r := &grown{Config: quickGrowth}
	r.Config.Most, r.Config.Patience, r.Config.NonMembers = 1000, 0, 1<<16
	sizes := 0
	if err := r.measure(func() { sizes++ }); err != nil || sizes != r.Config.Rounds {
		t.Fatal(sizes, err)
	}
	for _, s := range r.Steps {
		if s.Rounds != 1 {
			t.Errorf("%s: %d rounds of %d members", s.Subject, s.Rounds, s.Members)
		}
	}
}

// watching is a filter that knows its members, and takes notes of the calls.
type watching struct {
	watched
	inserts, deletes *int
}

func (f watching) InsertHashBatch(hashes, _ []uint64) (n int, err error) {
	*f.inserts++
	return f.refusing.InsertHashBatch(hashes, nil)
}

func (f watching) DeleteHashBatch(hashes []uint64, status []filter.Status) int {
	*f.deletes++
	return f.refusing.DeleteHashBatch(hashes, status)
}

// forgetful takes all members, and keeps none.
type forgetful struct{ watching }

func (f forgetful) InsertHashBatch(hashes, _ []uint64) (n int, err error) {
	return len(hashes), nil
}

// A step inserts or deletes what is between two spans, in calls of a fixed number of keys, each
// with its least time; half of its queries are of members.
func TestStep(t *testing.T) {
	var inserts, deletes, queried, found int
	exact := watching{watched{refusing{map[uint64]bool{}, 1 << 20}, &queried, &found},
		&inserts, &deletes}
	none := func() (memory, int) { return memory{}, 0 }
	g := &grower{name: "exact", filter: exact, memory: none}
	r := &grown{Config: growthConfig{Least: 10, Most: 1000, NonMembers: 1 << 10}}
	var s step
	var taken samples
	for i, to := range []span{{0, 1000}, {0, 1000}, {700, 1000}} {
		from := []span{{}, {0, 1000}, {0, 1000}}[i]
		if i == 1 { // the same way once more, in another round
			clear(exact.members)
			from, taken.calls = span{}, []int64{1 << 62, 1 << 62, 0, 1 << 62}
		} else {
			s, taken = step{Shrinks: to.out > 0}, samples{}
		}
		if err := r.step(g, from, to, &s, &taken, i%2); err != nil {
			t.Fatal(err)
		}
		if len(exact.members) != to.members() || !exact.members[member(to.out)] ||
			exact.members[member(to.out-1)] || !exact.members[member(to.in-1)] || s.Missed != 0 ||
			s.Rate.Count != 0 {
			t.Fatalf("%+v: %d members, %+v", to, len(exact.members), s)
		}
		if i == 1 && (taken.calls[2] != 0 || taken.calls[0] == 1<<62 || taken.calls[3] == 1<<62) {
			t.Errorf("calls %v, want the least of two", taken.calls)
		}
	}
	if inserts != 8 || deletes != 3 || len(taken.calls) != 3 {
		t.Errorf("%d inserts, %d deletes, times of %d", inserts, deletes, len(taken.calls))
	}
	if want := 3*queries*perQuery + 2*(1<<10) + 1000 + 300; queried != want ||
		found != 3*queries*perQuery/2+1300 {
		t.Errorf("%d of %d queries are of members, want %d queries", found, queried, want)
	}
	if len(taken.updates) != 1 || len(taken.queries) != queries-1 {
		t.Errorf("%d times of updates, %d of queries", len(taken.updates), len(taken.queries))
	}
	s, exact.members = step{}, map[uint64]bool{}
	if err := r.step(&grower{name: "forgetful", filter: forgetful{exact}, memory: none}, span{},
		span{0, 1000}, &s, &taken, 0); err != nil || s.Missed != 1000 {
		t.Errorf("%d members of none are missed (%v)", s.Missed, err)
	}
	if of := medianOf([]float64{4, 1, 2, 9, 8}); of != (spread{Least: 1, Median: 4}) {
		t.Errorf("%+v of five times", of)
	}
	full := &grower{name: "full", filter: refusing{map[uint64]bool{}, 100}, memory: none}
	if err := r.step(full, span{}, span{0, 1000}, &s, &taken, 0); err == nil {
		t.Error("no error of a filter that is full")
	}
}

// A rebuilt filter has the room that its members need, and what it replaces is told once.
func TestRebuilt(t *testing.T) {
	c := &growthConfig{Least: 100, Most: 10_000, Rate: 0.01}
	f := &rebuilt{config: c}
	if err := f.rebuild(c.Least); err != nil {
		t.Fatal(err)
	}
	keys := make([]uint64, 4000)
	for i := range keys {
		keys[i] = member(i)
	}
	for i := 0; i < len(keys); i += 250 {
		if n, err := f.InsertHashBatch(keys[i:i+250], nil); n != 250 || err != nil {
			t.Fatal(n, err)
		}
		now, most := f.memory()
		if (most > now.sum()) != (f.replaced > 0) || now.Keys != 8*cap(f.keys) ||
			f.planned < len(f.keys) || f.planned > max(2*len(f.keys), 400) {
			t.Errorf("%d members in room for %d: %+v, %d at most", len(f.keys),
				f.planned, now, most)
		}
	}
	if f.planned != 6400 || f.QueryHashBatch(keys, nil) != len(keys) {
		t.Errorf("room for %d, %d members are found", f.planned, f.QueryHashBatch(keys, nil))
	}
	for i := 0; i < len(keys); i += 20 {
		f.DeleteHashBatch(keys[i:i+20], nil)
		if rest := keys[i+20:]; f.QueryHashBatch(rest, nil) != len(rest) ||
			!slices.Equal(f.keys, rest) {
			t.Fatalf("of %d members %d are found, %d are listed", len(rest),
				f.QueryHashBatch(rest, nil), len(f.keys))
		}
		if tight, empty := f.replaced > 0 && f.planned < 2*len(f.keys), f.planned > c.Least &&
			f.planned > 4*len(f.keys)+3; tight || empty {
			t.Errorf("room for %d with %d members", f.planned, len(f.keys))
		}
	}
	if f.planned != 100 {
		t.Errorf("room for %d in the end, want %d", f.planned, c.Least)
	}
	same := slices.Repeat(keys[:1], 9) // for which a filter has eight places
	if n, err := f.InsertHashBatch(same, nil); n != 8 || err == nil {
		t.Errorf("%d copies are taken (%v)", n, err)
	}
}
