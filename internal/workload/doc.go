// Package workload makes what filters are tested and measured with: members that come and go, and
// streams of keys. Keys are uniform 64-bit hashes.
//
//   - [Population] is a constant number of members in equilibrium, whose stay is a
//     [planning.Lifetime].
//   - [Stream] draws keys from a universe with repetition: [Uniform] or by Zipf's law ([Zipf]).
//   - [Fill] makes keys that are nobody's: members of a fresh table, and non-members.
//
// The same seed gives the same keys.
package workload
