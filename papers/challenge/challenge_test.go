package challenge

import (
	"math"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/bloomlane/bloomlane/packets/guard"
	"github.com/bloomlane/bloomlane/papers/claim/claimtest"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// What the run finds that CI makes.
func TestPaper(t *testing.T) {
	if testing.Short() {
		return
	}
	found := claimtest.Run(t, New(), 200, 13)
	found.TheoryHolds(t, formula, 25, 0.02)
	found.TheoryHolds(t, meanField, 4, 0.1)
}

// Trials have the parameters that a row says, or it is refused.
func TestRefused(t *testing.T) {
	const blocked = "innocent sources that are bad in the end"
	claimtest.Refuses(t, New(), [][3]string{
		{"bits per source", "filter=cuckoos", "found filter=cuckoos"},
		{blocked, "P=0.001; trace=synthesized", "found trace=synthesized"},
		{blocked, "P=0.001; trace=synthetic; zzz=4", "nothing reads zzz"},
		{"non-members that are found while sources come and go",
			"P=0.001; filter=spectral; turnovers=13", "at 13 points"},
		{"pairs of sources, a difference of two seeds apart, that share two indexes", "P=0.01",
			"found P=0.01, expected 0.001"},
	})
}

func TestCapture(t *testing.T) {
	paper := New()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	paper.Flags(flags)
	none := filepath.Join(t.TempDir(), "none")
	if err := flags.Parse([]string{"--capture", none}); err != nil {
		t.Fatal(err)
	}
	if _, err := paper.Quantities(&trials.Run{}); err == nil {
		t.Error("a capture that is not there is read")
	}
	damaged := filepath.Join(t.TempDir(), "damaged")
	if err := os.WriteFile(damaged, []byte("no capture"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readCapture(rand.New(rand.NewPCG(1, 1)), damaged); err == nil {
		t.Error("what is no capture is read")
	}
}

// The bad sequences of the capture begin with words that one source sends, and its busiest source
// is innocent.
func TestCapturedSequences(t *testing.T) {
	s, err := newStudy(&trials.Run{}, "")
	if err != nil {
		t.Fatal(err)
	}
	sends, senders := map[int]int{}, map[uint32]map[int]bool{}
	for _, p := range s.captured.packets {
		sends[p.from] += len(p.words)
		for _, word := range p.words {
			if senders[word] == nil {
				senders[word] = map[int]bool{}
			}
			senders[word][p.from] = true
		}
	}
	inside := 0
	for _, words := range s.captured.sequences {
		if count := len(senders[words[0]]); count > 1 {
			t.Errorf("%d sources send the first word of %x", count, words)
		} else {
			inside += count
		}
	}
	busiest := 0
	for source, words := range sends {
		if words > sends[busiest] {
			busiest = source
		}
	}
	bad := rules{}.exactly(s.captured).bad
	if found := bad[s.captured.sources[busiest]]; len(bad) != 2 || found || inside != 30 {
		t.Errorf("%d sources are bad, the busiest: %t; %d sequences are in it", len(bad), found,
			inside)
	}
}

// The words' bytes, and what other implementations have.
func TestMurmur3(t *testing.T) {
	for _, test := range []struct {
		seed  uint32
		words []uint32
		want  uint32
	}{
		{0, nil, 0}, {1, nil, 0x514e28b7}, {0xffffffff, nil, 0x81f16f39},
		{0, []uint32{0}, 0x2362f9de}, {0, []uint32{0xffffffff}, 0x76293b50},
		{0, []uint32{0x87654321}, 0xf55b516b}, {0x5082edee, []uint32{0x87654321}, 0x2362f9de},
		{0x9747b28c, []uint32{0x74736574}, 0x704b81dc},                         // test
		{0x9747b28c, []uint32{0x6c6c6548, 0x77202c6f, 0x646c726f}, 0xe583994d}, // Hello, world
	} {
		mixed := mix(test.words...)
		if got := murmur3(test.seed, mixed[:len(test.words)]); got != test.want {
			t.Errorf("murmur3(%#x, %#x) = %#x, want %#x", test.seed, test.words, got, test.want)
		}
	}
}

// A place is the hash modulo m, for the smallest and the largest m too.
func TestPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, m := range []uint64{2, 3, 512, 143_776, 1 << 31, 3 << 30, 1<<32 - 1} {
		h := newHashing(rng, m, 1)
		for range 10_000 {
			key := mix(rng.Uint32())
			want := uint64(murmur3(h.seeds[0], key[:1])) % m
			if got := h.place(0, key[:1]); got != want {
				t.Fatalf("modulo %d: %d, want %d", m, got, want)
			}
		}
	}
}

// All 16 hashes of four bits, one after another.
func TestReduced(t *testing.T) {
	for m := 1.; m <= 20; m++ {
		for _, n := range []float64{1, 3} {
			set := 0.0
			hashes := map[float64]float64{}
			for h := 0.; h < 16; h++ {
				hashes[math.Mod(h, m)]++
			}
			for h := 0.; h < 16; h++ {
				set += (1 - math.Pow(1-hashes[math.Mod(h, m)]/16, 2*n)) / 16
			}
			if got := reduced(4, m, 2, n); math.Abs(got-set*set) > 1e-12 {
				t.Errorf("m = %g, n = %g: %g, want %g", m, n, got, set*set)
			}
		}
	}
}

// The document's m and k for P = 0.001: 14.38 bits per element, and 9.97 hashes.
func TestSized(t *testing.T) {
	for n, want := range map[int][2]int{1: {15, 10}, 1000: {14378, 10}, 10_000: {143_776, 10}} {
		if m, k := sized(n, standard); m != want[0] || k != want[1] {
			t.Errorf("%d elements: %d bits and %d hashes, want %d", n, m, k, want)
		}
	}
}

// Under the contract of deletion each variant finds its members, but for the one that hides who was
// deleted; and those that leave no trace end as they began.
func TestVariants(t *testing.T) {
	for i, v := range variants {
		rng := rand.New(rand.NewPCG(3, uint64(i)))
		const n = 300
		f := v.new(rng, n, 24)
		var in []uint32
		hidden := 0
		for next := uint32(0); next < 10*n; next++ {
			if len(in) == n {
				at := rng.IntN(n)
				f.delete(in[at])
				in[at] = in[n-1]
				in = in[:n-1]
			}
			f.insert(next)
			in = append(in, next)
			for _, source := range in {
				if !f.contains(source) {
					hidden++
				}
			}
		}
		if v.name == twofold != (hidden > 0) {
			t.Errorf("%s: %d times a member is not found", v.name, hidden)
		}
		if bits := f.bits() / n; v.grows != (bits > 24.5) || bits < 20 {
			t.Errorf("%s: %g bits per source", v.name, bits)
		}
		for _, source := range in {
			f.delete(source)
		}
		if found := hits(20_000, f.contains, func() uint32 { return other(rng) }); found > 0 {
			switch v.name {
			case counted, "spectral", "elastic", cuckooed, exactTable:
				t.Errorf("%s: an empty one finds %d non-members", v.name, found)
			}
		}
	}
}

// A flag is set for a bit that is one; or only for one that another element has set. Some places
// of an element are equal.
func TestCollisions(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	ones, others := collisions.in(rng, 8, 10), collisions.in(rng, 8, 10)
	others.ofOthers = true
	for _, f := range []*cells{ones, others} {
		f.insert(1)
		f.delete(1)
	}
	if slices.Max(ones.counts) != collisions || slices.Max(others.counts) != 0 {
		t.Errorf("bits and flags: %d and %d", ones.counts, others.counts)
	}
	others.insert(1)
	one := slices.Clone(others.counts)
	others.insert(2)
	others.delete(1)
	for i, count := range others.counts {
		if count == 1 && one[i] == 1 || count == collisions && one[i] == 0 {
			t.Errorf("bits and flags: %d of one, then %d", one, others.counts)
		}
	}
	if !others.contains(2) {
		t.Errorf("bits and flags: %d", others.counts)
	}
}

// A counter that has reached 15 stays.
func TestCounters(t *testing.T) {
	f := counters.in(rand.New(rand.NewPCG(6, 6)), 1000, 3)
	for _, times := range []int{14, 16} {
		for range times {
			f.insert(1)
		}
		for range times {
			f.delete(1)
		}
		if f.contains(1) != (times > 15) {
			t.Errorf("%d inserts and deletes: in is %t", times, f.contains(1))
		}
	}
}

// The strikes of some sequences, of which one is the beginning of another, and one the end.
func TestStrikes(t *testing.T) {
	data := patternsOf([][]uint32{{1}, {1, 2}, {2, 3}, {4, 5, 6}, {6}, {10, 11}})
	for _, test := range []struct {
		name  string
		rules rules
		words []uint32
		want  int
	}{
		{"none", rules{}, []uint32{7, 8, 9}, 0},
		{"one word, which leaves nothing to AB", rules{}, []uint32{1, 2}, 1},
		{"the longest first", rules{}, []uint32{4, 5, 6}, 1},
		{"its end only", rules{}, []uint32{5, 6}, 1},
		{"an interrupted one", rules{}, []uint32{4, 5, 7, 6}, 1},
		{"a word before a strike is forgotten", rules{}, []uint32{10, 1, 11}, 1},
		{"three at most", rules{}, []uint32{1, 1, 1, 1}, 3},
		{"BC after A has been taken", rules{}, []uint32{1, 2, 3}, 2},
		{"all that end", rules{overlaps: true}, []uint32{4, 5, 6}, 2},
		{"A and AB", rules{overlaps: true}, []uint32{1, 2}, 2},
		{"A, AB and BC", rules{overlaps: true}, []uint32{1, 2, 3}, 3},
		{"one per packet", rules{onePerPacket: true}, []uint32{1, 7, 1}, 1},
		{"one per packet of all", rules{onePerPacket: true, overlaps: true}, []uint32{4, 5, 6}, 1},
	} {
		if got := test.rules.inspect(&source{}, test.words, data); got != test.want {
			t.Errorf("%s: %d strikes, want %d", test.name, got, test.want)
		}
		split := &source{}
		got := 0
		for i := range test.words {
			if split.strikes < maxStrikes {
				got += test.rules.inspect(split, test.words[i:i+1], data)
			}
		}
		if !test.rules.onePerPacket && got != test.want {
			t.Errorf("%s, over packets: %d strikes, want %d", test.name, got, test.want)
		}
	}
}

// On exact sets the tracker does what the packet guard does, with and without a limit.
func TestBesideGuard(t *testing.T) {
	path, err := defaultCapture()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	captured, err := readCapture(rng, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []*trace{synthetic(rng, 1000), captured} {
		for _, limit := range []int{0, 100, 3} {
			most := limit
			if limit == 0 {
				most = len(all.sources)
			}
			var blocked []netip.Addr
			for _, source := range all.blocked {
				blocked = append(blocked, address(source))
			}
			var sequences [][]byte
			for _, words := range all.sequences {
				sequences = append(sequences, bytesOf(words))
			}
			engine, err := guard.NewEngine(guard.NewExactSets(), most, blocked, sequences)
			if err != nil {
				t.Fatal(err)
			}
			packets := make([]guard.Packet, len(all.packets))
			for i, p := range all.packets {
				packets[i].Source = address(all.sources[p.from])
				packets[i].Payload = bytesOf(p.words)
			}
			verdicts, err := engine.Process(nil, packets)
			if err != nil {
				t.Fatal(err)
			}
			out := rules{limit: limit}.exactly(all)
			for i, want := range verdicts {
				got := out.verdicts[i]
				same := map[guard.Verdict]bool{
					guard.Accepted: got == 0, guard.Strike: got > 0, guard.ThirdStrike: got > 0,
					guard.Rejected: got == rejected,
				}[want]
				if !same {
					t.Fatalf("%s, limit %d, packet %d: %d, and the guard says %c", all.name,
						limit, i, got, want)
				}
			}
			counts := engine.Counts()
			if out.strikes != counts.Strikes || out.moved != counts.ThirdStrike ||
				out.deletes != counts.ThirdStrike+counts.Evicted || limit != 3 && out.moved == 0 ||
				limit == 3 && counts.Evicted == 0 {
				t.Errorf("%s, limit %d: %d strikes, %d moved, %d deletes; the guard %+v",
					all.name, limit, out.strikes, out.moved, out.deletes, counts)
			}
			for _, source := range all.sources {
				want := map[guard.Answer]string{guard.Bad: "bad", guard.Good: "good",
					guard.Unknown: "neither"}
				if got := out.answer(source); got != want[engine.Answer(address(source))] {
					t.Errorf("%s, limit %d: %d is %s", all.name, limit, source, got)
				}
			}
		}
	}
}

func address(source uint32) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(source >> 24), byte(source >> 16), byte(source >> 8),
		byte(source)})
}

