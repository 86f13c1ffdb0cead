// Package rolling is a Bloom filter for members that come and go for ever: a ring of deletable
// tables, the generations, whose false-positive rate does not grow with the inserts ever made.
//
// A filter of package deletable decays, because its collision bits never clear. Here a table takes
// [Config.Capacity] inserts and is then closed; the next one takes over; and when all members of a
// generation are gone, its table is emptied and used again. So no table ever has more bits than so
// many inserts set, whatever was deleted, or could not be.
//
// Keys are bytes, strings, uint64s or hashes, as of every filter: see package filter. A query asks
// all live generations: it reads a cache line of each, 4 by default, which takes 4.2 times as long
// as one generation alone, 5.2 ns for 1.2 (a million members on a Zen 5, BenchmarkQueryHashBatch).
//
// # Where a key is
//
// A member is always visible in its own generation; but any other generation may show it too, as a
// false positive, and a delete there would clear bits of other members, which would be lost. So:
//
//   - [Filter.DeleteHashIn] deletes from the generation that the insert went into. [Filter.Newest]
//     is that after the insert, and [Filter.InsertHashBatchIn] tells it for each key of a batch.
//     That touches no other member. Like any delete it is [Retained] where all bits of the key lie
//     in collided regions.
//   - [Filter.DeleteHash], Delete and their kin ask all generations. If one alone shows the key,
//     then this is its own, and the delete is there. If several do, it cannot be known: the delete
//     is [Retained], and the key stays visible, as one more false positive, until its generation
//     retires. The part of the deletes that this happens to is about the false-positive rate.
//
// Under the contract of package deletable (delete only members, and once; insert members, and once)
// members are always found. Proof: every delete that reaches a table is of a key that was inserted
// there, and not deleted there since: DeleteHashIn by what its caller knows, Delete because the
// only generation that shows a member is its own. Under that condition a table loses no member
// (rule 1 of DESIGN.md). And a table is emptied only when as many deletes were certainly there as
// inserts, when those left have been inserted again, or when their owner declared that their
// lifetime ends.
//
// A member that moves may leave a copy: a key that is supplied as a straggler, and is only a false
// positive of the generation that goes, is inserted once more than it is a member. Nothing is ever
// deleted for that insert, so it hides nobody, and is one more visible key until it retires.
//
// # When the ring is full
//
// When the newest generation is full, and in no other all members are gone, the oldest has to go.
// Its owner says what becomes of the members left in it, the stragglers:
//
//   - [Config.Stragglers] supplies them, from the owner's own list, and they are inserted again, in
//     a batch. In that time, memory for their hashes is taken: 8 bytes each.
//   - [Config.Expire] says that lifetimes end: a member is in until Generations newer generations
//     have been opened. An owner with lifetimes in hours calls [Filter.Rotate] by the clock. Delete
//     clears nothing then, because a member might have expired and be a false positive;
//     DeleteHashIn does.
//   - With neither, the insert returns a *[StragglersError], and nothing changes. An owner who
//     replaces the oldest members, and deletes with DeleteHashIn, never meets it.
//
// # Files
//
// A file of the kind has the plan, the counters, and the table and the state of each live
// generation. So a filter that is saved in the middle of a history, opened and gone on with is bit
// for bit the one that never stopped. Expire is in the file. A function cannot be: the owner gives
// the filter its Stragglers back with [Filter.SetStragglers]. Until then an insert that needs them
// fails with [ErrStragglers], and nothing is lost.
//
// # Size and rate
//
// A non-member is present if any generation shows it. A table never has more bits than Capacity
// inserts set, and their mean rate over hash keys is p = ExpectedRate(Capacity, blocks). So with G
// tables the mean rate is at most G p, whatever came and went: [Planned.Rate], which is what Rate
// sizes for. Most of the time it is less, as the newest table is not full yet.
//
// A single filter has its own hash key and its own rate, which [Stats] measures as RateNow. Full
// filters lie around the mean, the more widely the smaller they are; [Planned.Rate99] is what about
// 99 of 100 stay below. Its derivation is in internal/expected, at Spread. TestFullFilters fills
// 4,000, 4,000 and 600 filters of 4 generations that are planned for 1 %, and finds:
//
//	members                100     1,000    10,000
//	Rate99 / Rate         1.53      1.15      1.05
//	above Rate, %           41        48        50
//	above Rate99, %        1.5       0.9       0.7
//	the highest / Rate    2.21      1.33      1.07
//
// With 4 generations, and beside a Bloom filter of 4-bit counters, 4 * 1.44 * log2(1/rate):
//
//	rate, %                   5      1    0.1   0.01
//	bits per member          21.8   30.8   48.6   75.5
//	counting               24.9   38.3   57.4   76.5
//
// The capacity decides how often stragglers move. With 2 Members / G, the default, half of the ring
// is free for what has gone. Let x be the new members, in turnovers, between two rotations, and s
// those that move at one; together they fill a generation, x + s = Capacity / Members. If members
// go at random, those that moved have been in the oldest generation for G x when it goes, and the
// new ones for (G-1) x to G x, so
//
//	s = s exp(-G x) + (1 - exp(-x)) exp(-(G-1) x)
//
// That makes s/x = 0.36 moves an insert for G = 4, and 0.30 for 8. If the oldest goes first,
// nothing moves.
//
// # Measured
//
// TestRateAfterAHundredTurnovers holds the filter to at most twice the planned rate after 100
// turnovers, in no more memory than a Bloom filter of 4-bit counters takes for that rate, 4 * 1.44
// * log2(1/rate) bits a key. "make churn" does it with a million members, which takes eleven
// minutes, and found
//
//	planned                  1 %, 30.8 bits per key             0.1 %, 48.6 bits per key
//	                      at worst   moves an insert        at worst   moves an insert
//	delete-oldest           0.54 %              0            0.051 %              0
//	delete-random           0.28 %           0.35            0.018 %           0.35
//	heavy-tailed            0.27 %           0.48            0.017 %           0.48
//
// where heavy-tailed is Pareto's lifetime of the shape 1.5. These runs began with members that were
// all new; with members in equilibrium from the first turnover, as the test has them now,
// heavy-tailed ones move 0.51 times an insert (20,000 members).
//
// "go run ./bench churn" compares it with other filters that delete, at equal memory, and
// docs/choosing.md says what follows: who can list the members does better with a deletable
// filter that is refreshed or rebuilt, and who wants the lowest rate with a cuckoo filter. What
// speaks for rolling is that an insert never fails, where a cuckoo filter that is full refuses
// members for good; that its mean rate has a bound; and that lifetimes may end by themselves.
package rolling
