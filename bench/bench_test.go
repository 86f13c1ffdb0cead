package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/kernel"
)

// testKeys is a stream that tests have time for.
const testKeys = 8 * sliceKeys

// smallArena returns an arena for a test.
func smallArena(t *testing.T, bytes int64) *arena {
	t.Helper()
	a, err := newArena(bytes, testKeys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// arenaBytes are sizes whose members are fewer than a stream, and more.
var arenaBytes = []int64{16 << 10, 2 << 20}

func TestMembers(t *testing.T) {
	for _, bytes := range arenaBytes {
		a := smallArena(t, bytes)
		all := make([]uint64, a.members.count())
		perBlock := make([]int, bytes/int64(blockBytes))
		for i := range all {
			all[i] = a.members.hash(uint64(i))
			perBlock[all[i]/(1<<63/uint64(len(perBlock))*2)]++
		}
		for pages, table := range a.tables {
			if n := table.QueryBatch(all, nil); n != len(all) {
				t.Errorf("%s on %s pages: %d of %d members are present", formatSize(bytes), pages, n, len(all))
			}
		}
		if slices.Min(perBlock) != blockMembers || slices.Max(perBlock) != blockMembers {
			t.Errorf("%s: blocks of %d to %d members, want %d", formatSize(bytes), slices.Min(perBlock), slices.Max(perBlock), blockMembers)
		}
	}
}

// The stream of a pass has no member twice in a turn, and is another for each pass where there are
// more members than it has keys.
func TestDraw(t *testing.T) {
	for _, bytes := range arenaBytes {
		a := smallArena(t, bytes)
		var before []uint64
		for pass := range 3 {
			a.draw(pass)
			for start := 0; start < a.slices(); start += a.turn() {
				turn := slices.Sorted(slices.Values(a.stream[start*sliceKeys : (start+a.turn())*sliceKeys]))
				if n := len(slices.Compact(turn)); n != a.turn()*sliceKeys {
					t.Errorf("%s: %d different members in a turn of %d keys", formatSize(bytes), n, a.turn()*sliceKeys)
				}
			}
			if a.group > 1 {
				for i := range before {
					if before[i]>>(64-a.members.log2+5) == a.stream[i]>>(64-a.members.log2+5) && a.group > blockMembers {
						t.Fatalf("%s: key %d is in the same block in passes %d and %d", formatSize(bytes), i, pass-1, pass)
					}
				}
			}
			before = slices.Clone(a.stream)
		}
	}
}

// Each contender has each slice once in as many passes as there are contenders, in both orders.
func TestInterleave(t *testing.T) {
	for _, contenders := range []int{1, 2, 3, 8} {
		for _, s := range []schedule{{slices: 1, turn: 1}, {slices: 12, turn: 4}, {slices: 7, turn: 7}} {
			s.rounds = 2
			passes, steps := 0, 0
			s.draw = func(int) { passes++ }
			s.step = func(n int) { steps += n }
			ran := make([][2][]int, contenders)
			var all []contender
			for c := range contenders {
				prepared := -1
				var phases []func(int) int
				for phase := range 2 {
					ran[c][phase] = make([]int, s.slices)
					phases = append(phases, func(slice int) int {
						if prepared != slice {
							t.Errorf("slice %d ran, slice %d was prepared", slice, prepared)
						}
						ran[c][phase][slice]++
						if phase == 1 && ran[c][0][slice] != ran[c][1][slice] {
							t.Errorf("slice %d: the second phase did not follow the first", slice)
						}
						return 1
					})
				}
				all = append(all, contender{prepare: func(slice int) { prepared = slice }, phases: phases})
			}
			timings := interleave(all, s)
			if want := s.rounds * contenders; passes != want || steps != want {
				t.Errorf("%d passes and %d steps, want %d", passes, steps, want)
			}
			for c := range contenders {
				for phase := range 2 {
					if slices.Min(ran[c][phase]) != s.rounds || slices.Max(ran[c][phase]) != s.rounds {
						t.Errorf("contender %d of %d, phase %d: slices ran %v times, want %d", c, contenders, phase, ran[c][phase], s.rounds)
					}
					if timings[c][phase].yes != s.slices {
						t.Errorf("contender %d, phase %d: %d answers, want %d", c, phase, timings[c][phase].yes, s.slices)
					}
				}
			}
		}
	}
}

// Half of the queries, nearly all deletes and hardly any inserts answer yes, and the table is the same
// in the end.
func TestWorkloads(t *testing.T) {
	for _, bytes := range arenaBytes {
		a := smallArena(t, bytes)
		before := map[string]kernel.Table512{}
		for pages, table := range a.tables {
			before[pages] = slices.Clone(table)
		}
		p := plan{rounds: 1, keys: testKeys, stderr: io.Discard}
		r := newReport(1)
		var groups [][]contender
		for _, workload := range []func() (queries, updates []contender){a.batches, a.singles} {
			queries, updates := workload()
			groups = append(groups, queries, updates)
		}
		for _, set := range assembly() {
			queries, updates := a.sweep(set)
			groups = append(groups, queries, updates)
		}
		for _, contenders := range groups {
			p.compete(r, "", contenders, schedule{slices: a.slices(), turn: a.turn(), draw: a.draw}, "key", testKeys)
		}
		want := map[string][2]float64{opQuery: {0.45, 0.55}, opDelete: {0.85, 1}, opInsert: {0, 0.15}}
		seen := map[string]int{}
		for _, result := range r.Results {
			limits := want[result.Operation]
			if result.Floor {
				limits = [2]float64{}
			}
			if result.Yes < limits[0] || result.Yes > limits[1] || !(result.Nanoseconds > 0) {
				t.Errorf("%+v: answers outside %v, or no time", result, limits)
			}
			seen[result.Operation]++
		}
		if len(seen) != 3 {
			t.Errorf("operations %v", seen)
		}
		for pages, table := range a.tables {
			if !slices.Equal(table, before[pages]) {
				t.Errorf("%s on %s pages: the table is another one", formatSize(bytes), pages)
			}
		}
	}
}

// The rewriting floor writes the block of each hash and no other, at each distance, and the merging
// one every block.
func TestFloors(t *testing.T) {
	sets := assembly()
	if len(sets) == 0 {
		require.Skip(t, "floors", "there are no floors for this CPU in this build")
	}
	a := smallArena(t, 2<<20)
	a.draw(0)
	hashes := slice(a.stream, 1)
	pattern := [8]uint64{1, 2, 3, 4, 5, 6, 7, 8}
	want := kernel.NewTable512(1 << 15)
	for _, h := range hashes {
		want[h>>(64-15)] = kernel.Block512(pattern)
	}
	for _, set := range sets {
		for _, d := range distances {
			got := kernel.NewTable512(len(want))
			set.floorLoad(d)(got, hashes)
			if !slices.Equal(got, kernel.NewTable512(len(want))) {
				t.Errorf("%s, distance %d: the loading floor wrote", set.name, d)
			}
			set.floorRewrite(d, &pattern)(got, hashes)
			if !slices.Equal(got, want) {
				t.Errorf("%s, distance %d: not just the blocks of the hashes were written", set.name, d)
			}
		}
		got := kernel.NewTable512(len(want))
		set.or((*[8]uint64)(&got[0]), (*[8]uint64)(&want[0]), len(want))
		if !slices.Equal(got, want) {
			t.Errorf("%s: the merging floor did not write every block", set.name)
		}
	}
}

func TestMerge(t *testing.T) {
	for _, bytes := range []int64{16 << 10, 1 << 20} {
		m, err := newMerge(bytes)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range m.contenders() {
			dst, want := m.dst[c.Pages], kernel.NewTable512(m.nblocks())
			dst.Reset()
			for i := range m.slices() {
				c.phases[0](i)
			}
			want.Merge(m.src[c.Pages])
			if m.repeats() > 1 {
				want.Merge(m.src[c.Pages])
			}
			for i := range want {
				if c.isFloor {
					want[i][0] = 0
				}
			}
			if !slices.Equal(dst, want) {
				t.Errorf("%s of %s: not every block was merged", c.Implementation, formatSize(bytes))
			}
		}
		if err := m.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, masks := range []int{64, 4096} {
		for _, c := range match(masks) {
			if yes := c.phases[0](0); yes < 4*matchMasks/masks || yes > matchMasks/2 {
				t.Errorf("%s: %d of %d masks match", c.Implementation, yes, matchMasks)
			}
		}
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args  string
		code  int
		wants string
	}{
		{"--help", exitDone, "--quick"},
		{"sweep --help", exitDone, "--sizes"},
		{"quick", exitBad, "unknown command"},
		{"--fast", exitBad, "unknown flag: --fast"},
		{"--sizes 17KiB", exitBad, `size "17KiB": want a power of two from 16 KiB to 64 GiB`},
		{"--sizes 8KiB", exitBad, "from 16 KiB"},
		{"--sizes 128GiB", exitBad, "to 64 GiB"},
		{"--sizes 99999999999999999999GiB", exitBad, "to 64 GiB"},
		{"--sizes=", exitBad, "--sizes names none"},
		{"--sizes 16KiB,", exitBad, `size ""`},
		{"--rounds 0", exitBad, "--rounds 0: want 1 to 1000"},
		{"sweep 16KiB", exitBad, "16KiB"},
		{"sweep --rounds x", exitBad, "--rounds"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(strings.Fields(test.args), &stdout, &stderr)
		if text := stdout.String() + stderr.String(); code != test.code || !strings.Contains(text, test.wants) {
			t.Errorf("%q: exit code %d, want %d; %s, want %s", test.args, code, test.code, text, test.wants)
		}
		if code != exitDone && stdout.Len() > 0 {
			t.Errorf("%q: a result on stdout: %s", test.args, &stdout)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, text := range []string{"16 KiB", "512 KiB", "16 MiB", "2 GiB", "64 GiB"} {
		if bytes, err := parseSize(text); err != nil || formatSize(bytes) != text {
			t.Errorf("%s: %s, %v", text, formatSize(bytes), err)
		}
	}
}

// Both forms of the results have every operation, form and implementation, with a ratio where there is
// a floor.
func TestReport(t *testing.T) {
	p := plan{sizes: []int64{16 << 10}, rounds: 1, keys: testKeys, stderr: io.Discard}
	r, err := p.measure()
	if err != nil {
		t.Fatal(err)
	}
	var text, object bytes.Buffer
	if err := errors.Join(r.write(&text, false, false), r.write(&object, true, false)); err != nil {
		t.Fatal(err)
	}
	var read report
	decoder := json.NewDecoder(&object)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&read); err != nil {
		t.Fatal(err)
	}
	for _, im := range kernel.Implementations() {
		for _, operation := range []string{opQuery, opInsert, opDelete, opMerge, opMatch} {
			i := slices.IndexFunc(read.Results, func(r row) bool {
				return r.Operation == operation && r.Form == formBatch && r.Implementation == im.String() && !r.Floor
			})
			if i < 0 {
				t.Errorf("no %s by %v", operation, im)
			} else if floors := len(assembly()) > 0 || operation == opMatch; (read.Results[i].Ratio != nil) != floors {
				t.Errorf("%s by %v: a ratio is there: %v, want %v", operation, im, !floors, floors)
			}
		}
	}
	for _, want := range []string{"cpu ", "caches ", "query, batch", "delete, single", "merge, batch", "4096 masks  purego"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%s\nhas no %q", &text, want)
		}
	}
	if err := r.write(full{}, false, false); !errors.Is(err, errFull) {
		t.Errorf("written to a full disk: %v", err)
	}
}

func TestSweep(t *testing.T) {
	p := plan{sizes: []int64{16 << 10}, rounds: 1, keys: testKeys, stderr: io.Discard}
	r, err := p.sweep()
	if err != nil {
		t.Fatal(err)
	}
	// Two floors and an operation each for insert and delete, a floor and an operation for query.
	if want := len(assembly()) * len(pageKinds) * len(distances) * 6; len(r.Results) != want {
		t.Errorf("%d results, want %d", len(r.Results), want)
	}
	var text bytes.Buffer
	if err := r.write(&text, false, true); err != nil {
		t.Fatal(err)
	}
	if len(assembly()) > 0 && !strings.Contains(text.String(), "rewrite (insert)") {
		t.Errorf("%s\nhas no floor", &text)
	}
}

// A size that does not fit is skipped, with a line that says so.
func TestTooLarge(t *testing.T) {
	if _, known := availableBytes(); !known {
		require.Skip(t, "meminfo", "this system does not tell how much memory is available")
	}
	r := newReport(1)
	r.Notes = nil
	fit := plan{}.fitting(r, []int64{16 << 10, 1 << 60}, 1)
	if len(fit) != 1 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "skipped") {
		t.Errorf("%v fit, notes %q", fit, r.Notes)
	}
}

// full is a writer that has no room, such as a disk.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }
