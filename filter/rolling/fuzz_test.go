package rolling

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
)

// owner keeps the members that a filter is to have, and supplies stragglers as one of four kinds of
// owners do.
type owner struct {
	kind    int
	members []member
}

const (
	knows   = iota // the generation of every member, and supplies those of the one that goes
	ignores        // them, supplies all members, and deletes by what inserts returned
	none           // supplies nothing
	expires        // has lifetimes end
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

// The law: under any history of legal operations every member is found. The program is read from data,
// five bytes an operation: what to do, and with which key. Few positions a lane are in use, so that most
// keys are false positives somewhere.
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
		config := Config{Members: 12, BitsPerKey: 1, Generations: 2 + int(generations)%4, Expire: o.kind == expires}
		if o.kind == knows || o.kind == ignores {
			config.Stragglers = o.stragglers
		}
		history(t, newFilter(t, config), o, 1<<(1+width%4), program)
	})
}

// history runs a program, in which a lane has so many positions.
func history(t *testing.T, f *Filter, o *owner, positions uint64, program []byte) {
	key := func(number uint64) uint64 {
		rng := rand.New(rand.NewPCG(number%512, 1))
		var p [7]uint64
		for i := range p {
			p[i] = rng.Uint64N(positions)
		}
		return at(p)
	}
	insert := func(step int, hashes ...uint64) {
		// Members from one call to the next, and once: what two keys of one hash are, no filter can tell.
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
		if err != nil && (o.kind == expires || !errors.As(err, &e)) || (err == nil) != (n == len(hashes)) {
			t.Fatalf("step %d: %d of %d inserted: %v", step, n, len(hashes), err)
		}
		for i := range n {
			o.members = append(o.members, member{hash: hashes[i], generation: generations[i]})
		}
	}
	for step := 0; len(program) >= 5; step++ {
		op, number := program[0]%8, uint64(binary.LittleEndian.Uint32(program[1:]))
		program = program[5:]
		switch {
		case op < 2 && len(o.members) < 12:
			insert(step, key(number))
		case op == 2 && len(o.members) <= 12-3:
			insert(step, key(number), key(number+1), key(number+2))
		case op < 7 && len(o.members) > 0:
			i := int(number % uint64(len(o.members)))
			m := o.members[i]
			status := Absent
			if op == 3 {
				status = f.DeleteHash(m.hash)
			} else {
				status = f.DeleteHashIn(m.generation, m.hash)
			}
			if status == Absent {
				t.Fatalf("step %d: a member is absent when deleted", step)
			}
			o.members = slices.Delete(o.members, i, i+1)
		case op == 7 && number%4 == 0:
			if err := f.Rotate(t.Context()); err != nil && o.kind != none && !errors.Is(err, ErrFull) {
				t.Fatalf("step %d: %v", step, err)
			}
		}
		if o.kind == expires {
			o.members = slices.DeleteFunc(o.members, func(m member) bool {
				return f.Newest()-m.generation >= Generation(f.Plan().Generations)
			})
		}
		for _, m := range o.members {
			if !f.QueryHash(m.hash) {
				t.Fatalf("step %d, operation %d: member %#x of generation %d is not found", step, op, m.hash, m.generation)
			}
		}
		for _, g := range f.ring.Table().live {
			if g.inserts > f.Plan().Capacity || g.left > g.inserts || g.left < 0 {
				t.Fatalf("step %d: generation %d has %d inserts and %d left of %d", step, g.number, g.inserts, g.left, f.Plan().Capacity)
			}
		}
		if len(f.ring.Table().live)+len(f.ring.Table().free) != f.Plan().Generations {
			t.Fatalf("step %d: %d tables live and %d free", step, len(f.ring.Table().live), len(f.ring.Table().free))
		}
	}
}
