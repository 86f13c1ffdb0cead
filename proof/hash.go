package proof

import (
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
func (x *contract) hashed() {
	groups := x.argument("groups")
	n := x.shiftLeft(groups, x.number(5, 64))
	x.arguments["n"] = n
	x.assumed = append(x.assumed, goal{"", "there are at most 2^52 groups",
		x.not(x.less(x.number(1<<52, 64), groups))})
	x.regions = append(x.regions,
		&region{"keys", x.argument("keys"), x.batch.keySize(), n, false},
		&region{"sums", x.argument("hashes"), 8, n, true})
}
