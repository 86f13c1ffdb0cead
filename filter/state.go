package filter

// State is what a filter tells of itself.
type State struct {
	Bytes int // of its table

	// Members is how many members there are: inserts less deletes, which is right under the
	// contract of deletion; or an estimate by the bits where there are no counters.
	Members float64

	// Most is the number of members beyond which inserts are refused: as Members come near it, the
	// filter is nearly full. It is 0 where there is no such number, or it depends on the members.
	Most float64

	// Fill is the part of the bits, or of the cells, that are in use.
	Fill float64

	// Rate is the false-positive rate that is expected now: the probability that a key whose hash
	// is uniform, and that is no member, is present.
	Rate float64

	// Scanned says that Fill and Rate were counted in the table, in a time that grows with it.
	// Where it is false they follow from the counters by the theory of the kind.
	Scanned bool
}
