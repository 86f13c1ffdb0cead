package dispatch

// preference says that another implementation than the active one runs an operation.
type preference struct {
	active    Implementation
	operation operation
	runs      Implementation
}

// preferences are the exceptions: all other operations run on the active implementation. A single
// query has no choice, because kernel inlines portable Go for it.
//
// A block of 512 bits is one register with AVX-512 and two with AVX2. A block of 256 bits is one
// register with both, and AVX-512 gains nothing from its mask registers. But AVX-512 joins three
// registers at once, so inserts of batches and merges stay on it. The table has AVX2, then AVX-512:
// batches on tables of 16 KiB in ns per key (Zen 5), and cycles per key by LLVM's models, from
// studies/model of commit 43001cd1:
//
//	256 bits          query         insert         delete          merge
//	Zen 5         0.63  0.62     1.28  1.05     1.25  1.23     0.72  0.59
//	Zen 4          3.0   4.0      5.5   5.7      5.5   6.7      2.9   2.5
//	Ice Lake       4.0   4.1      8.4   8.8      7.0   7.7      3.3   3.5
//	Skylake-SP     4.6   4.5      8.9   8.3      7.3   8.1      3.5   3.4
//	512 bits
//	Zen 5         0.77  0.64     1.56  1.05     1.44  1.27     0.81  0.62
//	Zen 4          4.0   3.0      7.2   5.7      7.2   5.5      3.4   2.8
//	Ice Lake       5.5   4.1      9.0   8.3      9.8   7.5      3.8   3.3
//	Skylake-SP     5.5   4.1      9.0   8.8     10.6   7.5      3.8   3.4
//
// With AVX2 single keys of 256 bits take 5 to 7 % less time on Zen 5, and a match up to a fifth
// less.
var preferences = []preference{
	{avx512, insert256, avx2},
	{avx512, delete256, avx2},
	{avx512, queryBatch256, avx2},
	{avx512, deleteBatch256, avx2},
	{avx512, matchBatch256, avx2},
}

// choices returns the implementation of each operation. An implementation that is forced by name
// runs all of them.
func choices(active Implementation, name string) (chosen [operations]Implementation) {
	for op := range chosen {
		chosen[op] = active
	}
	if name == active.String() {
		return chosen
	}
	for _, p := range preferences {
		if p.active == active {
			chosen[p.operation] = p.runs
		}
	}
	return chosen
}
