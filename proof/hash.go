package proof

import (
	"fmt"
	"strconv"
)

// Hashes of keys of one size, which lie one behind another. What is computed of a key is the same
// term as what the definition computes of it, or the proof fails: see fine.go. A product of two
// words is any word, as elsewhere.

// hashes says whether a batch hashes keys.
func (b Batch) hashes() bool { return b.Operation == "HashBatch" }

// hashedTogether is how many keys a turn of the loop of a hash does.
const hashedTogether = 64

// keySize returns the bytes of a key that is hashed.
func (b Batch) keySize() int {
	bits, err := strconv.Atoi(b.Format)
	if err != nil {
		panic(err)
	}
	return bits / 8
}

// hashed adds what is known of a batch that hashes keys.
func (x *induction) hashed() {
	groups := x.argument("groups")
	n := x.shiftLeft(groups, x.number(5, 64))
	x.arguments["n"] = n
	x.assumed = append(x.assumed, goal{"", "there are at most 2^52 groups",
		x.not(x.less(x.number(1<<52, 64), groups))})
	x.regions = append(x.regions,
		&region{"keys", x.argument("keys"), x.batch.keySize(), n, false},
		&region{"sums", x.argument("hashes"), 8, n, true})
}

// ownMemory is that of a definition that has no table.
func (x *induction) ownMemory(regions ...*region) *regionMemory {
	return &regionMemory{tableMemory: &tableMemory{pool: x.pool, stack: map[int64]*term{},
		written: map[int64]bool{}, portable: x.portable}, prefix: "definition_",
		regions: regions, initial: map[string]*term{}}
}

// hashOnce is the hash of one key, by the definition.
func (x *induction) hashOnce(q *sequence, m *regionMemory, sums *stores, element *term) error {
	size := x.batch.keySize()
	c, err := m.cell("keys", x.scaled(element, size))
	if err != nil {
		return err
	}
	key := x.extend(m.cellAfter(c, 8*size-1, 0, 0), 64)
	name := module + "fallback.XXHash" + x.batch.Format
	ends, err := x.run(name, x.ownMemory(), map[int]*term{rax: key})
	if err != nil {
		return err
	}
	q.assumed = append(q.assumed, x.room()...)
	if len(ends) != 1 {
		return &FlowError{name, fmt.Sprintf("%d paths, want 1", len(ends))}
	}
	x.expect(q, m, sums, x.scaled(element, 8), ends[0].general[rax])
	return nil
}
