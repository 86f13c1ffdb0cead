// Package workload makes keys for tests and measurements of filters: members that come and go, and
// streams of keys. Keys are uniform 64-bit hashes.
//
//   - [Population] is a constant number of members in equilibrium, which stay for a [Lifetime].
//   - [Stream] draws keys from a universe with repetition: uniform or by Zipf's law ([Zipf]).
//   - [Fill] makes random keys: members of a fresh table, and non-members.
//
// The same seed gives the same keys.
package workload
