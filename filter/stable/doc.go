// Package stable is the stable Bloom filter (Deng and Rafiei, "Approximately Detecting Duplicates
// for Streaming Data using Stable Bloom Filters", SIGMOD 2006), which finds duplicates in a stream
// without end: it forgets old keys for new ones, so that it never fills up.
//
// A table has m cells of d bits, and a key K of them, at random. An insert first takes one from
// each of P cells that are above 0, and then sets the key's cells to Max = 2^d - 1. A key is
// present where none is 0. Inserts say whether the key was present before: that is the question of
// a stream.
//
// # What it promises
//
// It forgets, so a key that was inserted may not be found, and the more likely so the more came
// since. It keeps its rate of false positives for ever, whatever comes. There is nothing to delete,
// and filters do not merge: of two tables nobody knows which cells the other's inserts would have
// aged.
//
// [Config] sizes by a window: Members is a number of inserts, after which a key is missed with the
// probability Missed. Younger keys are missed less, and far less: with 10 % at the end of the
// window it is 5 % at nine tenths of it and 0.02 % at half. A key that is inserted again is as
// young as a new one. All inserts count, those of duplicates too.
//
// # Theory
//
// Of a cell, an insert takes one with the probability p = P/m, and then sets it with q =
// 1-(1-1/m)^K; the paper has q = K/m, because it takes the cells of a key as different. The numbers
// are of this page. Equations 1 to 3 are the paper's: the stable point, the rate and P.
//
//	z       = (1 / (1 + q/(p(1-q))))^Max, with the paper's q (1 / (1 + 1/(P(1/K-1/m))))^Max    (1)
//	rate    = (1 - z)^K                                                                        (2)
//	P       = 1 / ((1/(1-rate^(1/K))^(1/Max) - 1) (1/K-1/m))                                   (3)
//	zeros_n = z_n + (1-q)^n Pr(Bin(n, p) < Max)                                                (4)
//	z_n     = z Pr(Bin(n, p+q-pq) >= Max)                                                      (5)
//	missed  = 1 - (1 - z_n)^K                                                                  (6)
//
// Where all inserts are of different keys the expected part of the cells that are 0 goes to the
// stable point z ([Shape.StablePoint]); from an empty filter it is zeros_n after n inserts
// ([Shape.Zeros]). A cell that was set n inserts ago is 0 now with the probability z_n: its last
// Max decrements have no set among them. That is the sum of C(i-1, Max-1) p^Max (1-p)^(i-Max)
// (1-q)^i over i from Max to n, a negative binomial distribution times z. So with n other keys
// since its last insert a key is missed with equation 6 ([Shape.Missed]), as if its cells were
// independent; the rest is exact, and simulations find 1 % of the keys off at most.
//
// Where keys come again fewer cells are set, so more are 0 and the rate is lower: equation 2 is a
// bound. It is the rate of the mean fill; of a thousand cells the mean rate is up to 3 % higher,
// because fills differ.
//
// [Filter.State] counts the cells, so its rate is that of the table as it is.
//
// # Which cells are decremented
//
// P cells from a random one on, around the end: the paper's way in practice, in place of P random
// ones. Each cell is taken with the probability P/m in both, so the equations hold of both: with
// 2,000 cells of 4 bits, K = 7 and P = 150 the mean rate over 160,000 inserts is 0.746 % with
// consecutive cells, 0.747 % with random ones, and 0.740 % by equation 2. Consecutive cells are few
// words, of which all cells are decremented at once, 16 of 4 bits each; P random cells are as many
// cache misses.
//
// The random start is package probe's generator, from the same state in every filter, and not from
// the key: so it is no secret, and who knows it knows which cells age and not whose they are. A
// file has the state as it is, so that a filter that is read back goes on as the one that was
// saved; the same calls make the same filter.
//
// # Size
//
// With 10 % missed at the end of the window of a million:
//
//	rate                10 %    1 %  0.1 %  0.01 %
//	bits per key        30.8   68.1  107.3   148.6
//	K                      3      6      9      12
//	P                     71    142    212     283
//
//	bits per key          16     32     64      96     128
//	false positives, %  27.8   9.32   1.28   0.193  0.0312
//
// At a rate of 1 % cells of 1, 2, 3, 4 and 5 bits take 312, 93, 73, 68 and 75 bits per key. A Max
// of 15 makes the end of a window sharp, where narrow cells miss a part of the young keys too: with
// 1 bit 5 % at half of the window. With 50 % missed at the end it is 51 bits per key, with 1 % 91,
// and with 0.1 % 115.
//
// # Speed
//
// ns per key on ready hashes (Intel Xeon of 2 cores with AVX-512, shared with other work; minima of
// 25 rounds, commit 82ae0a0; BenchmarkStable of bench/peer/library), and in parentheses the stable
// filter of github.com/tylertreat/BoomFilters at equal m, d, K = 3 and P:
//
//	                         an insert      a query of a member   of a non-member
//	20 kB, d = 1, P = 10      20 (126)            3.7 (16)             3.1 (13)
//	20 kB, d = 4, P = 183     39 (1322)           3.2 (12)             3.1 (12)
//	4 MB, d = 1, P = 10       57 (165)             16 (27)             7.2 (21)
//	4 MB, d = 4, P = 183      98 (1473)            16 (31)             7.3 (23)
//
// That is 3 to 34 times as fast with inserts, and 1.7 to 4.4 times with queries.
//
// # When to prefer another kind
//
// A window of the latest keys takes fewer bits with generations of a filter, of which the oldest
// goes: package rolling with Expire misses none in it, with 31 bits per key at a rate of 1 % and 4
// generations. This kind is for keys that fade one by one, in one table, without a moment at which
// many are forgotten at once.
package stable
