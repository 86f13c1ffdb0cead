package measure

import (
	"bytes"
	"io"
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
)

// testKeys is a stream that tests have time for.
const testKeys = 8 * sliceKeys

// smallArena returns an arena for a test.
func smallArena(t *testing.T, lane int, bytes int64) *arena {
	t.Helper()
	a, err := newArena(lane, bytes, testKeys)
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
	for _, lane := range widths {
		for _, bytes := range arenaBytes {
			a := smallArena(t, lane, bytes)
			all := make([]uint64, a.members.count())
			perBlock := make([]int, a.tables[pageKinds[0]].nblocks())
			for i := range all {
				all[i] = a.members.hash(uint64(i))
				perBlock[all[i]/(1<<63/uint64(len(perBlock))*2)]++
			}
			for pages, table := range a.tables {
				if n := table.methods().query(all); n != len(all) {
					t.Errorf("%s on %s pages: %d of %d members are present", result.FormatSize(bytes), pages, n, len(all))
				}
			}
			if want := 8 * lane / bitsAKey; slices.Min(perBlock) != want || slices.Max(perBlock) != want {
				t.Errorf("%s: blocks of %d to %d members, want %d", result.FormatSize(bytes), slices.Min(perBlock), slices.Max(perBlock), want)
			}
		}
	}
}

