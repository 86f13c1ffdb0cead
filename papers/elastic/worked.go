package elastic

import (
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// worked is the examples of Figs. 1 and 2.
var worked = []claim.Part{fig1, fig2}

// example is the filter of both: m = 4, w = 6, k = 1.
func example() *original.Filter {
	return must(original.New(original.Config{Log: 2, Hashes: 1, Width: 6, Bucket: 4, Threshold: 1}))
}

// hashOf returns a hash whose only number is this.
func hashOf(f *original.Filter, number uint64) uint64 {
	for hash := uint64(1); ; hash++ {
		if f.Numbers(hash)[0] == number {
			return hash
		}
	}
}

// insertNumber inserts a key with a number, and returns its hash.
func insertNumber(f *original.Filter, number uint64) uint64 {
	hash := hashOf(f, number)
	if err := f.Insert(hash); err != nil {
		panic(err)
	}
	return hash
}

// bit returns whether a bit is set: that of a key of its index.
func bit(f *original.Filter, index uint64) float64 {
	if f.Query(hashOf(f, index)) {
		return 1
	}
	return 0
}

// fingerprint returns that of the only one in a bucket, or -1.
func fingerprint(f *original.Filter, bucket uint64) float64 {
	found := -1.0
	for _, number := range f.AppendNumbers(nil) {
		if number&(1<<f.Log()-1) == bucket {
			if found >= 0 {
				return -1
			}
			found = float64(number >> f.Log())
		}
	}
	return found
}

// example returns a claim of a figure, of a value that is as the figure has it.
func ofExample(figure, where, quantity string, published, found float64) claim.Claim {
	return claim.Claim{
		Item: figure, Where: figure + ": " + where, Quantity: quantity, Unit: claim.Number,
		Published: claim.Rounded(published, 0), Interval: claim.Exact(found),
		Reading: claim.Literal,
		Why:     "the filter does not do what the figure shows",
	}
}

func fig1(*trials.Run) ([]claim.Claim, []claim.Figure) {
	f := example()
	insertNumber(f, 0b011110)
	const split = `"divide the hash number by m to get the" fingerprint 0111 "and" the index 10`
	return []claim.Claim{
		ofExample("Fig. 1", split, "fingerprint in bucket 10", 0b0111, fingerprint(f, 0b10)),
		ofExample("Fig. 1", `"we set A[10] to 1"`, "A[10]", 1, bit(f, 0b10)),
		ofExample("Fig. 1", `"we set A[10] to 1"`, "bits that are set", 1, f.SetBits()*4),
	}, nil
}

// fig2 has two fingerprints in bucket 0, of which one is 0101, and in bucket 2 that of Fig. 1.
func fig2(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	f := example()
	insertNumber(f, 0b1000_00)
	insertNumber(f, 0b0101_00)
	e := insertNumber(f, 0b0111_10)
	if err := f.Expand(); err != nil {
		panic(err)
	}
	const (
		moves   = `0101 in bucket B[0] "will be moved to bucket" B[4]`
		updates = `"set A[2] to 0", "set A[4], A[6] to 1"`
		deletes = `the fingerprint 011 and the index 110; "reset the corresponding bit"`
	)
	add := func(where, quantity string, published, found float64) {
		claims = append(claims, ofExample("Fig. 2", where, quantity, published, found))
	}
	add(moves, "fingerprint in bucket 4", 0b010, fingerprint(f, 4))
	add(moves, "fingerprint that stays in bucket 0", 0b100, fingerprint(f, 0))
	add(updates, "A[2]", 0, bit(f, 2))
	add(updates, "A[4]", 1, bit(f, 4))
	add(updates, "A[6]", 1, bit(f, 6))
	add(deletes, "fingerprint in bucket 110", 0b011, fingerprint(f, 0b110))
	if !f.Delete(e) {
		panic("elastic: a member is absent")
	}
	add(deletes, "A[110] after the delete", 0, bit(f, 0b110))
	add(deletes, "bits that are left", 2, f.SetBits()*8)
	return claims, nil
}
