package guard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/packets/sets"
)

var (
	one   = netip.MustParseAddr("192.0.2.1")
	two   = netip.MustParseAddr("192.0.2.2")
	three = netip.MustParseAddr("192.0.2.3")
	six   = netip.MustParseAddr("2001:db8::1")
)

// words makes a payload of small words.
func words(values ...uint32) []byte {
	var payload []byte
	for _, value := range values {
		payload = binary.BigEndian.AppendUint32(payload, value)
	}
	return payload
}

func addr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}) }

// sent is a packet that a test sends, and the verdict that it must get.
type sent struct {
	source  netip.Addr
	payload []byte
	verdict Verdict
}

// TestRules says the rules as stories, on exact sets. 1 2 3 is a bad sequence, and 4 5, and 6.
func TestRules(t *testing.T) {
	sequences := [][]byte{words(1, 2, 3), words(4, 5), words(6)}
	many := make([]uint32, 2*maxGroup) // a packet that is inspected in several groups
	across := append(append(make([]uint32, maxGroup-2), 1, 2, 3, 7), make([]uint32, maxGroup)...)
	tests := []struct {
		name    string
		packets []sent
		answers map[netip.Addr]Answer
	}{
		{"a good source", []sent{{one, words(7, 8, 9), Accepted}, {one, words(1, 2, 4), Accepted}},
			map[netip.Addr]Answer{one: Good, two: Unknown}},
		{"a packet without words", []sent{{one, nil, Accepted}}, map[netip.Addr]Answer{one: Good}},
		{"no IP", []sent{{netip.Addr{}, nil, NoIP}}, nil},
		{"blocked from the start", []sent{{three, words(7), Rejected}},
			map[netip.Addr]Answer{three: Bad}},
		{"a strike is no reason to reject",
			[]sent{{one, words(7, 6, 7), Strike}, {one, words(7), Accepted}},
			map[netip.Addr]Answer{one: Good}},
		{"a sequence of each length", []sent{{one, words(1, 2, 3), Strike},
			{one, words(4, 5), Strike}, {one, words(6), ThirdStrike}},
			map[netip.Addr]Answer{one: Bad}},
		{"three strikes in a packet", []sent{{one, words(6, 6, 6, 7), ThirdStrike},
			{one, words(7), Rejected}}, map[netip.Addr]Answer{one: Bad}},
		{"strikes are counted by source", []sent{{one, words(6, 6), Strike},
			{two, words(6, 6), Strike}, {six, words(6, 6), Strike}, {one, words(6), ThirdStrike}},
			map[netip.Addr]Answer{one: Bad, two: Good, six: Good}},
		{"a sequence spans two packets",
			[]sent{{one, words(7, 4), Accepted}, {one, words(5, 7), Strike}}, nil},
		{"a sequence spans three packets", []sent{{one, words(1), Accepted}, {one, nil, Accepted},
			{one, words(2), Accepted}, {one, words(3), Strike}}, nil},
		{"not those of another source",
			[]sent{{one, words(4), Accepted}, {two, words(5), Accepted}}, nil},
		{"not with a word between", []sent{{one, words(4, 7, 5), Accepted}}, nil},
		{"a sequence between groups of words", []sent{{one, words(across...), Strike}}, nil},
		{"a long packet after a beginning",
			[]sent{{one, words(1, 2), Accepted}, {one, words(append([]uint32{3}, many...)...),
				Strike}}, nil},
		{"IPv6 and IPv4-mapped sources differ",
			[]sent{{netip.MustParseAddr("::ffff:192.0.2.3"), words(7), Accepted},
				{three, words(7), Rejected}}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := mustEngine(t, NewExactSets(), 10, []netip.Addr{three}, sequences)
			for i, p := range test.packets {
				if verdict := mustVerdict(t, e, p.source, p.payload); verdict != p.verdict {
					t.Errorf("packet %d: verdict %c, want %c", i+1, verdict, p.verdict)
				}
			}
			for source, want := range test.answers {
				if answer := e.Answer(source); answer != want {
					t.Errorf("%s is %s, want %s", source, answer, want)
				}
			}
		})
	}
}

