// Package audit watches a filter that deletes: it notices when the contract of deletion is broken,
// and how many of the answers are wrong.
//
// A filter has bits and no keys. So it cannot tell that a key was inserted twice, that a deleted
// key was no member, or that a member is lost. An audit has a shadow beside the filter: an exact
// set of those members whose hashes are in a secret sample, one in 1,024 of all hashes. [New] puts
// a filter under audit. It returns a [Filter] that answers as the given one does, and that the
// program uses in its place.
//
//	f, err := audit.New(members, audit.Config{})
//	...
//	f.Check(10_000)                       // where the numbers are collected, every minute or so
//	s := f.Stats()
//	slog.Info("filter", "audit", s)       // numbers only: nothing tells a key
//	if err := s.Alarm(); err != nil { ... } // a member was lost, for certain
//
// # What is reported
//
// [Stats] counts what was seen in the sample. A part is that of the operations in the sample, which
// estimates the part of all operations. Each part has a confidence interval of 95 %. Stats has:
//
//   - inserts of members ([Stats.InsertedTwice]).
//   - deletes of non-members ([Stats.DeletedNonMembers]). Those that were visible, the
//     FalsePositives, may have cleared bits of members.
//   - false negatives: members of the sample that the filter did not find, in any call. This is no
//     estimate but certain, so [Stats.Alarm] is an error then: the contract was broken, or the
//     filter is.
//   - false positives, as a part of the non-members, by kind of call. Those of single queries and
//     batches are means over the traffic since the start (see [Stats.Since]), and those of inserts
//     are over new members. Those of [Filter.Check] are over the hash space, as the filter is now.
//
// The intervals assume that keys are independent. If a few keys make most of the traffic, the rate
// of queries is that of the few of them in the sample. The rate of Check has no such weakness.
//
// # How soon
//
// Take a breach that happens with a probability of p per operation, each time to another key. With
// a probability of 99 % it is seen within
//
//	ln(100) * Every / p operations
//
// That is 4.7 million operations for one breach in 1,000, and 470 million for one in 100,000. A
// breach whose keys are always the same is seen early or never. A lost member is seen by the next
// Check if it is in the sample; when n members are lost, one of them is with a probability of 1 -
// (1 - 1/Every)^n. If none of the n members of the sample is lost, then less than 3/n of all
// members are, at a confidence of 95 %.
//
// # What it cannot notice
//
// It does not notice what happens to keys outside the sample, calls of the filter itself that go
// past the audit, or an insert that the program forgot. [Filter.Seed] finds the last of these: it
// compares the owner's list of members with the shadow.
//
// A filter that has members already, such as one that was opened from a file, needs a Seed too.
// Until then the shadow has only the members that it has seen inserted: it judges these, and counts
// other keys as Unknown. A rebuild changes no member: see [Filter.With].
//
// # The sample
//
// A hash is in the sample if its product with a secret odd number is below 2^64 / Every. So the
// hashes of the sample are spread evenly over the blocks of a table and the positions in a block.
// This is so even where all hashes of a filter have low or high bits in common, because these chose
// the shard. The number is secret, so that outsiders cannot choose keys that the audit sees, or
// does not see.
//
// # What it costs
//
// Memory: 16 KiB, and 0.1 bits per member from 10^6 members on, for the most members that there
// were at a time. A sample that would have more than Most members is halved, so memory is bounded.
//
// Time: each insert, delete and single query takes a multiplication and a comparison more, with
// AVX-512 four at a time in batches. Of batches of queries the audit looks at one group in 64.
// BenchmarkAudit measures the ratios, and docs/decisions/shadow-audit.md has them.
package audit
