package rolling

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
)

// owner keeps the members of a filter, and supplies stragglers in one of four ways.
type owner struct {
	kind    int
	members []member
	expired []member // expired members, which their owner may still delete
}

const (
	knows   = iota // knows the generation of every member, and supplies those of the oldest
	ignores        // ignores generations, supplies all members, and deletes by those of inserts
	none           // supplies nothing
	expires        // lets members expire
	kinds
)

func (o *owner) stragglers(_ context.Context, from, to Generation) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for i := range o.members {
			m := &o.members[i]
			if o.kind == knows && m.generation != from {
				continue
			}
			if o.kind == knows {
				m.generation = to
			}
			if !yield(m.hash, nil) {
				return
			}
		}
	}
}

func (o *owner) has(hash uint64) bool {
	return slices.ContainsFunc(o.members, func(m member) bool { return m.hash == hash })
}

// After any history of legal operations every member is found. The program is read from data, five
// bytes per operation: what to do, and with which key. Few positions per lane are in use, so most
// keys are false positives in some generation.
func FuzzHistories(f *testing.F) {
	for seed := range uint64(4 * kinds) {
		rng := rand.New(rand.NewPCG(seed, 0))
		program := make([]byte, 5*500)
		for i := range program {
			program[i] = byte(rng.Uint64())
		}
		f.Add(uint8(seed%kinds), uint8(seed/kinds), uint8(seed), program)
	}
	f.Fuzz(func(t *testing.T, kind, width, generations uint8, program []byte) {
		if len(program) > 5*4096 {
			return
		}
		o := &owner{kind: int(kind) % kinds}
		config := Config{Members: 12, BitsPerKey: 1, Generations: 2 + int(generations)%4,
			Expire: o.kind == expires}
		if o.kind == knows || o.kind == ignores {
			config.Stragglers = o.stragglers
		}
		history(t, newFilter(t, config), o, 1<<(1+width%4), program)
	})
}

// The same law for an owner whose members expire, and who deletes some of them afterwards. Most of
// these are false positives of live generations then, so clearing their bits would lose members.
func TestDeletesOfExpiredKeys(t *testing.T) {
	var late, visible int
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 2))
		program := make([]byte, 5*200)
		for i := range program {
			program[i] = byte(rng.Uint64())
			if i%5 == 0 { // rarely a delete of a live member, so that many expire
				program[i] = []byte{0, 1, 2, 2, 4, 7, 7, 7}[program[i]%8]
			}
		}
		f := newFilter(t, Config{Members: 12, BitsPerKey: 1, Generations: 2 + int(seed%4),
			Expire: true})
		l, v := history(t, f, &owner{kind: expires}, 2<<(seed/4%3), program)
		late, visible = late+l, visible+v
	}
	if late < 10_000 || visible < 1000 || late-visible < 1000 {
		t.Errorf("%d deletes of expired keys, %d of them visible: the test shows too little",
			late, visible)
	}
}

