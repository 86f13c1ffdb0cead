// Package bitwise is the bitwise Bloom filter (Lall and Ogihara, "The Bitwise Bloom Filter",
// University of Rochester, Technical Report 927, 2007), which counts how often each key is in, from
// once to 2^57 times, in a few bits per key.
//
// A filter has levels of cells, the first of which has the lowest bits of counts, w_0 of them, the
// next one the w_1 bits above these, and so on; the last one has 64 bits. A key has k cells in the
// first level, at random. An insert adds one to each. What a cell's bits do not hold it carries to
// one cell of the next level, and is marked: the value of a cell is its bits and, if it is marked,
// above them the value of that other cell. A delete takes one from each, and borrows where there is
// nothing. The count of a key is the least value of its cells, and a key is present where that is
// above 0. So many narrow cells serve the many keys that come seldom, and few keys have the higher
// bits.
//
// # What it promises
//
// A count is never under, whatever is in, as long as only members are deleted, and as often as they
// came. So a member is always found, and can be deleted without harm to others. A count is over
// where each cell of the key has another key too, or seems to have carried more because another
// cell carries to the same cell: as often as the equations say, and by any amount. A key that is no
// member has a count then: that is a false positive. How often members come changes no answer for
// others but where their cells carry: the false positives of a filter from which nothing was
// deleted are those of a Bloom filter of m_0 bits.
//
// The bits of all cells follow from the multiset that is in, whatever the order of inserts and
// deletes was. Only marks do not: a delete that borrows leaves the mark where something else seems
// to be left above it. Until the first delete the whole filter follows from the multiset, and so
// merges are exact. After many deletes marks make some cells of 0 seem more: see the equations.
// Deletes of non-members take from members, as in other filters; no cell goes below 0 by them.
//
// # Not as in the paper
//
// The paper, and document 001's library (mavam/libbf), have a Bloom filter for each bit of the
// counts, widths of 1, and hash a key once more for each. A key whose bit is found in the first
// level is removed from it and inserted in the next. Where the bit was another key's that other key
// loses it, and is a false negative if it had no other; and where two keys share a bit nobody knows
// by whose inserts it carries. Neither can be mended while a carry goes by the key: a cell that
// overflows counts several keys, and those that did not make it overflow do not look where it went.
// Here it goes by the cell, so that all keys of a cell find it, as in Counter Braids (Lu et al.,
// SIGMETRICS 2008), which has the marks too. It costs a bit per cell, the mark, and the false
// carries of equation 2. Widths of 1 give the paper's levels, with marks.
//
// # Hashing
//
// The cells in the first level are package probe's: x_i = hash * M^i. A cell of a level is hashed
// by its number to one cell of the next level, in two multiplications, with the same function for
// every filter: what keys share a cell depends on the hash key, and not on it. To one, because with
// two cells to carry to, each of which carries on to as many, levels do not get smaller; and a
// wrong one is seldom the least of k. A key costs k cells in the first level, and one more in each
// level for those of them that have carried. Neither costs anything of the rate beyond the
// equations: simulations find what these say.
//
// # Theory
//
// Level l has m_l cells; n members are in, and the part of them that come at least c times is T(c).
// Z_l is the part of the cells of level l of value 0, C_l that of those that have carried, and F_l
// that of those whose carries seem to be more than they are. The numbers of equations are of this
// page.
//
//	rate  = (1 - Z_0)^k,  Z_0 = (1-1/m_0)^(kn)                                               (1)
//	Z_l   = e^(-m_(l-1) C_(l-1) / m_l),  F_(l-1) = 1 - Z_l (1-F_l)                           (2)
//	over  = (1 - Z_0 (1-F_0))^k                                                              (3)
//	aged <= (1 - Z_0 (1 - 3/2 C_0 F_0))^k                                                    (4)
//	C_l   = Pr(V_l >= 2^w_l),  V_0 a sum of Poisson(kn/m_0) counts,  V_(l+1) one of carries  (5)
//	C_l   = 1 - e^(-nk T(2^(w_0+...+w_l)) / m_l)  where V_l is not known                     (6)
//
// The rate ([Shape.Rate]) is that of a Bloom filter, with package expected's correction for the
// spread of the fill. The count of a member is over as often as equation 3 has it ([Shape.Over]),
// with F_0 for the levels that its own bits reach: a count below 2^w_0 is over with the probability
// of equation 1. Aged ([Shape.Aged]) is a bound for the rate after any number of turnovers: the 3/2
// is from simulations, which find 0.5 to 0.8 with the widths that are chosen, and 1.4 with widths
// of 1. V_l is a compound Poisson variable, whose distribution is computed for values up to 128 of
// the first level (Panjer's recursion); beyond there one key alone makes it large. Simulations of
// many shapes and skews meet all of it within intervals of 4 standard deviations and 1 % of the
// rate.
//
// # Size
//
// With a million members, which come by Zipf's law with a skew: of n the i-th comes (n/i)^skew
// times. Skew 1 is what [Config] takes where it has no Tail. In parentheses is the first width; the
// second and third are 3 and 7.
//
//	bits per key at a rate of    10 %    1 %  0.1 %  0.01 %
//	skew 0: all come once        15.0   30.1   45.1    60.1   (2)
//	skew 0.5                     20.5   41.1   61.6    82.1   (3)
//	skew 1                       27.8   55.5   83.3   111.1   (3)
//	skew 2                       49.8   98.0  147.0   196.0   (7)
//	k with skew 1                   2      4      6       8
//
//	bits per key                   16     24     32      40      48       64
//	false positives, %, skew 1   27.1   13.8   7.33    3.62    1.91    0.496
//
// With Turnovers a rate of 1 % takes 59.3 bits at a skew of 1, and 30.1 where all come once. The
// widths of 1 take 63.4 bits at a skew of 1, widths of 2 in six levels 53.8, and cells of 16 bits
// below the last level 204.7.
//
// Members that come more often than planned do no harm to the rate, until members are deleted: the
// upper levels are too full then, so that counts beyond the first level are too high. Deletes leave
// nearly all their marks, and the rate rises with every turnover: from 1 % to 12 % in three of
// them, where members were planned to come once and come by Zipf's law.
//
// # Speed
//
// ns per key on ready hashes (Intel Xeon of 2 cores with AVX-512, shared with other work; minima of
// 8 rounds, commit 79cae90; BenchmarkFilters), with 32 bits per key and k = 2, members by Zipf's
// law; and in parentheses package counting with as many bits and the same k, whose cells of 4 bits
// mostly stand still at their highest:
//
//	                                16 kB        8 MB
//	a query of a member         10 (5.2)     30 (23)
//	a query of a non-member    5.6 (4.6)     12 (6.8)
//	an insert and a delete       37 (20)     53 (84)
//	an add                            23          22
//	a count of a member               55          34
//	a count of a non-member           13          17
//
// # When to prefer another kind
//
// Package counting is simpler and up to twice as fast, where no count is of interest and members
// come a few times at most: its cells of 4 bits take 38.4 bits per key at a rate of 1 %, and are
// stuck at 15. Cells that hold counts of 65,535 take 153, where this kind takes 55.5 for counts by
// Zipf's law, of any height.
package bitwise
