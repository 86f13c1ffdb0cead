//go:build !(goexperiment.simd && amd64 && !purego && !race)

package bloom

// Query reports whether the bits of a hash are set.
func (t *Table) Query(hash uint64) bool { return t.queryFrom(hash, t.Base(hash), t.Hashes) }
