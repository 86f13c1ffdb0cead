// Package counters keeps counters of variable length, packed, with an index to find them. A small
// counter needs little more than a bit, and a counter can be as large as 4.4e12. Cohen and Matias
// ("Spectral Bloom Filters", SIGMOD 2003) use a string-array index for the same task.
//
// # Layout
//
// A page has up to 512 counters, in groups of 64. Its first two words are the index: where each of
// eight groups ends, in bits from the start of the page, 16 bits each. The groups follow, without a
// gap. All pages have the same number of counters.
//
// The codes of a group's counters lie level by level. Level 0 has a bit for each counter: is it
// above 0? Level j has a bit for each counter that goes on to it, in their order: does it go on to
// level j+1? Behind these bits are widths[j] more for each of them, of its value. So the place of a
// counter in a level is the number of ones before it in the level below, in one word: a read counts
// bits and does not scan. Each value has one code:
//
//	value    0  1  2-3  4-7  8-23  24-87  88-599  600-4695  to 70231  to 1118807  …
//	bits     1  2   4    6     9     12     16        20        25         30
//
// That is between the Elias gamma code, which takes 9 bits for 16 and 19 for 600, and the floor of
// log2.
//
// # Size
//
// The table has bits per counter, with half of the counters above 0. Its columns are the codes; the
// codes with the index and the slices that lead to pages; all memory, for pages that grew from
// empty ones; the entropy of the counters, each taken alone; and the sum of ceil(log2), the paper's
// bound, which does not say where a counter ends. The counters count keys that come once each, and
// streams of ten times as many draws as keys, by Zipf's law.
//
//	                codes   with index   memory   entropy   ceil(log2)
//	once each        1.82         2.44     2.82      1.59         1.03
//	skew 0           4.93         5.56     5.83      3.32         2.52
//	skew 0.5         4.60         5.23     5.46      3.48         2.37
//	skew 1           2.89         3.52     3.79      2.69         1.57
//	skew 1.5         1.24         1.86     2.06      0.63         1.06
//
// Times, and those of a cell of fixed width: in the cache a read of a random counter takes 18 ns
// (cell: 2) and an update 45 ns (2); in memory a read takes 60 ns (5 to 10) and an update 110 ns
// (15). They are minima of 8 rounds of BenchmarkCounters here, and of BenchmarkCells in
// filter/internal/cells, on an Intel Xeon of 2 cores, shared with other work, commit 4c2dd3f.
//
// # Updates
//
// A counter that becomes longer moves what is behind it in its page by a few bits: a dozen words,
// whatever the number of counters. A page has some spare words. If they are too few, the page is
// copied to a larger one. No update does more than that. A page whose counters stay steady
// allocates nothing, and a page that shrinks keeps its memory.
package counters