// TestStrikeClearsHistory checks what a hit leaves behind: no word before it is part of a sequence.
func TestStrikeClearsHistory(t *testing.T) {
	tests := []struct {
		name      string
		sequences [][]byte
		payload   []byte
		strikes   int
	}{
		{"the longest first, and one a word", [][]byte{words(1, 2, 3), words(2, 3), words(3)},
			words(1, 2, 3), 1},
		{"not back over a hit", [][]byte{words(1, 2), words(2, 3)}, words(1, 2, 3), 1},
		{"nor three words back", [][]byte{words(1), words(1, 2, 3)}, words(1, 2, 3), 1},
		{"shorter ones after it", [][]byte{words(1, 2), words(2, 3), words(3)}, words(1, 2, 3), 2},
	}
	for _, test := range tests {
		// In one packet, and in packets of one word each.
		for size := range map[int]bool{len(test.payload): true, wordBytes: true} {
			e := mustEngine(t, NewExactSets(), 10, nil, test.sequences)
			for rest := test.payload; len(rest) > 0; rest = rest[size:] {
				e.packet(one, rest[:size])
			}
			if strikes := e.Counts().Strikes; strikes != test.strikes {
				t.Errorf("%s, packets of %d bytes: %d strikes, want %d", test.name, size,
					strikes, test.strikes)
			}
		}
	}
}

// TestInsertedOnce checks that a source is inserted with its first packet and never again, that a
// third strike deletes it, and that an eviction does.
func TestInsertedOnce(t *testing.T) {
	sets := NewExactSets()
	good := &counting{Deleter: sets.Good.Deleter}
	sets.Good.Deleter = good
	e := mustEngine(t, sets, 2, nil, [][]byte{words(6)})
	check := func(what string, inserts, deletes int) {
		t.Helper()
		if good.inserts != inserts || good.deletes != deletes {
			t.Errorf("%s: %d inserts and %d deletes, want %d and %d", what, good.inserts,
				good.deletes, inserts, deletes)
		}
	}
	e.packet(one, words(6, 6))
	e.packet(one, words(7))
	check("two packets", 1, 0)
	e.packet(two, words(7))
	e.packet(one, words(7))
	check("another source", 2, 0)
	e.packet(three, words(7)) // two was not seen for longest
	check("an eviction", 3, 1)
	if answer := e.Answer(two); answer != Unknown {
		t.Errorf("the evicted source is %s, want %s", answer, Unknown)
	}
	e.packet(one, words(6))
	check("a third strike", 3, 2)
	e.packet(one, words(6))
	check("a rejected packet", 3, 2)
	e.packet(two, words(6))
	check("a return", 4, 2)
	if c := e.Counts(); c.Admitted != 4 || c.Evicted != 1 || c.Cleared != 2 || e.Held() != 2 {
		t.Errorf("counts %+v, %d held", c, e.Held())
	}
}

// counting counts what is asked of a set.
type counting struct {
	Deleter
	inserts, deletes int
}

func (c *counting) InsertHash(hash uint64) (bool, error) {
	c.inserts++
	return c.Deleter.InsertHash(hash)
}

func (c *counting) DeleteHash(hash uint64) filter.Status {
	c.deletes++
	return c.Deleter.DeleteHash(hash)
}

// TestFalsePositiveIsInserted checks the reason for exact states: a source that is a false positive
// of the good filter is inserted, so that its deletion clears nothing of others.
func TestFalsePositiveIsInserted(t *testing.T) {
	sets := NewExactSets()
	sets.Good.Deleter = visible{}
	e := mustEngine(t, sets, 10, nil, nil)
	e.packet(one, nil)
	if c := e.Counts(); c.Admitted != 1 || e.Answer(one) != Good {
		t.Errorf("counts %+v, answer %s; want one admitted", c, e.Answer(one))
	}
	mustInsert(t, sets.Bad, one.AsSlice())
	if answer := e.Answer(one); answer != Bad {
		t.Errorf("a source of both sets is %s, want bad", answer)
	}
}

// visible is a set that takes every key for a member.
type visible struct{ *sets.Exact }

func (visible) InsertHash(uint64) (bool, error) { return true, nil }
func (visible) QueryHash(uint64) bool           { return true }

// full is a set that refuses inserts.
type full struct{ *sets.Exact }

func (full) InsertHash(uint64) (bool, error) { return false, errBroken }

