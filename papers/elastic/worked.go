package elastic

import (
	"math"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
)

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

// after returns the filter of Fig. 1, after an insert, or that of Fig. 2: with two fingerprints in
// bucket 0, of which one is 0101, and in bucket 2 that of Fig. 1, after an expansion and a delete.
func after(event string) *original.Filter {
	f := example()
	if event == "an insert" {
		insertNumber(f, 0b011110)
		return f
	}
	insertNumber(f, 0b1000_00)
	insertNumber(f, 0b0101_00)
	e := insertNumber(f, 0b0111_10)
	if err := f.Expand(); err != nil {
		panic(err)
	}
	if event == "a delete" && !f.Delete(e) {
		panic("elastic: a member is absent")
	}
	return f
}

// worked is the examples of Figs. 1 and 2.
func worked() claim.Quantities {
	shown := func(number func(f *original.Filter, at claim.Parameters) float64) claim.Quantity {
		return computed(func(at claim.Parameters) float64 {
			return number(after(at.Text("after")), at)
		})
	}
	return claim.Quantities{
		"fingerprint of a bucket": shown(func(f *original.Filter, at claim.Parameters) float64 {
			return fingerprint(f, uint64(at.Int("bucket")))
		}),
		"bit": shown(func(f *original.Filter, at claim.Parameters) float64 {
			return bit(f, uint64(at.Int("index")))
		}),
		"bits that are set": shown(func(f *original.Filter, _ claim.Parameters) float64 {
			return f.SetBits() * math.Exp2(float64(f.Log()))
		}),
	}
}
