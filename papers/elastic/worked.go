package elastic

import (
	"math"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/elastic/original"
)

// hashOf returns a hash whose only number is this.
func hashOf(f *original.Filter, number uint32) uint64 {
	for hash := uint64(1); ; hash++ {
		if f.Numbers(hash)[0] == number {
			return hash
		}
	}
}

// after returns the filter of Fig. 1, after an insert, or that of Fig. 2: with two fingerprints in
// bucket 0, of which one is 0101, and in bucket 2 that of Fig. 1, after an expansion and a delete.
// Both have m = 4, w = 6 and k = 1.
func after(point claim.Parameters) *original.Filter {
	f := original.New(original.Config{Log: 2, Hashes: 1, Width: 6, Bucket: 4, Threshold: 1})
	e := hashOf(f, 0b0111_10)
	f.Insert(e)
	if point.Word("after", "an insert", "an expansion", "a delete") == "an insert" {
		return f
	}
	f.Insert(hashOf(f, 0b1000_00))
	f.Insert(hashOf(f, 0b0101_00))
	f.Expand()
	if point.Text("after") == "a delete" {
		must(f.Delete(e))
	}
	return f
}

// worked is the examples of Figs. 1 and 2.
func worked() claim.Quantities {
	return claim.Quantities{
		"fingerprint of a bucket": computed(func(at claim.Parameters) float64 {
			f, found := after(at), math.NaN() // where there is none, or another one
			for _, number := range f.AppendNumbers(nil) {
				if int(number)&(1<<f.Log()-1) == at.Int("bucket") {
					if !math.IsNaN(found) {
						return math.NaN()
					}
					found = float64(number >> f.Log())
				}
			}
			return found
		}),
		"bit": computed(func(at claim.Parameters) float64 { // that of a key of its index
			f := after(at)
			if f.Query(hashOf(f, uint32(at.Int("index")))) {
				return 1
			}
			return 0
		}),
		"bits that are set": computed(func(at claim.Parameters) float64 {
			f := after(at)
			return f.SetBits() * math.Exp2(float64(f.Log()))
		}),
	}
}