// TestErrorsOfSets: what a set refuses ends the work, with its error, and leaves the other sets as
// they were.
func TestErrorsOfSets(t *testing.T) {
	refusing := func(set *Set) { set.Deleter = full{new(sets.Exact)} }
	sets := NewExactSets()
	refusing(&sets.Bad)
	if _, err := NewEngine(sets, 10, []netip.Addr{one}, nil); !errors.Is(err, errBroken) ||
		!strings.Contains(err.Error(), one.String()) {
		t.Errorf("blocklist: error %v", err)
	}
	sets = NewExactSets()
	refusing(&sets.Sequences)
	if _, err := NewEngine(sets, 10, nil, [][]byte{words(6)}); !errors.Is(err, errBroken) ||
		!strings.Contains(err.Error(), "sequence 1") {
		t.Errorf("sequences: error %v", err)
	}

	sets = NewExactSets()
	good := sets.Good
	e := mustEngine(t, sets, 10, nil, [][]byte{words(6)})
	mustVerdict(t, e, one, nil)
	refusing(&e.sets.Good)
	verdicts, err := e.Process(nil, []Packet{{}, {Source: two}, {Source: one}})
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "admit "+two.String()) ||
		string(verdicts) != string(NoIP) {
		t.Errorf("admission: verdicts %q, error %v", verdicts, err)
	}
	if e.Held() != 1 || e.Counts().Admitted != 1 {
		t.Errorf("admission: %d states held, %+v; want those of the first source",
			e.Held(), e.Counts())
	}

	e.sets.Good = good
	refusing(&e.sets.Bad)
	// a source that cannot be blacklisted stays where it is, and the next packet tries again
	for range 2 {
		if _, err := e.packet(one, words(6, 6, 6)); !errors.Is(err, errBroken) ||
			!strings.Contains(err.Error(), "blacklist "+one.String()) {
			t.Errorf("third strike: error %v", err)
		}
		if answer := e.Answer(one); answer != Good || e.Held() != 1 {
			t.Errorf("third strike: the source is %s, %d states held", answer, e.Held())
		}
	}
	e.sets.Bad = NewExactSets().Bad
	if verdict := mustVerdict(t, e, one, words(7)); verdict != ThirdStrike ||
		e.Answer(one) != Bad || good.Query(one.AsSlice()) {
		t.Errorf("with room again: verdict %c, answer %s", verdict, e.Answer(one))
	}
}

func mustInsert(t *testing.T, set Set, key []byte) {
	t.Helper()
	if _, err := set.Insert(key); err != nil {
		t.Fatal(err)
	}
}

func mustVerdict(t *testing.T, e *Engine, source netip.Addr, payload []byte) Verdict {
	t.Helper()
	verdict, err := e.packet(source, payload)
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}

// TestEvictionForgetsStrikes checks the stated eviction rule.
func TestEvictionForgetsStrikes(t *testing.T) {
	e := mustEngine(t, NewExactSets(), 1, nil, [][]byte{words(6), words(4, 5)})
	for i, p := range []sent{
		{one, words(6, 6, 4), Strike}, {two, words(7), Accepted}, {one, words(5, 6, 6), Strike},
		{one, words(6), ThirdStrike},
	} {
		if verdict := mustVerdict(t, e, p.source, p.payload); verdict != p.verdict {
			t.Errorf("packet %d: verdict %c, want %c", i+1, verdict, p.verdict)
		}
	}
}

// tinySets are filters of one block that hold non-members, so that false positives and collisions
// are common.
func tinySets(t *testing.T, seed uint64) Sets {
	t.Helper()
	var bytes [32]byte
	binary.LittleEndian.PutUint64(bytes[:], seed)
	filter := func(nonMembers int) Set {
		f, err := deletable.New(deletable.Config{Members: 1, BitsPerKey: 1,
			Key: keytest.Key(bytes[:]...)})
		if err != nil {
			t.Fatal(err)
		}
		for i := range nonMembers {
			mustInsert(t, setOf(f), fmt.Appendf(nil, "non-member %d", i))
		}
		return setOf(f)
	}
	// rates of 16 %, 0.9 % and 2.1 %
	return Sets{Good: filter(100), Bad: filter(45), Sequences: filter(55)}
}

