package guard

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// source returns the i-th address of a network, 10.0.0.0/8 or another.
func source(network byte, i int) netip.Addr {
	var four [4]byte
	binary.BigEndian.PutUint32(four[:], uint32(i))
	four[0] = network
	return netip.AddrFrom4(four)
}

const honest, attackers = 10, 11

// underAttack returns an engine with filters for 2,000 sources, half of which are in and honest.
// One word, 6, is bad.
func underAttack(t *testing.T, history int) *Engine {
	t.Helper()
	filters, err := NewFilters(Sizing{Sources: 2000, Sequences: 1, GoodRate: 0.02, BadRate: 0.01,
		SequenceRate: 1e-6, Key: keytest.Key(5)})
	if err != nil {
		t.Fatal(err)
	}
	e := mustEngine(t, filters.Sets(), history, nil, [][]byte{words(6)})
	for i := range 1000 {
		mustVerdict(t, e, source(honest, i), words(7))
	}
	return e
}

// TestAttackersDeleteOnlyThemselves: an attacker sends from addresses that are false positives of
// the good filter, and has each of them deleted there by three strikes. The exact states had
// inserted them, so every honest source is found after that.
func TestAttackersDeleteOnlyThemselves(t *testing.T) {
	e := underAttack(t, 5000)
	deleted := 0
	for i := range 100_000 {
		from := source(attackers, i)
		if e.Answer(from) != Good {
			continue
		}
		if verdict := mustVerdict(t, e, from, words(6, 6, 6)); verdict != ThirdStrike {
			t.Errorf("%s: verdict %c, expected %c", from, verdict, ThirdStrike)
		}
		deleted++
	}
	if c := e.Counts(); deleted < 50 || c.Admitted != 1000+deleted ||
		c.Cleared+c.Retained != deleted {
		t.Errorf("%d deletes of false positives, counts %+v", deleted, c)
	}
	for i := range 1000 {
		if !e.sets.Good.Query(source(honest, i).AsSlice()) {
			t.Errorf("honest source %d is lost", i)
		}
	}
}

// TestAttackersWithManyAddresses holds what the package documentation admits. With as many
// addresses as there are states an attacker has his strikes forgotten. With more bad addresses than
// planned he fills the bad filter, and honest sources are rejected.
func TestAttackersWithManyAddresses(t *testing.T) {
	const history = 1500
	e := underAttack(t, history)
	for range 3 {
		mustVerdict(t, e, source(attackers, 0), words(6, 6))
		for i := range history {
			mustVerdict(t, e, source(attackers, 1+i), words(7))
		}
	}
	if e.Answer(source(attackers, 0)) == Bad || e.Counts().Strikes != 6 {
		t.Errorf("six strikes, each two forgotten: %s, %+v", e.Answer(source(attackers, 0)),
			e.Counts())
	}

	rejected := func(e *Engine) (n int) {
		for i := range 1000 {
			if e.Answer(source(honest, i)) == Bad {
				n++
			}
		}
		return n
	}
	e = underAttack(t, history)
	for i := range 20_000 {
		if i == 2000 {
			if n := rejected(e); n > 40 {
				t.Errorf("as planned: %d of 1000 honest sources are rejected, expected some 10", n)
			}
		}
		mustVerdict(t, e, source(attackers, i), words(6, 6, 6))
	}
	if n := rejected(e); n < 500 {
		t.Errorf("%d of 1000 honest sources are rejected, expected most", n)
	}
}