// history runs a program with the given number of positions per lane. It returns how many keys were
// deleted after they had expired, and how many of these a live generation showed.
func history(
	t *testing.T,
	f *Filter,
	o *owner,
	positions uint64,
	program []byte,
) (late, visible int) {
	t.Helper()
	var done [3]int // deletes by status
	inserted, expired := 0, 0
	key := func(number uint64) uint64 {
		rng := rand.New(rand.NewPCG(number%512, 1))
		var p [7]uint64
		for i := range p {
			p[i] = rng.Uint64N(positions)
		}
		return hash(p)
	}
	insert := func(step int, hashes ...uint64) {
		// A key is a member once at a time, because no filter can tell two keys with one hash
		// apart.
		hashes = slices.Compact(slices.Sorted(slices.Values(hashes)))
		hashes = slices.DeleteFunc(hashes, o.has)
		generations := make([]Generation, len(hashes))
		n, err := len(hashes), error(nil)
		if len(hashes) == 1 {
			if _, err = f.InsertHash(hashes[0]); err != nil {
				n = 0
			}
			generations[0] = f.Newest()
		} else {
			n, err = f.InsertHashBatchIn(hashes, generations)
		}
		var e *StragglersError
		if err != nil && (o.kind == expires || !errors.As(err, &e)) ||
			(err == nil) != (n == len(hashes)) {
			t.Fatalf("step %d: %d of %d inserted: %v", step, n, len(hashes), err)
		}
		for i := range n {
			o.members = append(o.members, member{hash: hashes[i], generation: generations[i]})
		}
		inserted += n
	}
	for step := 0; len(program) >= 5; step++ {
		op, number := program[0]%8, uint64(binary.LittleEndian.Uint32(program[1:]))
		program = program[5:]
		allowed := []Status{Absent, Retained, Deleted} // checked after the law
		status, deletes := Absent, late
		switch {
		case op < 2 && len(o.members) < 12:
			insert(step, key(number))
		case op == 2 && len(o.members) <= 12-3:
			insert(step, key(number), key(number+1), key(number+2))
		case op < 7 && len(o.members) > 0:
			i := int(number % uint64(len(o.members)))
			m := o.members[i]
			allowed = allowed[1:]
			deletes--
			if op == 3 {
				status = f.DeleteHash(m.hash)
			} else {
				status = f.DeleteHashIn(m.generation, m.hash)
			}
			if op == 3 && o.kind == expires {
				allowed = allowed[:1]
			}
			o.members = slices.Delete(o.members, i, i+1)
		case op == 7 && number%4 == 0:
			if err := f.Rotate(t.Context()); err != nil && o.kind != none &&
				!errors.Is(err, filter.ErrFull) {
				t.Fatalf("step %d: %v", step, err)
			}
		case op == 7 && len(o.expired) > 0:
			i := int(number / 4 % uint64(len(o.expired)))
			m := o.expired[i]
			late++
			shown := f.QueryHash(m.hash)
			if shown {
				visible++
			}
			switch {
			case number%4 == 1: // its generation has retired
				status, allowed = f.DeleteHashIn(m.generation, m.hash), allowed[:1]
			case shown:
				status, allowed = f.DeleteHash(m.hash), allowed[1:2]
			default:
				status, allowed = f.DeleteHash(m.hash), allowed[:1]
			}
			o.expired = slices.Delete(o.expired, i, i+1)
		}
		if o.kind == expires {
			o.members = slices.DeleteFunc(o.members, func(m member) bool {
				ended := f.Newest()-m.generation >= Generation(f.Shape().Generations)
				if ended {
					o.expired = append(o.expired, m)
					expired++
				}
				return ended
			})
		}
		for _, m := range o.members {
			if !f.QueryHash(m.hash) {
				t.Fatalf("step %d, operation %d: member %#x of generation %d is not found",
					step, op, m.hash, m.generation)
			}
		}
		if !slices.Contains(allowed, status) {
			t.Fatalf("step %d, operation %d: %v, want one of %v", step, op, status, allowed)
		}
		if deletes < late {
			done[status]++
		}
		for _, g := range ringOf(f).live {
			if g.inserts > f.Shape().Capacity || g.left > g.inserts || g.left < 0 {
				t.Fatalf("step %d: generation %d has %d inserts and %d left of %d",
					step, g.number, g.inserts, g.left, f.Shape().Capacity)
			}
		}
		if len(ringOf(f).live)+len(ringOf(f).free) != f.Shape().Generations {
			t.Fatalf("step %d: %d tables live and %d free", step, len(ringOf(f).live),
				len(ringOf(f).free))
		}
	}
	st := f.Stats()
	if st.Inserts != inserted || st.Deleted != done[Deleted] || st.Retained != done[Retained] {
		t.Fatalf("%+v: want %d inserts, and deletes %v", st, inserted, done)
	}
	if st.Members < len(o.members) || st.Expired < expired || st.Live != len(ringOf(f).live) {
		t.Fatalf("%+v: want %d members at least, %d expired, and %d live", st, len(o.members),
			expired, len(ringOf(f).live))
	}
	return late, visible
}