// TestEngineIsReference runs random packets of a few sources and words through the engine, in
// batches, and through the reference, on tiny filters with the same keys and on exact sets.
// Everything that can be seen is the same after each packet.
func TestEngineIsReference(t *testing.T) {
	var seen Counts
	falseStrikes := 0
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		nsources, alphabet, limit := 2+random.IntN(40), 2+random.IntN(200), 1+random.IntN(30)
		blocklist := []netip.Addr{addr(random.IntN(nsources)), six}
		list, sequences := map[string]bool{}, [][]byte(nil)
		for range 1 + random.IntN(8) {
			var sequence []byte
			for range 1 + random.IntN(3) {
				sequence = append(sequence, words(random.Uint32N(uint32(alphabet)))...)
			}
			if !list[string(sequence)] {
				list[string(sequence)] = true
				sequences = append(sequences, sequence)
			}
		}
		sets := func() Sets { return tinySets(t, seed) }
		if seed%4 == 0 {
			sets = NewExactSets
		}
		engineSets, referenceSets := sets(), sets()
		if seed%3 == 0 {
			spares := func(source []byte) bool { return source[len(source)-1]%2 == 0 }
			engineSets.Spares, referenceSets.Spares = spares, spares
		}
		engine := mustEngine(t, engineSets, limit, blocklist, sequences)
		reference := newReference(t, referenceSets, limit, blocklist, sequences)

		var verdicts []Verdict
		for range 20 {
			var batch []Packet
			for range random.IntN(10) {
				source := addr(random.IntN(nsources))
				switch random.IntN(20) {
				case 0:
					source = netip.Addr{}
				case 1:
					source = netip.AddrFrom16([16]byte{15: byte(random.IntN(3))})
				}
				length := random.IntN(6)
				if random.IntN(50) == 0 {
					length = maxGroup - 2 + random.IntN(maxGroup)
				}
				var payload []byte
				for range length {
					payload = append(payload, words(random.Uint32N(uint32(alphabet)))...)
				}
				if !source.IsValid() {
					payload = nil
				}
				batch = append(batch, Packet{source, payload})
			}
			var err error
			if verdicts, err = engine.Process(verdicts[:0], batch); err != nil {
				t.Fatal(err)
			}
			for i, verdict := range verdicts {
				if want := reference.packet(batch[i].Source, batch[i].Payload); verdict != want {
					t.Fatalf("seed %d: verdict %c, want %c", seed, verdict, want)
				}
			}
			got := engine.Counts()
			got.Lookups = 0 // the reference asks one at a time
			if got != reference.counts {
				t.Fatalf("seed %d: counts %+v, want %+v", seed, got, reference.counts)
			}
		}
		other := mustEngine(t, referenceSets, 1, nil, nil) // to ask the reference's sets
		for i := range nsources {
			if got, want := engine.Answer(addr(i)), other.Answer(addr(i)); got != want {
				t.Errorf("seed %d: %s is %s, want %s", seed, addr(i), got, want)
			}
		}
		c := engine.Counts()
		seen.Strike += c.Strike
		seen.ThirdStrike += c.ThirdStrike
		seen.Spared += c.Spared
		seen.Rejected += c.Rejected
		seen.Evicted += c.Evicted
		seen.Cleared += c.Cleared
		seen.Retained += c.Retained
		if seed%4 != 0 && falsePositive(engineSets.Sequences, alphabet, list) {
			falseStrikes++
		}
	}
	for what, n := range map[string]int{
		"strikes": seen.Strike, "third strikes": seen.ThirdStrike,
		"rejected packets": seen.Rejected, "spared": seen.Spared, "evictions": seen.Evicted,
		"deletions that cleared": seen.Cleared, "deletions that retained": seen.Retained,
		"runs with false positives": falseStrikes,
	} {
		if n < 50 {
			t.Errorf("%d %s, want at least 50: the test has lost its point", n, what)
		}
	}
}

// falsePositive reports whether a set takes a word for a sequence that is none.
func falsePositive(set Set, alphabet int, sequences map[string]bool) bool {
	for word := range alphabet {
		if key := words(uint32(word)); set.Query(key) && !sequences[string(key)] {
			return true
		}
	}
	return false
}

// TestProcessAllocates checks that packets of known sources allocate nothing.
func TestProcessAllocates(t *testing.T) {
	filters, err := NewFilters(Sizing{Sources: 100, GoodRate: 1e-3, BadRate: 1e-6,
		SequenceRate: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	for name, sets := range map[string]Sets{"filters": filters.Sets(), "exact": NewExactSets()} {
		e := mustEngine(t, sets, 100, []netip.Addr{three}, [][]byte{words(6)})
		var batch []Packet
		for i := range 50 {
			batch = append(batch, Packet{addr(i), words(1, 2, 3, 4, 5)}, Packet{three, words(1)})
		}
		batch = append(batch, Packet{one, make([]byte, 3*maxGroup*wordBytes)})
		verdicts, err := e.Process(nil, batch)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(20,
			func() { verdicts, err = e.Process(verdicts[:0], batch) }); n != 0 || err != nil {
			t.Errorf("%s: %v allocations a batch, want 0", name, n)
		}
	}
}

func mustEngine(
	t *testing.T,
	sets Sets,
	limit int,
	blocklist []netip.Addr,
	sequences [][]byte,
) *Engine {
	t.Helper()
	e, err := NewEngine(sets, limit, blocklist, sequences)
	if err != nil {
		t.Fatal(fmt.Errorf("new engine: %w", err))
	}
	return e
}
