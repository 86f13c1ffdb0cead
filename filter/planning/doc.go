// Package planning predicts what a table of deletable blocks will be like while its members come
// and go: its false-positive rate and the part of its members that can be deleted, from the number
// of members, the size and the inserts ever made. And it sizes tables by these predictions: see
// [Plan].
//
// The format is that of package fallback: blocks of 8 lanes of W bits, W = 64 or 32, where a key
// has one cell, a bit, in each of K = 7 lanes. The seven cells at one position of their lanes are a
// column, which is a region of the Deletable Bloom Filter of Rothenberg, Macapuna, Verdi and
// Magalhães (IEEE Communications Letters, 2010; "the letter" below). The letter asks how such a
// filter fares under insertions and deletions, and leaves it open. Here is the derivation.
//
// # Terms
//
// A table has M members in B blocks; L = M/B is the mean load of a block. Time counts in turnovers:
// at time 0 the table has just been filled, and since then M keys arrive, and about M leave, in
// each unit of time. So a mean lifetime is 1, and after the time T there have been M(1+T) inserts.
// A lifetime has the survival function S(x), the probability to live longer than x; of the members
// at time 0, which come from a population in equilibrium, the part R(x) = 1 - (integral of S from 0
// to x) lives for longer than another x. For delete-oldest S is 1 up to x = 1 and 0 beyond; for
// delete-random it is exp(-x).
//
// A cell is occupied if it is set, and empty if not. A column is collided from the first insert on
// that finds its cell in it set. In a column that is not collided each set cell has exactly one
// key, a member, whose delete clears it. In a collided column nothing is ever cleared.
//
// # Fresh tables
//
// Nothing was deleted yet. The rate is [FreshRate], and exact: it is the mean over a non-member's
// block of a product of lanes, which are independent once the load of the block is known.
//
// The deletable part is exact as well ([FreshDeletable]). A member is retained if all columns of
// its seven cells are collided. Let m be the number of other keys in its block, which is binomial.
// The columns are not independent: in each lane the m keys share W cells. So sum over the subsets
// of the member's columns, with alternating signs, the probability that all s columns of the subset
// are free of collisions. Lanes are independent given m, and a lane contributes, where the member
// has its cell in one of the s columns (h of the lanes), the probability that the m keys leave this
// cell alone and hit each of the other s-1 at most once; where not, that they hit each of the s at
// most once:
//
//	A(s) = sum over i of C(s-1, i) m(m-1)…(m-i+1) W^-i (1-s/W)^(m-i)
//	B(s) = sum over i of C(s,   i) m(m-1)…(m-i+1) W^-i (1-s/W)^(m-i)
//	P(retained) = sum over subsets of (-1)^s A(s)^h B(s)^(7-h)
//
// The seven cells can coincide in columns: they do for 29 % of the keys at W = 64, and for 51 % at
// W = 32. So the sum is a mean over the 15 patterns of coincidence, which are the partitions of 7.
//
// # One cell under churn
//
// Take a block in which keys arrive at the rate L, as a Poisson process. Its keys hit a given cell
// at the rate a = L/W. Let s(t) be the probability that no arrival up to t found the cell set, and
// e(t) <= s(t) that moreover it is empty at t; q = s - e is then that it has one key, without a
// collision ever. At time 0
//
//	e(0) = exp(-a),  q(0) = a exp(-a)
//
// and from then on a cell is occupied by a key that is still alive and alone, who came when the
// cell was empty, and an arrival collides if the cell is occupied:
//
//	q(t)  = q(0) R(t) exp(-a t) + integral over u from 0 to t of a e(u) S(t-u) exp(-a (t-u)) du
//	s'(t) = -a q(t),  e = s - q
//
// This is a Volterra equation of the second kind, and is solved step by step with the trapezoidal
// rule, for any S: only its integrals over the steps are needed. Even lifetimes much shorter than a
// step do no harm.
//
// # One column
//
// The cells of a column are in different lanes, which are independent once it is known when the
// keys of the block come and go. So it is free of collisions with the probability s(t)^7. Of n
// given cells of a column, all are empty at T if the column never collided and they are empty; or
// if it collided at some time u by one of the other 7-n cells, while the n were empty, and nothing
// hit them since:
//
//	Z(n) = s(T)^(7-n) e(T)^n
//	     + (1 - s(0)^(7-n)) e(0)^n exp(-n a T)
//	     + integral over u of -d(s^(7-n))/du e(u)^n exp(-n a (T-u)) du
//
// Inclusion and exclusion gives that all of g given cells are set: F(g) = sum of (-1)^n C(g, n)
// Z(n). A non-member is found if all its cells are set, so with columns C1, C2, … that hold g1, g2,
// … of them
//
//	rate = mean over the patterns of F(g1) F(g2) …
//
// A member that came at u has g cells in a column; it was not collided at u, and is not at T, with
// the probability f(g) = (e(u) exp(-a(T-u)))^g s(T)^(7-g). The member is retained with the
// probability (1-f(g1))(1-f(g2))…, as a mean over the patterns, and over the ages of the members at
// T.
//
// # Crowded blocks
//
// The rate is a mean over blocks, and its seventh power makes the crowded ones count. So all the
// above is done for blocks with a given number of arrivals, and then the mean is taken. If all keys
// counted alike, their number would be binomial. They do not: a member that is there sets its bits
// for sure, one that left does so only if its column had collided before it left, and early ones
// make more columns collide than late ones. So the keys fall into six classes: those that are there
// at T, those of time 0 that left, and those that came in the first to fourth quarter of the time
// and left. The numbers of their keys are independent.
//
// The mean is taken over two variables. One is the number of keys that are there. The other is that
// of the keys that left, weighted by influence, which is the slope of the logarithm of the rate
// over the number of a class: it has a binomial distribution of the variance that the weighted sum
// has, and blocks with more of it have more keys of each of the five classes in proportion to its
// influence. A Gauss quadrature of eight nodes for the one and five for the other takes this mean.
// One variable for all six classes is not enough: where a block has a key or two, the rates that it
// gives are up to 36 % too low.
//
// Within a block of n keys a cell is missed with (1-1/W)^n, where exp(-a) stood above, and for the
// pairs of keys in a cell there is a like correction: a part of it that is chosen so that the mean
// over n of s(T) is what it is for a cell that nothing is known about.
//
// # Refreshed blocks
//
// The block of a key grows with its hash, so an owner who can list the members of an interval of
// hashes can clear some blocks and insert these members again. A block that was refreshed is as
// when the table was filled: it has its members, in equilibrium, and nothing is left of those that
// were. Blocks are refreshed in turn, with r re-inserts per insert ([Table.Reinserts]). That is r
// rounds per turnover, so that from the end of the first round on the blocks' ages are spread
// evenly from 0 to 1/r turnovers. Rate, deletable part and collided regions of this steady state
// are the means over the ages of what is derived above. Delete-oldest, a million members, W = 64,
// rates in %:
//
//	bits per key      8     12     16     24      32       48
//	r = 0.25       60.2   32.5   14.8   2.35   0.375   0.0170
//	r = 1          17.5   3.81   0.90  0.085  0.0143  0.00121
//	r = 4          6.72   1.20   0.29  0.034  0.0070  0.00079
//	fresh          4.48   0.81   0.21  0.027  0.0060  0.00071
//
// Against simulations rates are within 10 %, from 0.1 re-inserts per insert on up to 64 bits per
// key and from 0.25 on up to 384; up to 32 bits per key within 4 %, and deletable parts within 1
// point.
//
// # What is approximated
//
// Fresh tables are exact. Under churn three things are not, and tests hold them to simulations:
//
//   - The columns of a key are taken as independent given the block's arrivals. They share the
//     cells of each lane, which is an effect of order 1/W: where the number of keys of a block is
//     no variable, because the table has one block, the deletable part comes out 3 points too low.
//   - When keys come and go within a block is reduced to the two numbers. This costs most where
//     blocks hold very few keys.
//   - The members at a time are taken as a Poisson variable of constant mean; in the simulations
//     their total is constant. This, too, shows only in tables of few keys: a hundred are enough.
//
// Against simulations of both widths and delete-oldest, delete-random and heavy-tailed lifetimes,
// from 0.1 to 30 turnovers, rates are within 3 % from 8 to 32 bits per key; at 64 bits per key
// (where they are near 1e-5, of blocks of four keys at W = 32) within 5 % at W = 64 and 7 % at W =
// 32; and from there to 384 bits per key within 15 %, up to 10 turnovers. Deletable parts are
// within 1 point. Outside this range a prediction is marked: see [HeldMembers]. Rates this small
// cannot be sampled, so that simulations compute them from the bits of a table: as the mean over
// blocks of the product of the seven lanes' fills, which is exact. Four million members that are
// replaced ten times, oldest first, W = 64:
//
//	bits per key            64       128       256       363
//	predicted        0.00420   5.41e-6   1.35e-8   1.46e-9
//	simulated        0.00424   5.56e-6   1.44e-8   1.57e-9
//	standard error     0.2 %     0.3 %     0.5 %     0.7 %
//
// # Means, and single tables
//
// [Prediction.Rate] is a mean over hash keys. How a table's bits come out depends on its hash key,
// and so does the rate that it has: [Prediction.Rate99] is what about 99 of 100 tables are below.
// The derivation is in internal/expected, at Spread. It takes the means of the square and the cube
// of a block's rate. For fresh tables they are exact, given the block's load. Under churn they are
// those of a fresh block of the same mean rate, times what collided columns add: in these more
// cells are set, in all lanes, so that two non-members are found together more often where their
// cells share columns. Of the 49 pairs of one's cell and the other's, 42 are in different lanes,
// and share a column with the probability 1/W. So with F(1) and F(2) as above
//
//	mean of the square *= (1 + (F(2)/F(1)^2 - 1)/W)^42
//
// and the cube has three such pairs of non-members. Where blocks are refreshed, how many are of an
// age is no variable, so that each counts by its distance from the mean rate of its age. At 16 bits
// per key, fresh, Rate99 is 2.0 times Rate for 100 members, 1.25 times for 1,000, 1.07 times for
// 10,000 and 1.006 times for a million. Of simulated tables of 100 and 1,000 members, from 12 to
// 128 bits per key, after 2 and 8 turnovers, 0 to 2.1 % were above it.
//
// # Other encodings
//
// The letter also asks for other regions than ours. docs/decisions/collision-lanes.md has what a
// simulation of several found, with the populations of package simulation.
//
// The letter's own filter, of any numbers of bits, regions and hashes, and its equations are in
// filter/dlbf.
package planning
