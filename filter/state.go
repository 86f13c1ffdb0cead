package filter

// State describes a filter at one moment.
type State struct {
	// Bytes is the memory of the table.
	Bytes int

	// Members is the number of members. If the filter counts its inserts and deletes, it is their
	// difference, which is right under the contract of deletion. Otherwise it is an estimate from
	// the bits.
	Members float64

	// Most is the number of members beyond which inserts fail. It is 0 if there is no such number,
	// or if it depends on the members.
	Most float64

	// Fill is the share of the bits, or of the cells, that are in use: 0 to 1.
	Fill float64

	// Rate is the false-positive rate now: the probability that a non-member with a uniform hash is
	// present.
	Rate float64

	// Scanned says that Fill and Rate were computed from a scan of the whole table. If it is false,
	// they are expected values for the number of inserts, and State took no scan.
	Scanned bool
}
