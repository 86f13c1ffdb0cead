package streams

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/studies/recording"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/report/chart/charttest"
	"github.com/bloomlane/bloomlane/report/plan"
)

// execute runs the command, and returns what it prints.
func execute(t *testing.T, command func() *cobra.Command, args ...string) string {
	t.Helper()
	cmd, out := command(), new(bytes.Buffer)
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(io.Discard)
	if err := cmd.Execute(); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out.String()
}

// find returns the row of a filter at a budget.
func find(t *testing.T, rows []row, budget int, name string) row {
	t.Helper()
	for _, r := range rows {
		if r.Budget == budget && r.Subject == name {
			return r
		}
	}
	t.Fatalf("no row of %s at %d bits", name, budget)
	return row{}
}

// What is promised of ours, whatever the lifetime: no member is lost or refused, a filter that is
// kept fresh does not decay as one that is left alone does, and fingerprints leave no trace.
func TestChurn(t *testing.T) {
	for _, life := range []string{"oldest", "random", "pareto:1.5", "mixture:0.5:0.2"} {
		c := config{Members: 4000, Bits: []int{40}, Turnovers: []int{0, 1, 5}, Lifetime: life,
			NonMembers: quick.NonMembers, timing: timing{16 << 10, 16 << 10, 2}}
		r, err := c.run(io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if r.Config.Lifetime != life || len(r.Rows) < 12 {
			t.Fatalf("%d rows of %+v, want 12 at least", len(r.Rows), r.Config)
		}
		for _, r := range r.Rows {
			ours := !strings.Contains(r.Subject, "-")
			if r.Bits > 40 || r.Bits < 5 || r.Keeps == "" || ours && r.Lost+r.Refused > 0 {
				t.Errorf("%s: %+v, want 5 to 40 bits, and of ours no member lost or refused", life,
					r)
			}
			if deletes := r.Deletes[2]; r.Inserts != 6*4000 || r.Refused == 0 &&
				deletes.Of != 4*4000 {
				t.Errorf("%s: %s had %d inserts and %d deletes", life, r.Subject,
					r.Inserts, deletes.Of)
			}
		}
		decays, rebuilt := find(t, r.Rows, 40, nameDeletable), find(t, r.Rows, 40, nameRebuilt)
		fresh, old := decays.Rates[0].value(), decays.Rates[2].value()
		if rebuilt.Rates[2].value() > old/2 || old < 2*fresh {
			t.Errorf("%s: rates %v with a rebuild each turnover, %v without", life,
				rebuilt.Rates, decays.Rates)
		}
		if a, b := decays.Deletes[1].value(), decays.Deletes[2].value(); !(b < a && a < 1) {
			t.Errorf("%s: of the deletes %v took effect, want fewer and fewer", life,
				decays.Deletes)
		}
		if rebuilt.Again != 4*4000 || decays.Again != 0 {
			t.Errorf("%s: %d members inserted again by rebuilds, %d without", life,
				rebuilt.Again, decays.Again)
		}
		refreshed := find(t, r.Rows, 40, nameRefreshed)
		if v := refreshed.Rates[2].value(); v > rebuilt.Rates[2].value() || v < fresh {
			t.Errorf("%s: rates %v with refreshes, %v with rebuilds", life, refreshed.Rates,
				rebuilt.Rates)
		}
		if part := float64(refreshed.Again) / (5 * 4000); part < 0.95 || part > 1.05 {
			t.Errorf("%s: %d members inserted again by refreshes, want one an insert", life,
				refreshed.Again)
		}
		ring := find(t, r.Rows, 40, "rolling, 4 generations")
		if ring.Rates[2].value() > 0.005 {
			t.Errorf("%s: rates of the ring %v, want at most 0.005", life, ring.Rates)
		}
		if part := float64(ring.Again) / (5 * 4000); life == "oldest" && part > 0.03 ||
			// 0.36 in the long run: package rolling
			life == "random" && (part < 0.2 || part > 0.5) {
			t.Errorf("%s: the ring moved %.2f members an insert", life, part)
		}
		for _, name := range []string{"counting, 4 bits", "cuckoo, 8 bits"} {
			r := find(t, r.Rows, 40, name)
			low, high := r.Rates[0].interval()
			if v := r.Rates[2].value(); v < 0.8*low || v > 1.2*high {
				t.Errorf("%s: %s has rates %v, want all alike", life, name, r.Rates)
			}
			if r.Deletes[2].value() < 0.95 {
				t.Errorf("%s: of %s %v deletes took effect", life, name, r.Deletes[2])
			}
		}
	}
}

// A folder has a recording, and what is made of it, which is also printed.
func TestFolder(t *testing.T) {
	out, second := t.TempDir(), t.TempDir()
	printed := execute(t, Churn, "--quick", "--out", out)
	text := func(folder, name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if text(out, recording.PageFile) != printed {
		t.Error("the page is not what is printed")
	}
	for _, want := range []string{
		"## 16 bits per key", "## 32 bits per key", "rolling, 4 generations", "seiflotfy-cuckoo",
		"linvon/cuckoo-filter", pictureFile,
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if execute(t, Churn, "--from", out) != printed {
		t.Error("another page from the same recording")
	}
	execute(t, Churn, "--from", out, "--out", second)
	if text(second, pictureFile) != text(out, pictureFile) {
		t.Error("another picture from the same recording")
	}
	if _, err := os.Stat(filepath.Join(second, churnFile)); err == nil {
		t.Error("a recording was written that was not measured")
	}
	r := new(turned)
	asJSON := strings.NewReader(execute(t, Churn, "--from", out, "--json"))
	if err := recording.Read(asJSON, r); err != nil {
		t.Fatal(err)
	}
	charttest.TextsHaveRoom(t, r.picture())
	if len(r.Steady) != 6*len(r.Config.SteadyBits) {
		t.Errorf("%d series in the picture, want 6 of each memory", len(r.Steady))
	}
	timed := 0
	for _, row := range r.Rows {
		for _, ts := range []*times{row.Cache, row.Memory} {
			if ts == nil {
				continue
			}
			timed++
			for _, s := range []spread{ts.Query, ts.Delete, ts.Insert} {
				if !(s.Least > 0 && s.Least <= s.Quartile && s.Quartile < 1e6) {
					t.Errorf("%s took %+v", row.Subject, s)
				}
			}
			if fresh := strings.HasPrefix(row.Subject, nameDeletable+","); fresh !=
				(ts.Again.Least > 0) {
				t.Errorf("%s took %+v for inserting again", row.Subject, ts.Again)
			}
		}
	}
	if timed < len(r.Rows) {
		t.Errorf("%d times of %d rows", timed, len(r.Rows))
	}
}

// refusing is an exact set that takes a number of members, and no more.
type refusing struct {
	members map[uint64]bool
	room    int
}

func (f refusing) State() filter.State { return filter.State{Bytes: 8 * f.room} }

func (f refusing) QueryHashBatch(hashes, _ []uint64) (count int) {
	for _, hash := range hashes {
		if f.members[hash] {
			count++
		}
	}
	return count
}

func (f refusing) InsertHashBatch(hashes, _ []uint64) (n int, err error) {
	for i, hash := range hashes {
		if len(f.members) == f.room {
			return i, io.ErrShortWrite
		}
		f.members[hash] = true
	}
	return len(hashes), nil
}

func (f refusing) DeleteHashBatch(hashes []uint64, _ []filter.Status) (deleted int) {
	for _, hash := range hashes {
		if !f.members[hash] {
			panic("a delete of what is no member")
		}
		delete(f.members, hash)
	}
	return len(hashes)
}

// What a filter refuses is told, is not deleted from it, and is not lost; and an exact one has no
// rate.
func TestRefused(t *testing.T) {
	life, members := "random", 1000
	c := config{Lifetime: life, Members: members}
	r := churned(t, &c, refusing{map[uint64]bool{}, 900})
	if r.Refused < 100 || r.Lost != 0 || r.Rates[1].Count != 0 || r.Rates[1].Of != 1<<12 {
		t.Errorf("%+v, want 100 refused at least, none lost, and no false positive", r)
	}
	if r.Deletes[1].Count != r.Deletes[1].Of || r.Deletes[1].Of >= members*2 ||
		r.Deletes[1].Of < members {
		t.Errorf("deletes %v: want all that were not refused", r.Deletes[1])
	}
	r = churned(t, &c, refusing{map[uint64]bool{}, 1000})
	if r.Refused != 0 || r.Deletes[1] != (share{2000, 2000}) {
		t.Errorf("%+v, want no refusal of a filter with room", r)
	}
	if r = churned(t, &c, losing{refusing{map[uint64]bool{}, 1000}}); r.Lost == 0 {
		t.Errorf("%+v, want members lost", r)
	}
}

// losing loses another member with each delete, if it can.
type losing struct{ refusing }

func (f losing) DeleteHashBatch(hashes []uint64, status []filter.Status) int {
	for _, hash := range hashes {
		delete(f.members, hash)
	}
	for hash := range f.members {
		delete(f.members, hash)
		break
	}
	return len(hashes)
}

// watched is an exact filter that counts what it is asked for.
type watched struct {
	refusing
	queries, found *int
}

func (f watched) QueryHashBatch(hashes, present []uint64) int {
	found := f.refusing.QueryHashBatch(hashes, present)
	*f.queries += len(hashes)
	*f.found += found
	return found
}

// Filters are timed in the cache, and then in memory in half as many rounds.
func TestTiming(t *testing.T) {
	c, got := timing{Cache: 1 << 14, Memory: 1 << 18, Rounds: 6}, []string(nil)
	note := func(t *timer) error {
		got = append(got, fmt.Sprint(t.members, t.rounds, t.warm))
		return nil
	}
	if err := c.each(16, note); err != nil || fmt.Sprint(got) != "[8192 6 true 131072 3 false]" {
		t.Errorf("timed %q (%v)", got, err)
	}
	if err := c.each(16, func(*timer) error { return io.EOF }); err != io.EOF {
		t.Errorf("error %v, want %v", err, io.EOF)
	}
}

// Filters that are timed have all members but those that were just deleted, and half of the keys
// that they are asked for are members: a refusing filter panics at any other delete.
func TestTimer(t *testing.T) {
	const bytes, bits, rounds = 32 << 10, 16, 20
	for _, warm := range []bool{false, true} {
		tm := newTimer(bytes, bits, rounds, warm)
		if tm.members != bytes*8/bits || tm.slice != tm.members/32 {
			t.Fatalf("%d members in slices of %d", tm.members, tm.slice)
		}
		var queries, found int
		f := watched{refusing{map[uint64]bool{}, tm.members}, &queries, &found}
		r, err := rolling.New(rolling.Config{Members: tm.members, BitsPerKey: bits})
		if err != nil {
			t.Fatal(err)
		}
		if times := tm.time([]subject{{filter: f}, {filter: r}}); len(times) != 2 {
			t.Errorf("%d times of two filters", len(times))
		}
		for i := range tm.members {
			if hash := member(i); !f.members[hash] || !r.QueryHash(hash) {
				t.Fatalf("%#x is no member any more", hash)
			}
		}
		if len(f.members) != tm.members {
			t.Errorf("%d members in the end, want %d", len(f.members), tm.members)
		}
		mixed := rounds * len(tm.mixed)
		warming := 4 * rounds * len(tm.others)
		if queries != mixed+warming || warm != (warming > 0) {
			t.Errorf("asked for %d keys, want %d", queries, mixed+warming)
		}
		if share := float64(found) / float64(mixed); share < 0.48 || share > 0.52 {
			t.Errorf("%.3f of the queries are of members, want half", share)
		}
	}
}

func churned(t *testing.T, c *config, f peer.Deleter) row {
	t.Helper()
	life, err := plan.ParseLifetime(c.Lifetime, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := churn(&subject{name: "test", filter: f}, c.Members, life, []int{0, 2}, 1<<12)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A figure stands alone where its interval is near it.
func TestFigures(t *testing.T) {
	for _, test := range []struct {
		got, want string
	}{
		{share{0, 0}.percent(), ""},
		{share{0, 1 << 24}.percent(), "below 2.3e-05"},
		{share{10_000, 1_000_000}.percent(), "1"},
		{share{20, 1_000_000}.percent(), "0.0013–0.0031"},
		{share{1000, 1000}.percent(), "100"},
		{share{19, 20}.percent(), "76–99"},
		{spread{Least: 3.21, Quartile: 3.3}.text(), "3.21"},
		{spread{Least: 12.34, Quartile: 15}.text(), "12.3–15.0"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
	// Wilson, "Probable inference" (1927), has 0.0552 to 0.1744 for 10 of 100.
	if low, high := (share{10, 100}).interval(); math.Abs(low-0.0552) > 1e-4 ||
		math.Abs(high-0.1744) > 1e-4 {
		t.Errorf("10 of 100: %.4f to %.4f", low, high)
	}
}

// A recording that no page can be made of is refused, and so are arguments.
func TestMalformed(t *testing.T) {
	malformed := t.TempDir()
	for _, text := range []string{
		"", "{}", `{"schema": 1, "config": {"turnovers": [0]}, "rows": [{"subject": "x"}]}`,
	} {
		if err := os.WriteFile(filepath.Join(malformed, churnFile), []byte(text),
			0o600); err != nil {
			t.Fatal(err)
		}
		cmd := Churn()
		cmd.SetArgs([]string{"--from", malformed})
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		if err := cmd.Execute(); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	for _, args := range [][]string{{"more"}, {"--from", "none"}} {
		cmd := Churn()
		cmd.SetArgs(args)
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		if err := cmd.Execute(); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}

// A recording is read as it was written.
func TestRecording(t *testing.T) {
	run := recording.Run{Schema: recording.Schema}
	r := &turned{Run: run, Config: config{Turnovers: []int{0}}, Rows: []row{{
		Subject: "x", Rates: []share{{1, 2}}, Deletes: []share{{}},
		placed: placed{Memory: &times{Again: spread{Least: 1, Quartile: 2}}},
	}}}
	var text bytes.Buffer
	if err := recording.Write(&text, r); err != nil {
		t.Fatal(err)
	}
	got := new(turned)
	if err := recording.Read(&text, got); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(r)
	if b, _ := json.Marshal(got); !bytes.Equal(a, b) {
		t.Errorf("%s, want %s", b, a)
	}
}