// The stream of a pass has no member twice in a turn, and is another for each pass where there are
// more members than it has keys.
func TestDraw(t *testing.T) {
	for _, bytes := range []int64{16 << 10, 2 << 20, 8 << 20} {
		a := smallArena(t, 64, bytes)
		var before []uint64
		for pass := range 3 {
			a.draw(pass)
			for start := 0; start < a.slices(); start += a.turn() {
				turn := slices.Sorted(slices.Values(a.stream[start*sliceKeys : (start+a.turn())*sliceKeys]))
				if n := len(slices.Compact(turn)); n != a.turn()*sliceKeys {
					t.Errorf("%s: %d different members in a turn of %d keys", result.FormatSize(bytes), n, a.turn()*sliceKeys)
				}
			}
			for i := range before {
				// 32 members a block: one key is of another block in each pass, where a group has more than one.
				same := before[i]>>(64-a.members.log2+5) == a.stream[i]>>(64-a.members.log2+5)
				if lines := bytes / 64; same != (lines <= testKeys || a.group <= 32) && lines <= testKeys || same && a.group > 32 {
					t.Fatalf("%s: key %d is of the same block in passes %d and %d: %v", result.FormatSize(bytes), i, pass-1, pass, same)
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
			var order [2][][2]int // of contenders and slices
			var all []contender
			for c := range contenders {
				prepared := -1
				var phases []func(int) int
				for phase := range 2 {
					ran[c][phase] = make([]int, s.slices)
					phases = append(phases, func(slice int) int {
						order[phase] = append(order[phase], [2]int{c, slice})
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
			// In the second round each pass begins with the contender that it began with in the first, and goes
			// on the other way round.
			if contenders == 8 && s.slices >= 12 {
				pass := contenders * s.slices
				for phase := range order {
					if up, down := order[phase][1][0], order[phase][pass+1][0]; up != 1 || down != contenders-1 {
						t.Errorf("the second contender is %d, and %d in the second round", up, down)
					}
				}
			}
			for c := range contenders {
				for phase := range 2 {
					if slices.Min(ran[c][phase]) != s.rounds || slices.Max(ran[c][phase]) != s.rounds {
						t.Errorf("contender %d of %d, phase %d: slices ran %v times, want %d", c, contenders, phase, ran[c][phase], s.rounds)
					}
					if len(timings[c][phase].rounds) != s.rounds || slices.Min(timings[c][phase].rounds) < timings[c][phase].least {
						t.Errorf("contender %d of %d, phase %d: rounds %v, least %v", c, contenders, phase, timings[c][phase].rounds, timings[c][phase].least)
					}
					if timings[c][phase].yes != s.slices {
						t.Errorf("contender %d, phase %d: %d answers, want %d", c, phase, timings[c][phase].yes, s.slices)
					}
				}
			}
		}
	}
}

// testPlan is a plan that tests have time for.
func testPlan(sizes ...int64) Plan {
	return Plan{Sizes: sizes, Rounds: 1, Stderr: io.Discard, keys: testKeys, once: true}
}

// Of queries those of members are answered yes and hardly any of strangers, nearly all deletes are done,
// and hardly any inserted key is there before; and every table is the same in the end.
func TestWorkloads(t *testing.T) {
	for _, lane := range widths {
		for _, bytes := range arenaBytes {
			a := smallArena(t, lane, bytes)
			a.draw(0)
			before := map[string][]byte{}
			for pages, table := range a.tables {
				before[pages] = slices.Clone(table.memory())
			}
			p, r := testPlan(), NewRun()
			p.contests(r, a, a.contests(result.FormBatch, a.batches(), asked))
			p.contests(r, a, a.contests(result.FormSingle, a.singles(), asked))
			p.contests(r, a, a.calls())
			for _, set := range assembly() {
				p.contests(r, a, a.contests(result.FormBatch, a.sweep(set), asked))
			}
			r.Notes = nil
			if p.cores(r, a, 2); len(r.Notes) > 0 != (bytes < 2<<20) {
				t.Errorf("%s on two cores: notes %q", result.FormatSize(bytes), r.Notes)
			}
			seen := map[string]int{}
			for _, timing := range r.Timings {
				what := timing.Operation + timing.Asked
				limits := map[string][2]float64{
					"queryhit": {1, 1}, "querymiss": {0, 0.02}, "querymixed": {0.45, 0.55}, "delete": {0.85, 1}, "insert": {0, 0.15},
				}[what]
				if timing.Kind == result.Floor {
					limits = [2]float64{}
				}
				if timing.Yes < limits[0] || timing.Yes > limits[1] || !(timing.Least > 0) || len(timing.Samples) == 0 {
					t.Errorf("%+v: answers outside %v, or no time", timing, limits)
				}
				seen[what]++
			}
			if len(seen) != 5 {
				t.Errorf("operations %v", seen)
			}
			if all := a.latencies(p.calls()); len(all) != 2*3*len(latencyForms()) {
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
					t.Errorf("%d-bit lanes, %s on %s pages: the table is another one", lane, result.FormatSize(bytes), pages)
				}
			}
		}
	}
}

// Each core has members of blocks that no other core has, none twice, and half of the members or more stay.
func TestCoreStreams(t *testing.T) {
	for _, lane := range widths {
		for _, cores := range []int{1, 2, 3, 16} {
			const bytes = 16 << 20
			m, nblocks := membersOf(bytes), bytes*8/(8*lane)
			s, ok := newCoreStreams(m, nblocks, cores, streamKeys/2)
			if !ok || len(s.members) != cores || len(s.mixed) != cores {
				t.Fatalf("%d cores: streams of %d and %d, %v", cores, len(s.members), len(s.mixed), ok)
			}
			owner := make([]int, nblocks) // less 1
			for core, hashes := range s.members {
				if len(hashes) != s.slices*coreKeys || len(hashes) > m.count()/cores/2 {
					t.Errorf("%d cores: %d keys in %d slices of %d members", cores, len(hashes), s.slices, m.count())
				}
				for _, h := range hashes {
					block, _ := bits.Mul64(h, uint64(nblocks))
					if owner[block] != 0 && owner[block] != core+1 {
						t.Fatalf("%d cores: block %d is of cores %d and %d", cores, block, owner[block]-1, core)
					}
					owner[block] = core + 1
					if i := h >> (64 - m.log2); m.hash(i) != h {
						t.Fatalf("%d cores: %#x is no member", cores, h)
					}
				}
				sorted := slices.Sorted(slices.Values(hashes))
				if n := len(slices.Compact(sorted)); n != len(hashes) {
					t.Errorf("%d cores: %d of %d keys are different", cores, n, len(hashes))
				}
			}
		}
	}
	if _, ok := newCoreStreams(membersOf(512<<10), 512<<10/64, 64, streamKeys/2); ok {
		t.Error("512 KiB are enough for 64 cores")
	}
}

// Every core does each step once, and none begins one before all have done the last.
func TestCrew(t *testing.T) {
	const cores, steps = 4, 100
	c := newCrew(cores)
	defer c.close()
	var did [cores]atomic.Int64
	for step := range int64(steps) {
		c.run(func(core int) {
			if n := did[core].Add(1); n != step+1 {
				t.Errorf("core %d did step %d as its %d.", core, step, n)
			}
		})
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
	a := smallArena(t, 64, 2<<20)
	a.draw(0)
	hashes := slice(a.stream, 1)
	want := make(lanes[L], 1<<15)
	for _, h := range hashes {
		want[h>>(64-15)] = pattern
	}
	for _, d := range distances {
		got := make(lanes[L], len(want))
		set.floors(got, d, &pattern).query(hashes)
		if !slices.Equal(got, make(lanes[L], len(want))) {
			t.Errorf("%d-bit lanes, distance %d: the loading floor wrote", got.lane(), d)
		}
		set.floors(got, d, &pattern).insert(hashes)
		if !slices.Equal(got, want) {
			t.Errorf("%d-bit lanes, distance %d: not just the blocks of the hashes were written", got.lane(), d)
		}
	}
	got := make(lanes[L], len(want))
	set.floor.Or(&got[0], &want[0], len(want))
	if !slices.Equal(got, want) {
		t.Errorf("%d-bit lanes: the merging floor did not write every block", got.lane())
	}
}

// Every contender of a merge has merged all the blocks, and a floor has left the collisions out.
func TestMerge(t *testing.T) {
	for _, lane := range widths {
		for _, bytes := range []int64{16 << 10, 1 << 20} {
			m, err := newMerge(lane, bytes)
			if err != nil {
				t.Fatal(err)
			}
			for _, contest := range []contest{m.contest(), m.copying()} {
				for _, c := range contest.contenders {
					dst, src := m.dst[c.pages], m.src[c.pages]
					clear(dst.memory())
					for i := range m.slices() {
						c.prepare(i)
						c.phases[0](i)
					}
					want, release, err := newTable(lane, bytes, c.pages)
					if err != nil {
						t.Fatal(err)
					}
					copy(want.memory(), src.memory()) // the union with nothing
					if c.kind == result.Kernel && (m.repeats() > 1 || 2*m.bytes <= warmBytes) {
						want.merge(dispatch.Implementations()[0], src)
					}
					if !slices.Equal(dst.memory(), want.memory()) {
						t.Errorf("%s of %s: not every block was merged", c.name, result.FormatSize(bytes))
					}
					if err := release(); err != nil {
						t.Error(err)
					}
				}
			}
			if units := m.units(); units < m.nblocks() {
				t.Errorf("%d blocks merged of %d", units, m.nblocks())
			}
			if err := m.close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestMatch(t *testing.T) {
	for _, lane := range widths {
		for _, masks := range matchSizes {
			for _, c := range match(lane, masks).contenders {
				if yes := c.phases[0](0); yes < 4*matchMasks/masks || yes > matchMasks/2 {
					t.Errorf("%s: %d of %d masks match", c.name, yes, matchMasks)
				}
			}
		}
	}
}

// A run has every operation, form, width and implementation, with a ratio where there is a floor.
func TestKernels(t *testing.T) {
	r := NewRun()
	if err := testPlan(smallBytes).Kernels(r); err != nil {
		t.Fatal(err)
	}
	for _, im := range dispatch.Implementations() {
		for _, lane := range widths {
			for _, operation := range []string{"query", "insert", "delete", "merge", "match"} {
				i := slices.IndexFunc(r.Timings, func(t result.Timing) bool {
					return t.Operation == operation && t.Form == result.FormBatch && t.Lane == lane && t.Name == im.String() && t.Kind == result.Kernel
				})
				if i < 0 {
					t.Errorf("no %s by %v", operation, im)
				} else if floors := len(assembly()) > 0 && operation != "match"; (r.Timings[i].Ratio != nil) != floors {
					t.Errorf("%s by %v: a ratio is there: %v, want %v", operation, im, !floors, floors)
				}
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

func TestSweep(t *testing.T) {
	r, err := testPlan(smallBytes).Sweep()
	if err != nil {
		t.Fatal(err)
	}
	// Two floors and an operation each for insert and delete, a floor and an operation for query.
	if want := len(assembly()) * len(pageKinds) * len(distances) * 6; len(r.Timings) != want {
		t.Errorf("%d results, want %d", len(r.Timings), want)
	}
}

// A size that does not fit is skipped, with a line that says so.
func TestTooLarge(t *testing.T) {
	if _, known := availableBytes(); !known {
		require.Skip(t, "meminfo", "this system does not tell how much memory is available")
	}
	r := &result.Run{}
	fit := Plan{}.fitting(r, []int64{16 << 10, 1 << 60}, 1)
	if len(fit) != 1 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "skipped") {
		t.Errorf("%v fit, notes %q", fit, r.Notes)
	}
}

// Of peers every group has ours, a floor and those that can; a filter that loses members, or answers each
// stranger, shows as such.
func TestPeers(t *testing.T) {
	p := testPlan(smallBytes)
	r := NewRun()
	others := peer.Ours()
	for i := range others {
		others[i].Name += " again"
	}
	others = append(others, static(others[0]))
	atRate := map[string]float64{others[0].Name: 12, others[2].Name: 12}
	for _, ours := range peer.Ours() {
		atRate[ours.Name] = 12
	}
	p.Peers(r, others, atRate)
	for _, against := range []string{result.AtEqualBits, result.AtEqualRate} {
		for _, what := range []string{"build", "query hit", "query miss", "query mixed", "insert", "delete"} {
			operation, asked, _ := strings.Cut(what, " ")
			kinds := map[result.Kind]int{}
			for _, timing := range r.Timings {
				if timing.Operation != operation || timing.Asked != asked || timing.Against != against {
					continue
				}
				kinds[timing.Kind]++
				if timing.Kind == result.Floor {
					continue
				}
				if timing.Held < 0.5 || timing.Held > 16 || timing.Rate <= 0 || timing.Rate > 0.5 || timing.Least <= 0 {
					t.Errorf("%+v", timing)
				}
				if timing.Kind == result.Kernel && timing.Lost > 0 {
					t.Errorf("%s, %s: %s lost %d members", against, what, timing.Name, timing.Lost)
				}
				if against == result.AtEqualRate && timing.Name == others[1].Name {
					t.Errorf("%s has no size for the rate, and was measured", timing.Name)
				}
			}
			if floors := len(assembly()) > 0 && operation != "build"; kinds[result.Kernel] != len(peer.Ours()) || kinds[result.Peer] < 1 || kinds[result.Floor] > 0 != floors {
				t.Errorf("%s, %s: %v", against, what, kinds)
			}
		}
	}
	if !slices.ContainsFunc(r.Notes, func(note string) bool { return strings.HasPrefix(note, others[1].Name) }) {
		t.Errorf("no note on the filter without a size: %q", r.Notes)
	}

	bad := entrant{filter: liar{}}
	bad.judge(1000)
	if bad.lost != 500 || bad.rate != 0.5 || bad.held != 1 {
		t.Errorf("%+v, want half of all answers wrong", bad)
	}
}

// static is a filter that is built once.
func static(of peer.Peer) peer.Peer {
	of.Name, of.Static, of.Deletes = "static", true, false
	begin := of.Begin
	of.Begin = func(members int, bits float64) peer.Builder { return built{begin(members, bits)} }
	return of
}

type built struct{ peer.Builder }

func (b built) Finish() (peer.Filter, error) {
	f, err := b.Builder.Finish()
	return struct{ peer.Filter }{f}, err
}

// liar answers yes to every other key.
type liar struct{}

func (liar) QueryHashBatch(keys, hits []uint64) int { return len(keys) / 2 }
func (liar) State() filter.State                    { return filter.State{Bytes: 1000} }
