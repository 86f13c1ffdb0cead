// Package rolling is a Bloom filter for members that come and go without an end: its false-positive
// rate has a bound that does not grow with the inserts. Use it if nobody can list the members of an
// interval of hashes, or if members expire by themselves. Otherwise a refreshed filter of package
// deletable needs less memory: docs/measurements/filters.md compares them.
//
//	f, err := rolling.New(rolling.Config{Members: 1_000_000, Rate: 0.01, Expire: true})
//	present, err := f.Insert(key)
//	present = f.Query(key)
//	err = f.Rotate(ctx) // once per hour, say: a member expires after 3 to 4 rotations
//
// The filter is a ring of deletable tables, the generations, 4 by default. A generation accepts
// [Config.Capacity] inserts and is then closed, and the next one opens. When all its members are
// gone, its table is emptied and used again. A query reads one cache line per generation in use.
//
// # The contract of deletion
//
// Insert every member once, and delete only members, and once, as in package deletable. Then every
// member is found, until it expires. A delete has to know the generation of its key, because
// another generation may show the key as a false positive:
//
//   - [Filter.DeleteHashIn] takes the generation as an argument. [Filter.Newest] is the generation
//     of the last insert, and [Filter.InsertHashBatchIn] returns that of each key of a batch.
//   - [Filter.DeleteHash], and the deletes of other forms of keys, look for it. If two generations
//     show the key, the delete is [Retained]: the key stays present until its generation retires.
//     That happens to about as many deletes as the false-positive rate says.
//
// # When the ring is full
//
// If the newest generation is full and no generation is empty, the oldest one has to go, and the
// filter must know what becomes of the members that are left in it, the stragglers:
//
//   - With [Config.Stragglers] the owner lists them, and they are inserted again. That allocates 8
//     bytes per straggler.
//   - With [Config.Expire] they leave: a member stays until Generations newer generations have been
//     opened. A delete without a generation then clears nothing, since the key may have expired.
//   - With neither, the insert returns a *[StragglersError] and nothing changes. An owner who
//     always replaces the oldest member, and deletes by DeleteHashIn, does not get this error.
//
// A file holds everything except the function Stragglers: call [Filter.SetStragglers] after [Open].
// docs/theory/rolling.md has the proof, the bound of the rate and how often members move.
package rolling
