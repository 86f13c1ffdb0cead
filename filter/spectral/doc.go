// Package spectral is the spectral Bloom filter (Cohen and Matias, "Spectral Bloom Filters", SIGMOD
// 2003), which tells how many times a key is a member.
//
// A filter has m counters, and a key k of them, at random. A key is present where none is 0, and
// its count is the least of them, because all that others add to a counter makes it higher. The
// paper has three ways to raise counters, which are three kinds here:
//
//   - [MinimumSelection] (MS) raises all of a key's counters, and a delete lowers them.
//   - [MinimalIncrease] (MI) raises only those that are below the new count. It has the fewest
//     errors, and nothing can be deleted: another key may stand on a counter that it did not raise.
//   - [RecurringMinimum] (RM) is MS, with a quarter as many secondary counters. A count that two
//     counters agree on is seldom wrong; so a key whose least counter is a single one moves there,
//     and a Bloom filter, the marker, says that it has. Deletes lower both.
//
// Where nothing is deleted take MI, and else MS. RM is here to compare with: at equal memory it has
// more errors than MS in every stream below. A key that moves brings the errors that its count has
// by then, and the counters that are saved are worth more as primary ones.
//
// # What they promise
//
// Every member is present, under the contract of deletion of package filter. The counts of MS and
// MI are never under. A key comes as often as it likes, and the rate of false positives depends on
// how many different ones there are: it is that of a Bloom filter of m bits.
//
// The counts of RM may be under, and so it does not promise them. That is the paper's algorithm:
// the marker and the secondary counters have false positives too. A key that was counted for some
// time, and that the marker shows by accident from then on, is taken for one that has moved; the
// secondary counters know only what came later. And where such a key is deleted, they are lowered
// by what they never got. It takes a false positive of the marker for each. In a stream of inserts
// at the best k that is less than one key in 200; but the marker never loses a key, so under
// turnovers it fills up: with 40 bits per key and six turnovers its rate is 37 %, 3 % of the counts
// are under, and 12 % are wrong where 1.4 % are with MS. Build such a filter again in time.
//
// The paper was not at hand: RM is from the sentences of it that the source of
// github.com/mavam/libbf quotes, and from Vallentin, "A Garden Variety of Bloom Filters", 2011. Two
// things differ from them on purpose. A key that moves adds all of its count to the secondary
// counters, also where others have raised these; so none that moved is under. And once it has moved
// its count is the lesser of both, also when its minimum recurs.
//
// # Theory
//
// With n different members in, the part of the counts of MS that are wrong is the rate of false
// positives, by whatever law keys come (the paper's Bloom error):
//
//	wrong  = (1 - (1-1/m)^(k(n-1)))^k                       (1)
//	mean   = sum over x from 1 of Pr(V >= x)^k              (2)
//	single = k sum over x from 0 of Pr(N = x) Pr(N > x)^(k-1)   (3)
//
// Equation 2 is the mean error of MS: V is what the others add to a counter, a Poisson distributed
// number N of them with the mean (n-1)k/m, each as often as it is in. Equation 3 is the part of the
// keys whose minimum is a single one where all are in as often. Equations 2 and 3 are of this page,
// and take the counters of a key as independent. MI's count of a key is never above MS's; where all
// keys come as often its mean error is about k times less, in simulation.
//
// # Counters
//
// Counters are of variable length by default: most are 0 or 1, and take a bit or two. Package
// internal/counters has the layout, and what they cost in time. They take more memory as counts
// grow, by their logarithm: [Config] has what is planned for. With a Width they are cells of so
// many bits, in memory that is fixed. With once as many bits per key there are more counters of
// variable length, and so fewer errors. 200,000 draws of 20,000 keys by Zipf's law, at 32 bits for
// each key that was drawn at most:
//
//	counts that are wrong, %, and their mean error    skew 0       skew 0.5     skew 1
//	MS                                               9.7  0.81    9.3  0.57    9.4  0.20
//	MI                                               6.4  0.17    5.2  0.14    4.2  0.07
//	RM                                                18   1.6     18   1.3     18  0.56
//	MS, cells of 16 bits                              40   4.9     39   4.9     39   5.7
//	MI, cells of 16 bits                              40   4.9     39   4.9     39   5.7
//
// # Size
//
// With a million members in, once each:
//
//	rate                       10 %    1 %  0.1 %  0.01 %
//	bits per key               13.8   27.6   41.3    55.1
//	bits per key, RM           22.1   41.7   62.5    83.3
//	bits per key, of 8 bits    38.5   76.7  115.0   153.4
//	k                             3      7     10      13
//
// # Speed
//
// ns per key in batches on ready hashes, at 32 bits for each of the members and k = 4 (Intel Xeon
// of 2 cores, shared with other work; minima of 12 rounds, commit 4c2dd3f; BenchmarkFilters). CMS
// is the count-min sketch of github.com/tylertreat/BoomFilters, which has counters of 64 bits and
// does not delete, at equal bits and depth.
//
//	                        32 kB: count   insert   16 MB: count   insert
//	MS, variable length               78      229            162      295
//	MI, variable length               54      435            132      278
//	RM, variable length               89      650            220      463
//	MS, 16 bits                      8.1       13             77       88
//	MI, 16 bits                      8.9       19             40       94
//	RM, 16 bits                       22       38             99      129
//	CMS                               29       18            176      109
package spectral