func bytesOf(words []uint32) (all []byte) {
	for _, w := range words {
		all = append(all, byte(w>>24), byte(w>>16), byte(w>>8), byte(w))
	}
	return all
}

// A bad source that the good set shows passes where that is asked first, as a new one.
func TestGoodFirst(t *testing.T) {
	shows := shown{}
	for first, want := range map[bool][]int8{false: {3, rejected, rejected}, true: {3, 0, 3}} {
		strikes := packet{0, []uint32{9, 9, 9}}
		all := &trace{sources: []uint32{1}, packets: []packet{strikes, {0, nil}, strikes},
			sequences: [][]uint32{{9}}}
		out := rules{goodFirst: first}.track(all,
			sets{shows, exactSources{}, patternsOf(all.sequences)})
		for i, verdict := range out.verdicts {
			if verdict != want[i] {
				t.Errorf("good first %t: verdicts %d, want %d", first, out.verdicts, want)
				break
			}
		}
		if out.visible != out.deletes || out.deletes == 0 {
			t.Errorf("%d of %d deletes leave their source", out.visible, out.deletes)
		}
	}
}

// shown is a set that shows all.
type shown struct{ exactSources }

func (shown) insert(uint32)        {}
func (shown) contains(uint32) bool { return true }
func (shown) delete(uint32)        {}

