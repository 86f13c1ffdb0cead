package elastic

import "math"

// aleph is the memory and the rate of an Aleph filter of random hashes, by formula: Dayan, Bercea
// and Pagh, "Aleph Filter: To Infinity in Constant Time", PVLDB 17(11), 2024. Its paper is at hand
// as an abstract, so the formulas are those of its authors' code, nivdayan/AlephFilter at commit
// 3e1aa5f, in its fixed width; [TestAleph] has what that code was measured to do.
//
//   - A table of 2^log slots has 2 log slots behind them, each with field + 3 bits
//     (QuotientFilter.java). It doubles where 0.8 of the slots are used.
//   - A member that is inserted into 2^log slots keeps log + field - 1 bits of its hash: the slot
//     tells log of them, and one bit of the field says where its fingerprint ends. A doubling moves
//     one bit from the fingerprint to the slot, so that as many remain (BasicInfiniFilter.java). A
//     non-member is found where one has the same bits.
//
// That is for field - 2 doublings at most: then the first members have no fingerprint left, are in
// several slots, and need a second table to be deleted.
type aleph struct{ log, field int }

// grown returns the bits and the rate with n members.
func (a aleph) grown(n int) (bits, rate float64) {
	const full = 0.8
	log, before, absent := float64(a.log), 0., 0.
	for {
		end := math.Floor(full * math.Exp2(log))
		last := float64(n) < end
		absent += (min(end, float64(n)) - before) * math.Log1p(-math.Exp2(-log-float64(a.field)+1))
		if last {
			return (math.Exp2(log) + 2*log) * float64(a.field+3), -math.Expm1(absent)
		}
		log, before = log+1, end
	}
}

// alephFor returns the one of the shortest fields that has a rate with some members at most, and
// room for the least number before it doubles.
func alephFor(least, most int, rate float64) aleph {
	a := aleph{log: 1, field: 2}
	for float64(least) >= 0.8*math.Exp2(float64(a.log)) {
		a.log++
	}
	for {
		if _, found := a.grown(most); found <= rate {
			return a
		}
		a.field++
	}
}
