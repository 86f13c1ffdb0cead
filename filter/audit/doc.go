// Package audit watches a filter that deletes: it notices when the contract of deletion is broken, and how
// many of the answers are wrong.
//
// A filter cannot tell that a key was inserted twice, that a key was deleted which was no member, or that a
// member is gone: it has bits and no keys. An audit has an exact set beside the filter, its shadow, of the
// members whose hashes are in a secret sample of all hashes, one in 1,024. [New] puts a filter under audit.
// The [Filter] that it returns answers as that one does, and goes in its place.
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
// [Stats] has counts of what was seen in the sample. Parts are of the operations in the sample, and so an
// estimate of the part of all; each comes with an interval that has the truth in it with 95 %:
//
//   - inserts of members ([Stats.InsertedTwice]);
//   - deletes of non-members ([Stats.DeletedNonMembers]): those of them that were visible, the
//     FalsePositives, have cost members their bits;
//   - false negatives: a member of the sample that the filter does not find, whoever asks. That is no
//     estimate. It is certain, and [Stats.Alarm] an error: the contract was broken, or the filter is;
//   - false positives, as a part of the non-members, by who asked: single queries and batches (a mean over
//     the traffic since the start, see [Stats.Since]), inserts (over new members), and [Filter.Check] (over
//     the hash space, as it is now).
//
// The interval takes the keys for independent. Where a few keys are most of the traffic the rate of queries is
// that of the few of them that are in the sample: the rate of Check has no such weakness.
//
// # How soon
//
// A breach that happens with a probability of p an operation, each time to another key, is seen within
//
//	ln(100) * Every / p operations
//
// for the first time with a probability of 99 %: one in 1,000 within 4.7 million, one in 100,000 within 470
// million. A breach whose keys are always the same is seen at once, or never. A member that was lost is seen
// by the next Check where it is in the sample: with a probability of 1 - (1 - 1/Every)^n when n are lost.
//
// # What it cannot notice
//
// What happens to keys outside of the sample, and what happens past the audit: a call of the filter itself,
// and a member that should have been inserted, and was not. [Filter.Seed] finds the latter, which compares the
// owner's list of members with the shadow. It is also what an audit needs of a filter with a past, such as
// one that was opened from a file. Until then the shadow has only the members that it has seen inserted: it
// judges these, and counts other keys as Unknown. A rebuild changes no member: see [Filter.With].
//
// # The sample
//
// A hash is in the sample where its product with a secret odd number is below 2^64 / Every. So the hashes of
// the sample lie in all blocks of a table and on all positions alike, and as well where all hashes of a filter
// have low or high bits in common, because these told the shard. Nobody who does not know the number can choose
// keys that are in it, or that are not.
//
// # What it costs
//
// Memory: 16 KiB, and 0.1 bit for each of the most members that there were, from 10^6 members on. A sample
// that would have more than Most members is halved, so that there is a bound for ever.
//
// Time: inserts, deletes and single queries are all looked at, a multiplication and a comparison each, with
// AVX-512 four at a time in batches; of batches of queries one group in 64 is. BenchmarkAudit has the ratios.
package audit
