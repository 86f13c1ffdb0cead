// Package spectral is the spectral Bloom filter, which tells how many times a key is a member. Use
// it for counts in little memory. Package bitwise is several times faster than the counters of
// variable length here, and makes more errors.
//
// A filter has m counters, and a key has k of them, chosen by its hash. A key is present if none of
// its counters is 0. Its count is the least of them, because all that other keys add makes a
// counter higher. There are three kinds, which raise the counters in different ways:
//
//   - [MinimumSelection] (MS) raises all counters of a key, and a delete lowers them. Use it if you
//     delete.
//   - [MinimalIncrease] (MI) raises only those counters that are below the new count. It makes the
//     fewest errors. Nothing can be deleted from it, because another key may rely on a counter that
//     it did not raise. Use it if you do not delete.
//   - [RecurringMinimum] (RM) is MS with a quarter as many secondary counters. A key whose least
//     counter is the only one of that value moves to them. It is here to compare with: at equal
//     memory it makes more errors than MS.
//
// # The contract
//
//   - Insert every member, also one that is present already: it may be a false positive. Delete
//     only members, and each at most as often as it was inserted. Under this contract every member
//     is present.
//   - A count of MS and MI is never too low. It may be too high, and the part of the members whose
//     count is too high is the rate of false positives, or less. A count of RM may be too low:
//     docs/theory/spectral.md says how often.
//   - The rate of false positives depends on the number of different members, and not on how often
//     they come. It is that of a Bloom filter of m bits.
//   - A delete returns Deleted if the key is no longer present, and Retained if it still is. It
//     returns Absent if the key was not present; then nothing changes.
//   - The merge of two MS filters is exact: the result is the filter of all inserts of both. In a
//     merge of two MI filters no count is too low. RM filters do not merge.
//   - Counters have a variable length by default: most are 0 or 1, and take a bit or two. Their
//     memory grows with the counts, by their logarithm. [Config.Width] makes them cells of a fixed
//     width, which are several times faster. A cell that reaches its highest value stays there, and
//     the count is then [math.MaxUint64].
//
// Errors are a *[filter.SizingError] for a plan that no filter can keep, a *[file.Error] for a bad
// file, and an error that wraps [filter.ErrClosed] after Close.
//
// # Size
//
// With one million members in, once each:
//
//	rate                       10 %    1 %  0.1 %  0.01 %
//	bits per key, MS and MI    13.8   27.6   41.3    55.1
//
// docs/theory/spectral.md has the equations, more sizes and the errors of counts.
// bench/studies/results/streams has times.
//
// Source: Cohen and Matias, "Spectral Bloom Filters", SIGMOD 2003.
package spectral
