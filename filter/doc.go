// Package filter has what all kinds of filters share: the interfaces of what they can do, and the
// operations on keys. Use it to write code that works with any kind of filter. To make a filter,
// use the package of its kind, such as filter/deletable, or the list in filter/kinds. Package
// filter/base is for those who write a kind.
//
//	kind, _ := kinds.All().Of("deletable")
//	f, err := kind.New(filter.Sizing{Members: 1_000_000, Rate: 0.01})
//	...
//	f.InsertHash(hash)
//	if d, ok := filter.As[filter.Deleter](f); ok { // not every kind can delete
//		d.DeleteHash(hash)
//	}
//
// All kinds work on uniform 64-bit hashes of keys, one at a time or in batches. Every filter is a
// [Querier], and nearly every filter is a [Set]. [As] finds out what else it can do: [Deleter],
// [Counter], [Grower], [Merger], [Intersecter], [Folder], [Clearer], [Prefetcher], [Scanner],
// [Resetter], [Rebuilder]. Filters also have the methods of [Keyed], which hash keys of bytes,
// strings and uint64s under a secret key.
//
// # The contract of deletion
//
// Insert every member, and once, even if it is present before: it may be a false positive. Delete
// only members, and once. Under this contract a kind without false negatives finds
// every member.
//
// So do not query a filter that deletes to decide whether to insert a key. A key that is present
// need not be a member, and a member whose insert was skipped has no bits of its own: a delete of
// another key may hide it. Ask the owner of the members instead. If nothing is ever deleted from a
// filter, you may query first and insert what is absent.
//
// # Keys
//
// A filter is opened, loaded, read or decoded with the key that it was made with. With another key,
// or with the zero Key, the error wraps [file.ErrWrongKey]. With [key.Unknown] the filter takes
// hashes only: its operations by keys panic, and its Key is the zero Key. In the plan of a new
// filter, the zero Key stands for a new random one.
//
// # Life cycle, goroutines, allocation
//
// Make a filter by the functions of its package, such as New and Open. Close ends it and does not
// wait: calls that run at that moment finish on the table that they have. On a filter that is
// closed or is a zero value, every method that returns an error returns one that wraps [ErrClosed],
// and touches no file. The other methods panic with ErrClosed, except State, Stats and Health,
// which return zero values, MarshalJSON and LogValue, which say the State, and String, Format,
// Key, Unwrap and Closed. UnmarshalBinary makes a closed filter with its key a filter again.
//
// Unless its package says more, any number of goroutines may query a filter that no goroutine
// writes, and a write needs the filter for itself. Operations on keys and hashes do not allocate.
//
// # Programs
//
// The examples have keys that are IP addresses or values of other types. The recipes of the
// documentation are whole programs: a deny list that operators edit, a stream without repetitions in
// a window of hours, a join that looks up only the rows that may have a partner.
//
// # Sources of members
//
// Some operations, such as the rebuild of a deletable filter, take all members from an iter.Seq2 of
// keys and errors. An error ends the source: no new filter is made, and the old one does not
// change. A source without keys is such an error too, [ErrEmptySource], unless the operation knows
// that the filter has no members. [Lines] makes a source from a list, and [Infallible] from an
// iterator that cannot fail.
package filter
