// Package stable is the stable Bloom filter, which finds duplicates in a stream without end: it
// forgets old keys for new ones, so that it never fills up. Use it for keys that should fade one by
// one, in one table. A window of the latest keys needs fewer bits in package a2 or in package
// rolling with Expire, which miss none in it.
//
// A table has m cells of d bits, and a key has K of them, chosen by its hash. An insert first
// subtracts one from each of P cells that are above 0, and then sets the key's cells to their
// highest value, Max = 2^d - 1. A key is present if none of its cells is 0. An insert reports
// whether the key was present before: that is the question of a stream.
//
// # The contract
//
//   - A key that was inserted may be missed. The more keys came since, the more likely that is.
//     [Config] sizes a filter by a window: Members is the number of inserts after which a key is
//     missed with the probability Missed. Younger keys are missed far less: with 10 % at the end of
//     the window it is 5 % at nine tenths of it and 0.02 % at half.
//   - All inserts count, those of duplicates too. A key that is inserted again is as young as a new
//     one.
//   - The rate of false positives is at most the planned one in the mean over hash keys, however
//     many keys come, in windows of 1,000 keys or more. In smaller windows the fill varies more,
//     which raises the mean: from 100 keys on it is at most 5 % above the planned rate, and from 10
//     keys on at most 15 % (TestSmallWindows).
//   - Nothing is deleted, and filters do not merge: two tables do not tell which cells the inserts
//     of the other would have aged.
//   - Which cells an insert ages follows from the number of inserts, and not from the hash key. So
//     it is no secret which cells age, but it is one whose they are. The same calls make the same
//     filter, also if it was saved and opened between them.
//
// Errors are a *[filter.SizingError] for a plan that no filter can keep, a *[file.Error] for a bad
// file, and an error that wraps [filter.ErrClosed] after Close. Inserts and queries allocate
// nothing.
//
// # Size
//
// For a window of one million inserts, with 10 % missed at its end:
//
//	rate                10 %    1 %  0.1 %  0.01 %
//	bits per key        30.8   68.1  107.3   148.6
//
//	bits per key          16     32     64      96     128
//	false positives, %  27.8   9.32   1.28   0.193  0.0312
//
// docs/theory/stable.md has the equations that the methods of [Shape] compute, and sizes of other
// widths and windows. bench/studies/results/streams compares the speed with another Go
// library.
//
// Source: Deng and Rafiei, "Approximately Detecting Duplicates for Streaming Data using Stable
// Bloom Filters", SIGMOD 2006.
package stable
