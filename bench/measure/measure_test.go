package measure

import (
	"bytes"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// testKeys is a stream that tests have time for.
const testKeys = 8 * sliceKeys

func init() { evicting = make([]byte, 1<<20) } // tests have no time to empty a cache

// smallArena returns an arena for a test.
func smallArena(t *testing.T, width int, bytes int64) *arena {
	t.Helper()
	a, err := newArena(width, bytes, testKeys)
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
	for _, width := range widths {
		for _, bytes := range arenaBytes {
			a := smallArena(t, width, bytes)
			all := make([]uint64, a.members.count())
			perBlock := make([]int, a.tables[pageKinds[0]].nblocks())
			for i := range all {
				all[i] = a.members.hash(uint64(i))
				perBlock[all[i]/(1<<63/uint64(len(perBlock))*2)]++
			}
			for pages, table := range a.tables {
				if n := table.methods()[query](all); n != len(all) {
					t.Errorf("%s on %s pages: %d of %d members are present", quantity.Bytes(bytes),
						pages, n, len(all))
				}
			}
			if want := width / bitsPerKey; slices.Min(perBlock) != want ||
				slices.Max(perBlock) != want {
				t.Errorf("%s: blocks of %d to %d members, want %d", quantity.Bytes(bytes),
					slices.Min(perBlock), slices.Max(perBlock), want)
			}
		}
	}
}

// The stream of a pass has no member twice in a turn, and is another for each pass where there are
// more members than it has keys.
func TestDraw(t *testing.T) {
	for _, bytes := range []int64{16 << 10, 2 << 20, 8 << 20} {
		a := smallArena(t, 512, bytes)
		var before []uint64
		for pass := range 3 {
			a.draw(pass)
			for start := 0; start < a.slices(); start += a.turn() {
				turn := slices.Sorted(
					slices.Values(a.hit[start*sliceKeys : (start+a.turn())*sliceKeys]))
				if n := len(slices.Compact(turn)); n != a.turn()*sliceKeys {
					t.Errorf("%s: %d different members in a turn of %d keys", quantity.Bytes(bytes),
						n, a.turn()*sliceKeys)
				}
			}
			for i := range before {
				// 32 members a block: one key is of another block in each pass, where a part has
				// more than one.
				same := before[i]>>(64-a.members.log2+5) == a.hit[i]>>(64-a.members.log2+5)
				if lines := bytes / 64; same != (lines <= testKeys || a.part <= 32) &&
					lines <= testKeys || same && a.part > 32 {
					t.Fatalf("%s: key %d is of the same block in passes %d and %d: %v",
						quantity.Bytes(bytes), i, pass-1, pass, same)
				}
			}
			before = slices.Clone(a.hit)
		}
	}
}

// Each subject has each slice once in a round, in both orders.
func TestInterleave(t *testing.T) {
	const rounds = 2
	for _, subjects := range []int{1, 2, 3, 8} {
		for _, shape := range [][2]int{{1, 1}, {12, 4}, {7, 7}} {
			all, passes, steps := shape[0], 0, 0
			g := group{slice: 1, turn: shape[1], draw: func(int) { passes++ }}
			numbers := make([]uint64, all)
			for i := range numbers {
				numbers[i] = uint64(i)
			}
			g.phases = []phase{{remove, "", numbers}, {insert, "", numbers}}
			ran := make([]map[string][]int, subjects)
			order := map[string][]int{} // of subjects
			for s := range subjects {
				prepared := -1
				do := operations{}
				ran[s] = map[string][]int{remove: make([]int, all), insert: make([]int, all)}
				for operation, times := range ran[s] {
					do[operation] = func(keys []uint64) int {
						slice := int(keys[0])
						order[operation] = append(order[operation], s)
						if times[slice]++; prepared != slice {
							t.Errorf("slice %d ran, slice %d was prepared", slice, prepared)
						}
						if operation == insert && ran[s][remove][slice] != times[slice] {
							t.Errorf("slice %d: the second phase did not follow the first", slice)
						}
						return 1
					}
				}
				g.subjects = append(g.subjects,
					subject{do: do, warm: func(keys []uint64) { prepared = int(keys[0]) }})
			}
			timings := g.interleave(rounds, func() { steps++ })
			if want := rounds * subjects; passes != want || steps != want {
				t.Errorf("%d passes and %d steps, want %d", passes, steps, want)
			}
			// In the second round each pass begins with the subject that it began with in the
			// first, and goes on the other way round.
			if subjects == 8 && all >= 12 {
				for operation, order := range order {
					if up, down := order[1], order[subjects*all+1]; up != 1 || down != subjects-1 {
						t.Errorf("%s: the second subject is %d, and %d in the second round",
							operation, up, down)
					}
				}
			}
			for s := range subjects {
				for p, phase := range g.phases {
					if times := ran[s][phase.operation]; slices.Min(times) != rounds ||
						slices.Max(times) != rounds {
						t.Errorf("subject %d of %d, %s: slices ran %v times, want %d", s, subjects,
							phase.operation, times, rounds)
					}
					if got := timings[s][p]; len(got.rounds) != rounds ||
						slices.Min(got.rounds) < got.least || got.yes != all {
						t.Errorf("subject %d of %d, %s: %+v, want %d answers and no round below "+
							"the least", s, subjects, phase.operation, got, all)
					}
				}
			}
		}
	}
}

// A sample is the mean per unit of neighbouring rounds where there are many.
func TestSamples(t *testing.T) {
	rounds := make([]float64, 2*maxSamples)
	for i := range rounds {
		rounds[i] = float64(i) * 10
	}
	if got := samples(rounds, 10); len(got) != maxSamples || got[0] != 0.5 ||
		got[maxSamples-1] != 2*maxSamples-1.5 {
		t.Errorf("%v", got)
	}
	if got := samples([]float64{-1, 123456}, 10); !slices.Equal(got, []float64{0, 12350}) {
		t.Errorf("%v, want nothing below 0, and four digits", got)
	}
}

// testSettings are what tests have time for.
func testSettings(sizes ...int64) Settings {
	return Settings{Sizes: sizes, Rounds: 1, Stderr: io.Discard, keys: testKeys, once: true}
}

// Of queries those of members are answered yes and hardly any of non-members, nearly all deletes
// are done, and hardly any inserted key is there before; and every table is the same in the end.
func TestWorkloads(t *testing.T) {
	for _, width := range widths {
		for _, bytes := range []int64{smallBytes, 2 << 20} { // the larger is also for several cores
			a := smallArena(t, width, bytes)
			a.draw(0)
			before := map[string][]byte{}
			for pages, table := range a.tables {
				before[pages] = slices.Clone(table.memory())
			}
			s, r := testSettings(bytes), NewRun()
			for _, g := range a.groups(s, 2, r.Note) {
				s.time(r, g)
			}
			for _, g := range r.Groups {
				for _, s := range g.Subjects {
					limits := [2]float64{} // of a floor
					if s.Kind == result.Implementation {
						limits = map[string][2]float64{
							"queryhit": {1, 1}, "querymiss": {0, 0.02}, "querymixed": {0.45, 0.55},
							"delete": {0.85, 1}, "insert": {0, 0.15},
							"selecttenth": {0.08, 0.13}, "selecthalf": {0.45, 0.55},
							"selectall": {1, 1},
						}[g.Operation+g.Keys]
					}
					if s.Yes < limits[0] || s.Yes > limits[1] || !(s.Least > 0) ||
						len(s.Samples) == 0 || s.Least > 1.001*slices.Min(s.Samples) {
						t.Errorf("%+v: %+v: answers outside %v, no time, or a least that is not",
							g.Conditions, s, limits)
					}
				}
			}
			if all := a.latencies(s.calls()); len(all) != 2*3*len(latencyForms) {
				t.Errorf("%d latencies", len(all))
			} else {
				for _, l := range all {
					if l.P50 > l.P99 || l.P99 > l.P999 || l.P999 > l.Max || !(l.Max > 0) {
						t.Errorf("%+v: quantiles out of order, or no time", l)
					}
				}
			}
			for pages, table := range a.tables {
				if !slices.Equal(table.memory(), before[pages]) {
					t.Errorf("blocks of %d bits, %s on %s pages: the table is another one", width,
						quantity.Bytes(bytes), pages)
				}
			}
		}
	}
}

// Each core has members of blocks that no other core has, none twice, and half of the members or
// more stay.
func TestCoreKeys(t *testing.T) {
	for _, width := range widths {
		for _, cores := range []int{1, 2, 3, 16} {
			const bytes = 16 << 20
			m, nblocks := membersOf(bytes), bytes*8/width
			k, ok := coreKeysOf(m, nblocks, cores, streamKeys/2)
			if !ok || len(k.hit) != len(k.mixed) || len(k.hit)%(cores*coreKeys) != 0 ||
				len(k.hit) > m.count()/2 {
				t.Fatalf("%d cores: %d and %d keys of %d members, %v", cores, len(k.hit),
					len(k.mixed), m.count(), ok)
			}
			owner, seen := make([]int, nblocks), make([]bool, m.count()) // owner: less 1
			for at, h := range k.hit {
				core := at / coreKeys % cores
				block, _ := bits.Mul64(h, uint64(nblocks))
				if owner[block] != 0 && owner[block] != core+1 {
					t.Fatalf("%d cores: block %d is of cores %d and %d", cores, block,
						owner[block]-1, core)
				}
				owner[block] = core + 1
				i := h >> (64 - m.log2)
				if m.hash(i) != h || seen[i] {
					t.Fatalf("%d cores: %#x is no member, or comes again", cores, h)
				}
				seen[i] = true
			}
		}
	}
	if _, ok := coreKeysOf(membersOf(512<<10), 512<<10/64, 64, streamKeys/2); ok {
		t.Error("512 KiB are enough for 64 cores")
	}
}

// Every core does its part of each slice, and the next slice begins when all have.
func TestTogether(t *testing.T) {
	const cores, steps = 4, 100
	var did [cores]atomic.Int64
	for step := range int64(steps) {
		together(cores, func(core int) { did[core].Add(1) })
		for core := range did {
			if n := did[core].Load(); n != step+1 {
				t.Fatalf("after step %d core %d did %d", step, core, n)
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
	for _, set := range sets {
		t.Run(set.name, func(t *testing.T) {
			testFloors(t, &set.w64, [8]uint64{1, 2, 3, 4, 5, 6, 7, 8})
			testFloors(t, &set.w32, [8]uint32{1, 2, 3, 4, 5, 6, 7, 8})
		})
	}
}

func testFloors[L fallback.Lane](t *testing.T, set *loops[L], pattern [8]L) {
	a := smallArena(t, 512, 2<<20)
	a.draw(0)
	hashes := a.hit[sliceKeys:][:sliceKeys]
	want := make(lanes[L], 1<<15)
	for _, h := range hashes {
		want[h>>(64-15)] = pattern
	}
	for _, d := range []int{0, 32, distance, 256} {
		got := make(lanes[L], len(want))
		set.floors(got, d, &pattern)[query](hashes)
		if !slices.Equal(got, make(lanes[L], len(want))) {
			t.Errorf("%T, distance %d: the loading floor wrote", got, d)
		}
		set.floors(got, d, &pattern)[insert](hashes)
		if !slices.Equal(got, want) {
			t.Errorf("%T, distance %d: not just the blocks of the hashes were written", got, d)
		}
	}
	got := make(lanes[L], len(want))
	set.floor.Or(&got[0], &want[0], len(want))
	if !slices.Equal(got, want) {
		t.Errorf("%T: the merging floor did not write every block", got)
	}
}

// Every subject of a merge has merged all the blocks, and a floor has left the collisions out.
func TestMerge(t *testing.T) {
	for _, width := range widths {
		for _, bytes := range []int64{16 << 10, 1 << 20} {
			var tables [3]table
			for i := range tables {
				var release func() error
				var err error
				if tables[i], release, err = newTable(width, bytes, pageKinds[0]); err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := release(); err != nil {
						t.Error(err)
					}
				}()
			}
			dst, src, want := tables[0], tables[1], tables[2]
			for _, g := range merges(width, pageKinds[0], dst, src) {
				if units := g.slices() * g.units; units < dst.nblocks() {
					t.Errorf("%d blocks merged of %d", units, dst.nblocks())
				}
				for _, s := range g.subjects {
					clear(dst.memory())
					for _, part := range g.phases[0].keys {
						s.warm([]uint64{part})
						s.do[g.phases[0].operation]([]uint64{part})
					}
					copy(want.memory(), src.memory()) // the union with nothing
					if s.kind == result.Implementation && 2*bytes <= warmBytes {
						want.merge(dispatch.Implementations()[0])(want, src) // a second time
					}
					if !slices.Equal(dst.memory(), want.memory()) {
						t.Errorf("%s of %s: not every block was merged", s.name,
							quantity.Bytes(bytes))
					}
				}
			}
		}
	}
}

func TestMatch(t *testing.T) {
	for _, width := range widths {
		for _, masks := range matchSizes {
			for _, s := range match(width, masks).subjects {
				if yes := s.do["match"](nil); s.kind == result.Implementation &&
					(yes < 4*matchMasks/masks || yes > matchMasks/2) {
					t.Errorf("%s: %d of %d masks match", s.name, yes, matchMasks)
				}
			}
		}
	}
}

// A run has every operation, form and width, by every implementation in batches, with a ratio where
// there is a floor.
func TestKernels(t *testing.T) {
	r := NewRun()
	if err := testSettings(smallBytes, 2<<20).Kernels(r); err != nil {
		t.Fatal(err)
	}
	type kind struct {
		form, operation, keys string
		width                 int
	}
	seen := map[kind]int{}
	for _, g := range r.Groups {
		all := g.Of(result.Implementation)
		seen[kind{g.Form, g.Operation, g.Keys, g.BlockBits}] = len(all)
		for _, s := range all {
			// loops in Go
			bare := g.Form == result.FormSingle || g.Form == result.FormCalls ||
				g.Operation == "match"
			floors := (len(assembly()) > 0 || bare) && g.Form != result.FormSelection
			if (g.ToFloor(s) > 0) != floors {
				t.Errorf("%+v: a ratio of %s is there: %v, want %v", g.Conditions, s.Name,
					!floors, floors)
			}
		}
	}
	for _, width := range widths {
		want := map[kind]int{{result.FormBatch, "copy", "", width}: 0}
		for _, operation := range []string{"query hit", "query miss", "query mixed", insert, remove,
			"merge", "match"} {
			operation, keys, _ := strings.Cut(operation, " ")
			want[kind{result.FormBatch, operation, keys, width}] = len(dispatch.Implementations())
			if keys == "mixed" || operation == insert || operation == remove {
				want[kind{result.FormSingle, operation, keys, width}] = 1
				want[kind{result.FormCalls, operation, keys, width}] = 1 + len(callSizes)
				want[kind{result.FormCores, operation, keys, width}] = 1
			}
		}
		for _, share := range []string{"tenth", "half", "all"} {
			want[kind{result.FormSelection, choose, share, width}] =
				3 * len(dispatch.Implementations())
		}
		for kind, n := range want {
			if got, ok := seen[kind]; got != n || !ok {
				t.Errorf("%+v: %d implementations, want %d", kind, got, n)
			}
		}
	}
	if len(r.Latencies) == 0 {
		t.Error("no latencies")
	}
	var written bytes.Buffer
	if err := r.Write(&written); err != nil {
		t.Fatal(err)
	}
	if _, err := result.Read(&written); err != nil {
		t.Error(err)
	}
}

// A size that does not fit is skipped, with a line that says so.
func TestTooLarge(t *testing.T) {
	if _, known := availableBytes(); !known {
		require.Skip(t, "meminfo", "this system does not tell how much memory is available")
	}
	r := &result.Run{}
	fit := fitting(r, []int64{16 << 10, 1 << 60}, 1)
	if len(fit) != 1 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "skipped") {
		t.Errorf("%v fit, notes %q", fit, r.Notes)
	}
}

// Of peers every group has ours, a floor and those that can; a filter that loses members, or
// answers each non-member, shows as such.
func TestPeers(t *testing.T) {
	r := NewRun()
	others := peer.Ours()
	for i := range others {
		others[i].Name += " again"
	}
	others = append(others, static(others[0]))
	atRate := map[string]result.Memory{others[0].Name: {Bits: 12}, others[2].Name: {Bits: 12}}
	for _, ours := range peer.Ours() {
		atRate[ours.Name] = result.Memory{Bits: 12}
	}
	ofBytes := map[string]peer.Peer{}
	for _, p := range peer.OursOfBytes() {
		atRate[p.Table], ofBytes[p.Name] = result.Memory{Bits: 12}, p
		p.Name += " of bytes"
		others, atRate[p.Name] = append(others, p), result.Memory{Bits: 12}
	}
	testSettings(smallBytes).Peers(r, others, atRate)
	if r.Hash != "AES-PMAC" {
		t.Errorf("our keys of bytes are hashed with %q", r.Hash)
	}
	// build, three queries, delete, insert; of keys of bytes one query, and at equal bits one of
	// strings, and of one length calls
	if want := 2*6 + 4 + len(peerLengths)*(4+1) + 1; len(r.Groups) != want {
		t.Fatalf("%d groups, want %d", len(r.Groups), want)
	}
	for _, g := range r.Groups {
		kinds := map[result.Kind]int{}
		bytes := g.KeyBytes != ""
		if g.Form == result.FormCalls {
			if keys, told := g.Subjects[0].Batch, len(g.Subjects); keys != 2 || !bytes ||
				told != len(callSizes) || g.Subjects[told-1].Name != result.Methods {
				t.Errorf("%+v: %+v", g.Conditions, g.Subjects)
			}
			continue
		}
		for _, s := range g.Subjects {
			kinds[s.Kind]++
			if s.Kind != result.Floor && (s.BytesPerKey < 0.5 || s.BytesPerKey > 32 ||
				s.Rate <= 0 || s.Rate > 0.5 || s.Least <= 0) {
				t.Errorf("%+v: %+v", g.Conditions, s)
			}
			if of := ofBytes[strings.TrimSuffix(s.Name, " of bytes")]; s.Kind ==
				result.Implementation && of.Name != "" != bytes || bytes && of.Name == "" ||
				g.Operation == remove && bytes && !of.Deletes ||
				g.Against == result.AtEqualRate && of.Lists && s.Kind == result.Implementation {
				t.Errorf("%+v: %s was measured", g.Conditions, s.Name)
			}
			if limits, ok := map[string][2]float64{query: {0.45, 0.65},
				remove: {0.7, 1}}[g.Operation]; bytes && ok &&
				(s.Yes < limits[0] || s.Yes > limits[1]) {
				t.Errorf("%+v: %s answers yes to %v, want %v", g.Conditions, s.Name, s.Yes, limits)
			}
			if lost := s.Name == "static"; lost != (s.Lost > 0) {
				t.Errorf("%+v: %s lost %d members", g.Conditions, s.Name, s.Lost)
			}
			if g.Against == result.AtEqualRate && s.Name == others[1].Name {
				t.Errorf("%s has no size for the rate, and was measured", s.Name)
			}
			if updates := g.Operation == insert || g.Operation == remove; updates &&
				s.Name == "static" {
				t.Errorf("%+v: a filter that is built once was measured", g.Conditions)
			}
		}
		ours := len(peer.Ours())
		for name, p := range ofBytes {
			if !bytes {
				break
			}
			_, batches := map[string]bool{"deletable": true, "blocked": true}[name]
			ours += peer.One((g.Operation != remove || p.Deletes) &&
				(g.Against != result.AtEqualRate || !p.Lists) &&
				(!strings.HasSuffix(g.KeyBytes, result.InStrings) || !batches))
		}
		if bytes {
			ours -= len(peer.Ours())
		}
		if floors := len(assembly()) > 0 && g.Operation != "build" &&
			!bytes; kinds[result.Implementation] != ours || kinds[result.Peer] < 1 ||
			kinds[result.Floor] > 0 != floors {
			t.Errorf("%+v: %v, want %d of ours", g.Conditions, kinds, ours)
		}
	}
	if !slices.ContainsFunc(r.Notes,
		func(note string) bool { return strings.HasPrefix(note, others[1].Name) }) {
		t.Errorf("no note on the filter without a size: %q", r.Notes)
	}

	if bytesPerKey, rate, lost := judge(liar{}, held{hashes: 1000}); lost != 500 || rate != 0.5 ||
		bytesPerKey != 1 {
		t.Errorf("%v bytes per key, rate %v, %d lost: want half of all answers wrong",
			bytesPerKey, rate, lost)
	}
}

// A filter that is built once is asked for its members of every kind: hashes, and keys of bytes of
// each length, also in strings.
func TestHolding(t *testing.T) {
	r, memory, queries := NewRun(), map[string]result.Memory{}, map[string]int{}
	for _, p := range peer.OursOfBytes() {
		memory[p.Name] = result.Memory{Bits: bitsPerKey}
	}
	memory[peer.Ours()[0].Name] = result.Memory{Bits: bitsPerKey}
	testSettings(smallBytes).holding(r, nil, 1, smallBytes, result.AtEqualBits, memory,
		held{2 * sliceKeys, sliceKeys, peerLengths})
	for _, g := range r.Groups {
		if g.Operation != query || g.Keys != "mixed" {
			continue
		}
		queries[strings.TrimSuffix(g.KeyBytes, result.InStrings)]++
		for _, s := range g.Of(result.Implementation) {
			if s.Yes < 0.45 || s.Yes > 0.65 || s.Lost > 0 {
				t.Errorf("%+v: %s answers yes to %v, and lost %d", g.Conditions, s.Name, s.Yes,
					s.Lost)
			}
		}
	}
	if want := map[string]int{"": 1, "8": 2, "16": 3, "32": 2}; !maps.Equal(queries, want) {
		t.Errorf("queries by the length of keys %v, want %v", queries, want)
	}
}

// static is a filter that is built once.
func static(p peer.Peer) peer.Peer {
	p.Name, p.Static, p.Deletes = "static", true, false
	begin := p.Begin
	p.Begin = func(members int, bits float64) peer.Builder { return once{begin(members, bits)} }
	return p
}

type once struct{ peer.Builder }

func (b once) Finish() (peer.Filter, error) {
	f, err := b.Builder.Finish()
	return forgetful{f}, err
}

// forgetful loses a member in each batch.
type forgetful struct{ peer.Filter }

func (f forgetful) QueryHashBatch(keys, present []uint64) int {
	return max(0, f.Filter.QueryHashBatch(keys, present)-1)
}

// liar answers yes to every other key.
type liar struct{}

func (liar) QueryHashBatch(keys, present []uint64) int { return len(keys) / 2 }
func (liar) State() filter.State                       { return filter.State{Bytes: 1000} }
