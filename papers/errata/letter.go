package errata

import "github.com/bloomlane/bloomlane/filter/family/dlbf"

// letters is the filter of the letter's section IV.
var letters = dlbf.Shape{Bits: 240, Regions: 24, Hashes: 5}

// alone returns 1 if the first of some elements is deletable in a filter of one region.
func alone(elements ...[]uint64) float64 {
	a := arrayOf(dlbf.Shape{Bits: 8, Regions: 1, Hashes: 3})
	for _, cells := range elements {
		a.InsertAt(cells)
	}
	return count(a.DeletableAt(elements[0]))
}

func arrayOf(s dlbf.Shape) *dlbf.Array {
	a, err := dlbf.NewArray(s)
	if err != nil {
		panic(err)
	}
	return a
}

// lostMembers removes the first of three elements of two cells, in all filters of a shape, and
// returns how often another one is lost.
func lostMembers(s dlbf.Shape) (missing float64) {
	each(s.Cells(), 6, func(d []int) {
		a := arrayOf(s)
		var elements [3][]uint64
		for i := range elements {
			elements[i] = []uint64{uint64(d[2*i]), uint64(d[2*i+1])}
			a.InsertAt(elements[i])
		}
		a.DeleteAt(elements[0])
		missing += count(!a.QueryAt(elements[1]), !a.QueryAt(elements[2]))
	})
	return missing
}
