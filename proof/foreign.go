package proof

import "path/filepath"

// A function of another module: broadcastRangeInt32AVX2 of parquet-go stores base + i in element i of
// a slice. What it took to state that is the contract (contract.go), a key of the ghost
// (postcondition.go), and here what registers may have at the heads of its loops.

var foreign = Batch{"BroadcastRange", "32", "parquet-go"}

const foreignSymbol = "github.com/parquet-go/parquet-go.broadcastRangeInt32AVX2.abi0"

// OpenForeign compiles a program that has the function, and reads it.
func (p *Program) OpenForeign(folder string) (err error) {
	path := filepath.Join(folder, "foreign")
	if err = build(path, amd64, "interop/parquet", "test", "-c"); err == nil {
		p.foreign, err = open(path, amd64)
	}
	return err
}

// atOnce is how many elements a turn of the first loop stores.
const atOnce = 8

// ends is where a loop ends, and how many elements a turn of it stores.
func (x *induction) ends(h head) (end *term, together uint64) {
	n := x.argument("n")
	if h.address == x.heads[0].address {
		return x.and(n, x.not(x.number(atOnce-1, 64))), atOnce
	}
	return n, 1
}

// values is the vector of the next elements.
func (x *induction) values(g progress) *term {
	first := x.extract(x.add(x.argument("base"), x.reached(g)), 31, 0)
	all := make([]*term, atOnce)
	for i := range all {
		all[i] = x.add(first, x.number(uint64(i), 32))
	}
	return x.extend(join(x.pool, all), 512)
}
