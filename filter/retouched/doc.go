// Package retouched is the retouched Bloom filter (Donnet, Baynat and Friedman, "Retouched Bloom
// Filters: Allowing Networked Applications to Trade Off Selected False Positives Against False
// Negatives", CoNEXT 2006, and its extended version, whose numbers are here). Where some false
// positives hurt more than others, such as an address that must not be blocked, bits are cleared so
// that these troublesome keys are not present any more. Each member that has a cleared bit is lost.
//
// [New] makes one of a plain, a blocked or a deletable filter, its members and the troublesome
// keys. It says in a [Report] which bits were cleared, which keys were bought off, and which
// members that costs. The filter can be asked and saved. Nothing is inserted into it, which would
// set cleared bits again: members that come later go into a filter beside it.
//
// # What it promises
//
// Nothing: a member may be missed. But the report says which are, a protected member never is, and
// a troublesome key that was bought off is absent for good. No other key becomes present, so the
// rate falls.
//
// # Algorithms
//
// For one troublesome key after another, in their order, one of its bits is cleared if the key is
// still present: that is the paper's order, in which those that come first are bought off first.
// The algorithms differ in the bit. Of several that are as good it is the first in the order of the
// hash functions; the paper leaves that open. A key that has a bit twice counts twice there, as in
// the listings.
//
// In the paper's setting (10,000 members, 100,000 bits, k = 5, a universe of 2,000,000), means of
// 15 runs at commit f0ce244, where a quarter of the false positives, some 4,670, is troublesome,
// and where all are:
//
//	                        listing     25 %: bits   others gone   lost     χ   all: lost     χ
//	random selection              1           3653          5415   3864  1.40        7362  1.36
//	minimum FN                    2           3647          5413   3157  1.71        6386  1.57
//	maximum FP                    3           2756          4264   3058  1.56        6204  1.61
//	  with Others                             3157          7459   3415  1.90
//	ratio                         4           2834          4383   2650  1.83        5566  1.80
//	  with Others                             3215          7226   2899  2.19
//	improved minimum FN           5           3646          5412   2451  2.20        4434  2.26
//	improved maximum FP           6           2576          4023   2887  1.61        5707  1.75
//	  with Others                             3093          7882   3354  2.00
//	improved ratio                7           2869          4421   2086  2.33        3904  2.56
//	  with Others                             3264          6952   2296  2.70
//
// The published rows of 25 % in Tables III and IV, 7466 and 3420, 7261 and 2895, are those with
// [Config.Others]: the paper's counting vector vB has all false positives, where its listings have
// B alone.
//
// Tried: to clear the bit of the best ratio of all first, whichever key it is of. It buys off 2 to
// 44 % more keys for a budget of up to a tenth of the members, and loses 7 % fewer members where
// all false positives go. It has no order for the owner to choose, and is not here.
//
// # Theory
//
// Randomized clears s bits at random, of all that are set. Of the false positives and of the
// members 1 - r_s go, so χ (equation 12) is 1. [Shape] has equations 2 and 4 to 7; the rest are
//
//	f'P = |F'P| / |U-A|,  f'N = |F'N| / |A|            (8, 9)     State and [Report.FalseNegatives]
//	ΔfP = (fP - f'P) / fP = 1 - r_s,  ΔfN = 1 - r_s    (10, 11, 14, 15)
//	χ   = ΔfP / ΔfN                                    (12)       [Chi]
//	r_s = (1 - s/(p1 m))^k                             (13, 16)   [Shape.Kept]
//	β   = |B| / |FP|                                   (17)
//
// # What it costs
//
// With the list of members the loss is exact. With counts ([CountsOf]), which an owner can keep
// instead of the list, it is estimated: counts say how many bits of members were cleared, and not
// of whom. Given them, each way to deal the bits to the members is as likely, so the mean and its
// standard deviation follow without another assumption; tests hold both to lists. A budget is kept
// in both cases.
//
// # Size and speed
//
// The time and the memory grow with the keys, not with their product: there are lists of keys for
// each bit that may be cleared, the paper's ElementLists, and what is lost is taken off the counts
// of its own bits only. The listings scan all lists for it. (Intel Xeon of 2 cores with AVX-512,
// shared with other work, commit f0ce244, 10 bits per key, k = 5, all 0.94 % of the candidates that
// are present are bought off; BenchmarkRetouch, BenchmarkListings):
//
//	members     candidates    bought off   improved ratio   memory beside the filter   as listed
//	2,000          400,000         3,700            2 ms                      1.6 MB       1.2 s
//	10,000       2,000,000        18,800           30 ms                        4 MB        47 s
//	1,000,000   10,000,000        94,000          0.33 s                       50 MB
//	1,000,000  200,000,000     1,890,000             5 s                      390 MB
//
// The candidates may be a source of any length: only those that are present are kept. Beside two
// and a half times the filter there are some 30 bytes for each bit that may be cleared, 30 + 8 k
// for each troublesome key that is present, and 13 + 8 j for each member that has j of these bits.
// The table has also what was freed and not yet collected.
//
// # The anti-filter
//
// [Anti] asks a second filter what is not to be present (section VII-A). It loses fewer members,
// and takes memory: for |B| keys and a loss of a part f of the members |B| log2(1/f)/ln 2 bits. Of
// the 25 % above, with the loss of improved ratio, that is 15 % more memory; and no other false
// positives go.
package retouched
