// Package hugepage asks the system for huge pages under large tables. A query of a table that is
// far larger than the caches waits for its cache line, and, on pages of 4 KiB, for the page table
// before it. Most Linux distributions give huge pages only to memory that is advised so.
package hugepage

// Size is the size of a huge page in bytes, where pages have 4 KiB.
const Size = 2 << 20

// Pages is what pages a table is on.
type Pages struct {
	Huge    float64 // the part of the table that is on huge ones
	Advised bool    // huge ones were asked for, under a part of it at least
	Mapped  bool    // it lies in the mapping of a file
	Why     string  // none of it is on huge ones, in a few words; "" where some is
}
