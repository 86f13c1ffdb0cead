// Package a2 is the A² filter, for sliding windows: whether a stream had a key lately (Yoon, "Aging
// Bloom Filter with Two Active Buffers for Dynamic Sets", IEEE Transactions on Knowledge and Data
// Engineering 22(1), 2010). The equations are numbered here; they are not the paper's numbers.
//
// Two buffers share the memory, a plain Bloom filter each, and a key is present where either has
// it. An insert goes to the first buffer, unless that shows the key already: then it is not
// counted. So a key that only the second shows is inserted into the first again, and stays. Where
// the first has n_a keys and another comes, the second is cleared, and the two change places: a
// turn.
//
// # The window
//
// After its last insert, with which the first buffer has c keys, a key is present for 2 n_a - c
// other keys, and the next takes it away: between n_a and 2 n_a - 1 others, (3 n_a - 1)/2 in the
// mean. Other keys are different ones that the first buffer does not show when they come. So this
// holds without exception:
//
//   - A key is present while at most n_a other keys were inserted after its last insert, however
//     often they were. Nothing is random in that: an insert that is skipped for a false positive is
//     of a key whose bits are set in the first buffer, and these stay as long as those of a key
//     that is inserted.
//
// And a key is gone after 2 n_a others, except for false positives: of itself, and of others, which
// do not count. A query changes nothing; to have a key stay because it was asked for, insert it.
// [Config.Members] is n_a, and a member is a key of the window. Time does not matter: a window of
// keys is one of seconds for a steady stream only.
//
// # Theory
//
// With f_b(x) the rate of a plain filter of m/2 bits with x keys and f_a that of a full one, the
// rate f is highest when both buffers are full:
//
//	f    = 1 - (1-f_a)^2                                                 (1)
//	f_a  = 1 - √(1-f), about f/2                                         (2)
//	k_a  = log2(1/f_a), of the fewest bits                               (3)
//	m    = 2 n_a log2(1/f_a) / ln 2                                      (4)
//	n_a  = x_a - ∫ f_b(x) dx from 0 to x_a                               (5)
//	mean = 1 - (1-f_a) (1 - ∫ f_b(x) dx / x_a), over a turn              (6)
//
// Equations 3 and 4 are those of any Bloom filter with half of its bits set: of a buffer of m/2
// bits. [Config] does not round them, but searches for the k of the lowest rate and the smallest m,
// with the rate of package plain. By equation 5, x_a keys come until n_a are counted, because false
// positives are not: 0.07 % more of them at a rate of 1 %, and 13 % more at 50 %. Tests hold
// equations 1 to 6 to filters of random keys.
//
// # Size
//
// For a window of a million keys, with the best k_a:
//
//	rate                   5 %    1 %  0.1 %  0.01 %  0.001 %
//	bits per key         15.40  22.08  31.64   41.23    50.82
//	k_a                      5      8     11      14       18
//	mean over a turn, %   3.05   0.58  0.056  0.0055  0.00054
//
//	bits per key             8     10     12     16     20     24     32
//	false positives, %    30.0   18.6   11.3   4.34   1.64  0.629  0.0918
//	k_a                      3      3      4      6      7      8      11
//
// Double buffering (Chang, Feng and Li, "Approximate Caches for Packet Classification", INFOCOM
// 2004) has two buffers too, and asks only the active one. From its half on the other gets the same
// keys, and it is the active one when the first is full and cleared. Of n_d keys a buffer it keeps
// a key for n_d/2 to n_d - 1 others:
//
//	m       = 2 n_d log2(1/f) / ln 2                                     (7)
//	n_a / (n_d/2) = 2 log2(1/f) / log2(1/f_a)                            (8)
//
// For equal bits the window that is certain is 1.63 times as long at a rate of 5 %, 1.74 times at 1
// % and 1.82 times at 0.1 %; for equal windows that is how many times the memory it takes. A
// simulation of both finds 1.64, 1.74 and 1.82. A plain filter that is cleared when it is full has
// no window that is certain.
//
// # Time
//
// Both buffers have a key's bits at the same positions, and their words alternate: so the second
// costs no cache line of its own. Beside a plain filter of as many bits, 16 per key, whose k is 11
// where k_a is 6 (ns per key, least of 70 runs on an Intel Xeon of 2 cores with AVX-512, a shared
// host, at commit bb15598):
//
//	                                20 kB: plain   a2  ratio    8 MiB: plain   a2  ratio
//	query, single, a non-member             15.7  20.0  1.27            30.2  43.5  1.44
//	query, batch, non-members                7.2   9.5  1.31            17.5  26.1  1.49
//	query, batch, members                   16.9  17.0  1.01            20.9  26.0  1.24
//	insert, batch                           21.0  17.7  0.84            49.6  45.4  0.92
//
// No other Go module is known to have this filter. The plain filter of these bits has 0.046 % of
// false positives and forgets nothing; this one has 4.34 %.
//
// A turn clears half of the memory at once, within one insert; shared out it is half of the bits
// per key an insert.
//
// # When to prefer another kind
//
//   - Package plain, and its Reset, where nothing has to stay over the end of an interval.
//   - Package rolling with Expire, where keys of the window are deleted too; a query reads a cache
//     line a generation.
//   - Where keys leave one by one when their owner says so: packages deletable, cuckoo and
//     counting.
//
// Two filters do not merge: of two streams there is no one order of keys.
package a2
