package streams

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/studies/recording"
	"github.com/bloomlane/bloomlane/bench/studies/recording/recordingtest"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/plain"
	"github.com/bloomlane/bloomlane/report/chart/charttest"
)

// testData is of the quick run.
func testData(t *testing.T) *data {
	t.Helper()
	d, err := newData(&quickStreams)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Every kind is given every stream that its promises are for, in the memory that it is to have, and
// keeps them: no member is missed, no count is low, no member is lost by deletes of others, and
// what forgets does.
func TestStreams(t *testing.T) {
	d := testData(t)
	for _, s := range streams {
		for _, kind := range entries() {
			for _, bits := range []int{16, 32} {
				r, err := d.give(&s, &kind, bits)
				if err != nil {
					t.Fatalf("%s, %s: %v", s.name, kind.Name, err)
				}
				if r.Cannot != "" {
					if r.Bits != 0 || r.Rate.Of != 0 {
						t.Errorf("%s, %s: %s, and yet %+v", s.name, kind.Name, r.Cannot, r)
					}
					continue
				}
				has := kind.Promises.Has
				if r.Bits > float64(bits) || r.Bits < 0.8*float64(bits) || r.Rate.Of == 0 {
					t.Errorf("%s, %s: %+v, want a rate in %d bits per key", s.name,
						kind.Name, r, bits)
				}
				most := 0.05 // of a kind that may miss some
				if has(base.NoFalseNegatives) {
					most = 0
				}
				if r.Missed.value() > most && r.Refused == 0 {
					t.Errorf("%s, %s: %v members are missed", s.name, kind.Name, r.Missed)
				}
				if has(base.NoFalseNegatives) && r.Lost.Count > 0 {
					t.Errorf("%s, %s: %v are lost by the deletes of others", s.name,
						kind.Name, r.Lost)
				}
				if c := r.Counts; has(base.Counts) && s.drawn && (c == nil || c.Low.Count > 0) {
					t.Errorf("%s, %s: counts %+v, want none that is low", s.name, kind.Name, c)
				}
				_, high := r.Rate.interval()
				if has(base.Forgets) && r.Old.value() > 1.5*high+0.01 {
					t.Errorf("%s, %s: %v old keys are present, at a rate of %v", s.name, kind.Name,
						r.Old, r.Rate)
				}
			}
		}
	}
}

func unused(filter.Set) error { return nil }

// A filter that grows is made again until it ends within its memory, and what it did is told of the
// last.
func TestGrowing(t *testing.T) {
	d := testData(t)
	made := 0
	kind := base.Kind{Promises: base.Multiset | base.Deletes,
		New: func(size filter.Sizing) (filter.StoredSet, error) {
			made++
			return &exact{members: map[uint64]uint64{},
				size: int(size.BitsPerKey * float64(size.Members) / 8), grows: true}, nil
		}}
	r, err := d.give(&streams[1], &kind, 32)
	if err != nil || made < 2 || r.Bits > 32 || r.Bits < 16 || r.Lost.Of+r.Stay.Of != len(d.keys) {
		t.Errorf("%d made, and %+v (%v)", made, r, err)
	}
}

// What kinds are not given is known, and why.
func TestCannot(t *testing.T) {
	d := testData(t)
	for name, want := range map[string][]string{
		"plain":             {"", "", cannotForget, cannotDelete},
		"deletable":         {"", "", "", ""},
		"counting":          {"", "", "", ""},
		"cuckoo":            {"", "", "", ""},
		"rolling":           {"", cannotTakeMore, cannotTakeMore, ""},
		"stable":            {"", cannotKeep, "", cannotDelete},
		"a2":                {"", cannotKeep, "", cannotDelete},
		"rolling, expiring": {"", cannotKeep, "", cannotDelete},
	} {
		all := entries()
		kind := all[slices.IndexFunc(all, func(k base.Kind) bool { return k.Name == name })]
		for i, s := range streams {
			if r, err := d.give(&s, &kind, 32); err != nil || r.Cannot != want[i] {
				t.Errorf("%s, %s: %q (%v), want %q", s.name, name, r.Cannot, err, want[i])
			}
		}
	}
	decays := deletable.Kind
	if r, err := d.give(&streams[3], &decays, 32); err != nil ||
		r.Rate.value() < 10*r.Fresh.value() || r.Rate.Count == 0 {
		t.Errorf("%s: %+v (%v), want a rate that grows", decays.Name, r, err)
	}
	for want, kind := range map[string]base.Kind{
		cannotBeMade: {From: "another filter"},
		cannotFit: {New: func(filter.Sizing) (filter.StoredSet, error) {
			return &exact{size: 1 << 20}, nil // whatever is asked for
		}},
	} {
		if f, cannot, err := fitted(&kind, 1000, 8, unused); f != nil ||
			cannot != want || err != nil {
			t.Errorf("%v, %q, %v: want %q", f, cannot, err, want)
		}
	}
	wrong := base.Kind{New: func(filter.Sizing) (filter.StoredSet, error) {
		return nil,
			os.ErrInvalid
	}}
	if _, _, err := fitted(&wrong, 1000, 8, unused); err == nil {
		t.Error("no error")
	}
}

// exact is a filter whose answers are right, but for those that a test makes wrong.
type exact struct {
	filter.StoredSet
	members map[uint64]uint64
	size    int

	// all keys are, counts are, each delete loses another key, and deletes do nothing
	present, low, lossy, stuck bool
	grows                      bool   // by 8 bits a member
	room                       uint64 // for copies of a key; 0 is any
}

func (f *exact) State() filter.State {
	if f.grows {
		return filter.State{Bytes: f.size + len(f.members)}
	}
	return filter.State{Bytes: f.size}
}

func (f *exact) QueryHash(hash uint64) bool { return f.present || f.members[hash] > 0 }

func (f *exact) QueryHashBatch(hashes, present []uint64) int {
	clear(present)
	count := 0
	for i, hash := range hashes {
		if f.QueryHash(hash) {
			count++
			if present != nil {
				present[i/64] |= 1 << (i % 64)
			}
		}
	}
	return count
}

func (f *exact) InsertHash(hash uint64) (bool, error) {
	present := f.QueryHash(hash)
	if f.room > 0 && f.members[hash] == f.room {
		return false, os.ErrInvalid
	}
	f.members[hash]++
	return present, nil
}

func (f *exact) InsertHashBatch(hashes, _ []uint64) (n int, err error) {
	for i, hash := range hashes {
		if _, err := f.InsertHash(hash); err != nil {
			return i, err
		}
	}
	return len(hashes), nil
}

func (f *exact) DeleteHash(hash uint64) filter.Status {
	if f.members[hash] == 0 {
		if f.lossy {
			return filter.Absent
		}
		panic("a delete of what is no member")
	}
	if f.stuck {
		return filter.Retained
	}
	if f.members[hash]--; f.members[hash] == 0 {
		delete(f.members, hash)
	}
	if f.lossy {
		for hash := range f.members {
			delete(f.members, hash)
			break
		}
	}
	return filter.Deleted
}

func (f *exact) DeleteHashBatch(hashes []uint64, _ []filter.Status) int {
	for _, hash := range hashes {
		f.DeleteHash(hash)
	}
	return len(hashes)
}

func (f *exact) CountHashBatch(hashes, counts []uint64) {
	for i, hash := range hashes {
		if counts[i] = f.members[hash]; f.low && counts[i] > 1 {
			counts[i] -= 2
		}
	}
}

// What is counted of an exact filter is what it has done, and what one does wrong is counted.
func TestExact(t *testing.T) {
	d := testData(t)
	var last *exact
	give := func(holder int, promises base.Promise, f exact) served {
		t.Helper()
		kind := base.Kind{Name: "exact", Promises: promises,
			New: func(size filter.Sizing) (filter.StoredSet, error) {
				want := len(d.members)
				if holder == 1 {
					want = len(d.keys)
				}
				if size.Members != want || size.BitsPerKey != 16 {
					t.Errorf("%s: a filter of %+v, want one of %d members",
						streams[holder].name, size, want)
				}
				f := f
				f.members = map[uint64]uint64{}
				last = &f
				return last, nil
			}}
		r, err := d.give(&streams[holder], &kind, 16)
		if err != nil || r.Cannot != "" {
			t.Fatal(r.Cannot, err)
		}
		return r
	}
	const n = 4000
	all := base.NoFalseNegatives | base.Deletes | base.Multiset | base.Counts
	for i := range streams {
		r := give(i, all, exact{})
		for _, s := range []share{r.Rate, r.Missed, r.Lost, r.Stay, r.Old, r.Fresh} {
			if s.Count > 0 {
				t.Errorf("%s: %+v of an exact filter", streams[i].name, r)
			}
		}
		if r.Rate.Of != quickStreams.NonMembers || r.Missed.Of < n/2 || r.Refused > 0 {
			t.Errorf("%s: %+v, want all asked for", streams[i].name, r)
		}
		if r = give(i, all, exact{present: true}); r.Rate.value() != 1 {
			t.Errorf("%s: a rate of %v where all keys are present", streams[i].name, r.Rate)
		}
	}
	keys := len(d.keys)
	if r := give(1, all, exact{}); r.Missed.Of != keys || r.Counts.Wrong != (share{0, keys}) ||
		r.Counts.Low != (share{0, keys}) || r.Counts.Error != 0 || r.Stay.Of+r.Lost.Of != keys ||
		r.Lost.Of < keys/2-1 || r.Lost.Of > keys/2 {
		t.Errorf("a multiset of %d keys: %+v, %+v", keys, r, r.Counts)
	}
	repeated := 0
	for _, n := range d.counts {
		if n > 1 {
			repeated++
		}
	}
	if r := give(1, all, exact{low: true}); r.Counts.Wrong.Count != repeated ||
		r.Counts.Low.Count != repeated ||
		math.Abs(r.Counts.Error-2*float64(repeated)/float64(keys)) > 1e-9 {
		t.Errorf("%d counts that are 2 low: %+v", repeated, r.Counts)
	}
	if r := give(1, all, exact{stuck: true}); r.Stay.Count != r.Stay.Of || r.Lost.Count != 0 {
		t.Errorf("deletes that do nothing: %+v", r)
	}
	if r := give(1, all, exact{lossy: true}); r.Lost.Count < r.Lost.Of/10 || r.Stay.Count != 0 {
		t.Errorf("deletes that lose others: %+v", r)
	}
	if r := give(1, all, exact{room: 2}); r.Refused == 0 || r.Lost.Of+r.Stay.Of != 0 {
		t.Errorf("inserts that are refused: %+v", r)
	}
	if r := give(1, base.NoFalseNegatives|base.Multiset, exact{}); r.Lost.Of+r.Stay.Of != 0 {
		t.Errorf("deletes that are not promised: %+v", r)
	}

	var recent, old int
	for _, since := range d.since[len(d.since)-oldWindows*n:] {
		if since > 0 && since <= n {
			recent++
		}
		if since >= oldWindows*n {
			old++
		}
	}
	if r := give(2, all, exact{}); !r.Owned || r.Old.Of != old || r.Missed.Of != recent {
		t.Errorf("a window, with %d keys from within it and %d old ones: %+v", recent, old, r)
	}
	in := uint64(0)
	for _, times := range last.members {
		in += times
	}
	if in != n+1 { // what leaves is deleted with the next insert
		t.Errorf("a window of %d inserts, want %d", in, n+1)
	}
	if r := give(2, all, exact{stuck: true}); r.Old.Count != r.Old.Of || r.Missed.Count != 0 {
		t.Errorf("a window of which nothing is deleted: %+v", r)
	}
	if r := give(2, all, exact{lossy: true}); r.Missed.Count < r.Missed.Of/10 {
		t.Errorf("a window of which members are lost: %+v", r)
	}
	if r := give(2, base.Forgets, exact{}); r.Owned || r.Old.Count != r.Old.Of ||
		r.Missed.Count != 0 {
		t.Errorf("a filter that was to forget by itself: %+v", r)
	}
	if r := give(2, all, exact{room: 1}); r.Refused == 0 || r.Missed.Count > r.Missed.Of/2 {
		t.Errorf("a window of keys that are refused: %+v", r)
	}

	if r := give(3, all, exact{}); r.Deleted !=
		(share{quickStreams.Turnovers * n, quickStreams.Turnovers * n}) || r.Missed.Of != n {
		t.Errorf("members that come and go: %+v", r)
	}
	if r := give(3, all, exact{stuck: true}); r.Deleted.Count != 0 {
		t.Errorf("deletes that do nothing: %+v", r)
	}
}

// A filter that forgets is timed with new keys, of which none is deleted; one that counts is asked
// for counts.
func TestTimedStreams(t *testing.T) {
	const bytes, bits, rounds = 32 << 10, 16, 5
	tm := newTimer(bytes, bits, rounds, true)
	forgetting, counting := &exact{members: map[uint64]uint64{}},
		&exact{members: map[uint64]uint64{}}
	plain := refusing{map[uint64]bool{}, tm.members}
	found := tm.time([]subject{{filter: forgetting, forgets: true}, {filter: counting},
		{filter: plain}})
	if got, want := len(forgetting.members), tm.members+rounds*tm.slice; got != want {
		t.Errorf("%d keys came to a filter that forgets, want %d", got, want)
	}
	if len(counting.members) != tm.members ||
		slices.Max(slices.Collect(maps.Values(counting.members))) != 1 {
		t.Errorf("%d members of a filter that counts, want %d, once each",
			len(counting.members), tm.members)
	}
	for i, want := range []struct{ deletes, counts bool }{{false, true}, {true, true},
		{true, false}} {
		if f := found[i]; f.Delete.Least > 0 != want.deletes || f.Count.Least > 0 != want.counts ||
			f.Insert.Least == 0 || f.Query.Least == 0 {
			t.Errorf("filter %d takes %+v, want times as in %+v", i, f, want)
		}
	}
}

// The keys are what the page says of them.
func TestData(t *testing.T) {
	d := testData(t)
	n := len(d.members)
	drawn := uint64(0)
	for _, count := range d.counts {
		drawn += count
	}
	if len(d.draws) != quickStreams.Draws*n || drawn != uint64(len(d.draws)) ||
		slices.Max(d.counts) < 100*slices.Min(d.counts) {
		t.Errorf("%d draws, of which %d are counted", len(d.draws), drawn)
	}
	last := map[uint64]int{}
	var repeated, recent, old int
	for i, hash := range d.window {
		want := 0
		if at, found := last[hash]; found {
			want = i - at
		}
		if d.since[i] != want {
			t.Fatalf("insert %d: the key came %d ago, want %d", i, d.since[i], want)
		}
		last[hash] = i
		if i < len(d.window)-oldWindows*n {
			continue
		}
		repeated += int(min(want, 1))
		if want > 0 && want <= n {
			recent++
		}
		if want >= oldWindows*n {
			old++
		}
	}
	part := func(count int) float64 { return float64(count) / float64(oldWindows*n) }
	if p := part(repeated); math.Abs(p-0.5) > 0.02 || part(recent) < 0.24 || part(old) < 0.1 {
		t.Errorf("%.3f came before, %.3f within the window and %.3f long ago", p,
			part(recent), part(old))
	}
}

// The table of a filter has the bytes that it says: what the heap has more with it.
func TestBytes(t *testing.T) {
	const members, bits = 1 << 18, 32
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what the first one cleaned up is free
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for _, kind := range entries() {
		before := heap()
		f, cannot, err := fitted(&kind, members, bits, unused)
		if err != nil {
			t.Fatal(err)
		}
		if cannot != "" {
			continue
		}
		bytes, held := int64(f.State().Bytes), heap()-before
		if held > bytes+bytes/20 || held < bytes-bytes/20 {
			t.Errorf("%s holds %d bytes, and says %d", kind.Name, held, bytes)
		}
		runtime.KeepAlive(f)
	}
}

// Kinds are timed, each before the filters of other libraries that are beside it.
func TestBeside(t *testing.T) {
	peers := besides()
	names := slices.Concat(slices.Concat(slices.Collect(maps.Values(equals))...), besideCounters)
	if len(peers) != len(names) {
		t.Errorf("%d filters of other libraries, want %d", len(peers), len(names))
	}
	// as powers of two that are nearly full have place for
	all, err := timedOf(entries(), peers, 15<<12, 32)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range all {
		got = append(got, s.name)
		if held := 8 * s.filter.State().Bytes; held > 32*15<<12 {
			t.Errorf("%s holds %d bits, want %d at most", s.name, held, 32*15<<12)
		}
		if want := slices.Contains([]string{"stable", "boom-stable", "a2", "rolling, expiring"},
			s.name); s.forgets != want {
			t.Errorf("%s forgets: %v", s.name, s.forgets)
		}
	}
	for kind, names := range equals {
		if _, found := entries().Of(kind); !found {
			t.Errorf("there is no kind %s", kind)
		}
		at := slices.Index(got, kind)
		if at < 0 || !slices.Equal(got[at+1:at+1+len(names)], names) {
			t.Errorf("%v: want %v behind %s", got, names, kind)
		}
	}
	for _, kind := range entries() {
		if kind.From == "" && !slices.Contains(got, kind.Name) {
			t.Errorf("%s is not timed", kind.Name)
		}
	}
	counts := base.Kind{Name: "exact",
		New: func(filter.Sizing) (filter.StoredSet, error) { return &exact{}, nil }}
	for _, test := range []struct {
		kinds []base.Kind
		want  []string
	}{
		{[]base.Kind{plain.Kind, counts}, slices.Concat([]string{"plain"}, equals["plain"],
			[]string{"exact"}, besideCounters)},
		{[]base.Kind{counts, plain.Kind}, slices.Concat([]string{"exact"}, besideCounters,
			[]string{"plain"}, equals["plain"])},
		{[]base.Kind{plain.Kind}, append([]string{"plain"}, equals["plain"]...)},
	} {
		all, err := timedOf(test.kinds, peers, 15<<12, 32)
		if err != nil || !slices.EqualFunc(all, test.want,
			func(s subject, name string) bool { return s.name == name }) {
			t.Errorf("%d filters (%v), want %v: counters are beside a kind that counts", len(all),
				err, test.want)
		}
	}
}

// A run is printed, and its page is made again from its recording.
func TestStreamsFolder(t *testing.T) {
	out := t.TempDir()
	printed := execute(t, Command, "--quick", "--out", out)
	page, err := os.ReadFile(filepath.Join(out, recording.PageFile))
	if err != nil || string(page) != printed || execute(t, Command, "--from", out) != printed {
		t.Errorf("the page is not what is printed, or not what is made of its recording (%v)", err)
	}
	for _, kind := range entries() {
		if rows := strings.Count(printed, "\n| "+kind.Name+" "); rows != len(streams)+1 &&
			kind.From == "" {
			t.Errorf("%d rows of %s, want %d", rows, kind.Name, len(streams)+1)
		}
	}
	for _, want := range []string{" cannot count |", " cannot delete |", " cannot forget |",
		"boom-stable", "32 bits per key:"} {
		if !strings.Contains(printed, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	kindsOnly, _, _ := strings.Cut(printed, "## The libraries")
	for line := range strings.Lines(kindsOnly) {
		if strings.Contains(line, "|  |") ||
			strings.Contains(strings.ReplaceAll(line, " ", ""), "||") {
			t.Errorf("an empty cell in %s", line)
		}
	}
	for _, text := range []string{`{"schema": 2}`,
		`{"schema": 1, "served": [{"stream": "A static set", "budget": 3}]}`,
		`{"schema": 1, "settings": {"bits_per_key": [3]}, "served": [{"stream": "A brook", "budget": 3}]}`} {
		if err := recording.Read(strings.NewReader(text), new(compared)); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// A committed report is what its recording says, as its command makes it today. The recording is of
// the standard run of a commit, and that of the streams has every kind that is not made of another
// filter: of those there is nothing to measure.
func TestCommitted(t *testing.T) {
	churned, streamed := new(turned), new(compared)
	for study, made := range map[recording.Recording]struct {
		folder  string
		command func() *cobra.Command
		run     *recording.Run
	}{
		churned: {"churn", Churn, &churned.Run}, streamed: {"streams", Command, &streamed.Run},
	} {
		committed, out := filepath.Join("..", "results", made.folder), t.TempDir()
		if err := recording.Load(committed, study); err != nil {
			t.Fatal(err)
		}
		execute(t, made.command, "--from", committed, "--out", out)
		recordingtest.SameFiles(t, committed, out, append(
			slices.Collect(maps.Keys(study.Pictures())), recording.PageFile)...)
		for _, picture := range study.Pictures() {
			charttest.TextsHaveRoom(t, picture)
		}
		if made.run.Revision == "" {
			t.Errorf("%s: a recording of no commit", committed)
		}
	}
	if !slices.Equal(churned.Config.Bits, standard.Bits) ||
		churned.Config.Members != standard.Members ||
		streamed.Settings.Members != standardStreams.Members {
		t.Errorf("recordings of %+v and %+v, want those of standard runs", churned.Config,
			streamed.Settings)
	}
	for _, kind := range entries() {
		has := slices.ContainsFunc(streamed.Served,
			func(s served) bool { return s.Kind == kind.Name })
		if !has && kind.From == "" {
			t.Errorf("no %s, which is a kind by now: run \"go run -buildvcs=true ./bench/studies "+
				"streams --out bench/studies/results/streams\", which takes minutes", kind.Name)
		}
	}
}