func TestMistakes(t *testing.T) {
	exact := outcome{verdicts: []int8{0, 3, rejected, rejected, 1, 3, rejected}}
	found := outcome{verdicts: []int8{rejected, rejected, 1, 0, 3, 1, rejected}}
	got := found.numbers(&exact)
	for name, want := range map[string]float64{"innocent": 4, "guilty": 3, "blocked": 2,
		"passed": 2, "wrong": 3, "missed": 5} {
		if got[name][0] != want {
			t.Errorf("%s: %g, want %g", name, got[name][0], want)
		}
	}
}

// The roles of the synthetic trace: 3 in 100 are blocked, 5 get three strikes, 12 one or two.
func TestSynthetic(t *testing.T) {
	all := synthetic(rand.New(rand.NewPCG(8, 8)), 3000)
	out := rules{}.exactly(all)
	struck := 0.0
	for _, s := range out.sources {
		if s.strikes > 0 && s.strikes < maxStrikes {
			struck++
		}
	}
	for _, test := range []struct {
		name        string
		found, part float64
	}{{"blocked", float64(len(all.blocked)), 0.03}, {"moved", float64(out.moved), 0.05},
		{"struck", struck, 0.12}} {
		if mean := 3000 * test.part; math.Abs(test.found-mean) > 4*math.Sqrt(mean*(1-test.part)) {
			t.Errorf("%s: %g, want about %g", test.name, test.found, mean)
		}
	}
	if len(all.packets) != 3000*perSource || len(all.sequences) != knownPatterns {
		t.Errorf("%d packets, %d sequences", len(all.packets), len(all.sequences))
	}
}

// A scattered number is another one for each: of 2^16 neighbours, and of those that differ in the
// high bits.
func TestScattered(t *testing.T) {
	seen := map[uint32]bool{}
	for i := range uint32(1 << 16) {
		seen[scattered(i)] = true
		seen[scattered(i<<16)] = true
	}
	if len(seen) != 2<<16-1 {
		t.Errorf("%d numbers", len(seen))
	}
}

// What the go command says of its failure is in the error.
func TestDefaultCaptureSaysWhy(t *testing.T) {
	t.Setenv("GOFLAGS", "-nonsense")
	if _, err := defaultCapture(); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("found %v, expected what go list says of -nonsense", err)
	}
}
