// Package audit watches a filter that deletes: it notices when the contract of deletion is broken,
// and measures how many answers are wrong. Use it with a deletable, a cuckoo or a counting filter,
// at a cost of a few percent in batches. [New] says why not with a rolling or an elastic one.
//
// A filter has bits and no keys. So it cannot tell that a key was inserted twice, that a deleted
// key was no member, or that a member is lost. Next to the filter an audit keeps a shadow: an exact
// set of those members whose hashes are in a secret sample, one in 1,024 of all hashes. [New]
// returns a [Filter] that answers as the given filter does. The program uses it in place of that
// filter.
//
//	f, err := audit.New(members, audit.Config{})
//	...
//	f.Check(10_000)                 // where the numbers are collected, every minute or so
//	s := f.Stats()
//	slog.Info("filter", "audit", s) // only numbers: nothing reveals a key
//	if err := s.Alarm(); err != nil {
//		...                           // a member was lost, for certain
//	}
//
// # What is reported
//
// [Stats] counts what was seen in the sample. A part of the operations in the sample estimates the
// part of all operations, and has a confidence interval of 95 %.
//
//   - [Stats.InsertedTwice]: inserts of members.
//   - [Stats.DeletedNonMembers]: deletes of non-members. Those that were present, the
//     FalsePositives, may have cleared bits of members.
//   - [Stats.Alarm]: members of the sample that the filter did not find in any call. This is no
//     estimate but certain: the contract was broken, or the filter is.
//   - The rates of false positives by kind of call. Those of queries are means over the traffic
//     since the start (see [Stats.Since]), those of inserts are over new members, and those of
//     [Filter.Check] are over the hash space as the filter is now.
//
// The intervals take keys as independent. If a few keys make most of the traffic, the rate of
// queries is that of the few of them in the sample. The rate of Check has no such weakness.
//
// # The contract
//
//   - The audit sees only calls of its own methods. It does not notice what happens to keys outside
//     the sample, calls that go past it to the filter, or an insert that the program forgot.
//     [Filter.Seed] finds the last of these: it compares the owner's list of members with the
//     shadow.
//   - A filter that has members already, such as one that was opened from a file, needs a Seed.
//     Until then the shadow has only the members that it has seen inserted. It judges these, and
//     counts other keys as Unknown. A rebuild changes no member: see [Filter.With].
//   - A breach with a probability of p per operation, each time with another key, is seen within
//     ln(100) * Every / p operations with a probability of 99 %: 4.7 million operations for one
//     breach in 1,000. A breach whose keys are always the same is seen early or never. The next
//     Check sees a lost member if it is in the sample.
//   - If none of the n members of the sample is lost, less than 3/n of all members are, at a
//     confidence of 95 %.
//   - Calls may run at once if none of them changes the filter: see [Filter].
//
// Memory is 16 KiB, and 0.1 bits per member from 10^6 members on, for the most members that there
// were at a time. docs/decisions/shadow-audit.md has the cost in time, and says how the sample is
// chosen.
package audit
