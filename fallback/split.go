package fallback

import "math/bits"

// Parquet's split block has eight lanes of 32 bits and no collision lane. A key owns one bit in
// each lane. There is no delete. Its hashes, indexes and masks are those of the Parquet format
// ("Parquet Bloom Filter", BloomFilter.md of apache/parquet-format), and not those of the format
// above.
const (
	salt0 = 0x47b6137b
	salt1 = 0x44974d91
	salt2 = 0x8824ad5b
	salt3 = 0xa2b7289d
	salt4 = 0x705495c7
	salt5 = 0x2df1424b
	salt6 = 0x9efc4947
	salt7 = 0x5c6bfb31
)

// Salts are the factors that bring a key's position in each lane to the top of 32 bits, SaltShift
// bits high.
var Salts = [Lanes]uint32{salt0, salt1, salt2, salt3, salt4, salt5, salt6, salt7}

// SaltShift is the shift to the right that makes a position of a salted key.
const SaltShift = 32 - 5

// IndexSplit returns the block, of a table of nblocks < 2^32, that the hash h belongs to: its upper
// half chooses the block, its lower half the bits.
func IndexSplit(h, nblocks uint64) uint64 { return h >> 32 * nblocks >> 32 }

// MaskSplit returns the eight bits of the lower half of a hash as a block.
func MaskSplit(key uint32) (mask [Lanes]uint32) {
	for lane, salt := range Salts {
		mask[lane] = 1 << (key * salt >> SaltShift)
	}
	return mask
}

// QueryKeySplit reports whether every bit of MaskSplit is set in the block of a hash. Like Query it
// has no branch.
func QueryKeySplit(block *[Lanes]uint32, key uint32) bool {
	if Race {
		loaded := LoadBlock(block)
		block = &loaded
	}
	all := block[0] >> (key * salt0 >> SaltShift)
	all &= block[1] >> (key * salt1 >> SaltShift)
	all &= block[2] >> (key * salt2 >> SaltShift)
	all &= block[3] >> (key * salt3 >> SaltShift)
	all &= block[4] >> (key * salt4 >> SaltShift)
	all &= block[5] >> (key * salt5 >> SaltShift)
	all &= block[6] >> (key * salt6 >> SaltShift)
	all &= block[7] >> (key * salt7 >> SaltShift)
	return all&1 != 0
}

// InsertKeySplit sets the bits of MaskSplit in the block of a hash and reports whether all were set
// before.
func InsertKeySplit(block *[Lanes]uint32, key uint32) bool {
	var missing uint32
	for lane, bit := range MaskSplit(key) {
		missing |= bit &^ block[lane]
		block[lane] |= bit
	}
	return missing == 0
}

// QuerySplit is QueryKeySplit of the hash h, and InsertSplit is InsertKeySplit.
func QuerySplit(table [][Lanes]uint32, h uint64) bool {
	return QueryKeySplit(&table[IndexSplit(h, uint64(len(table)))], uint32(h))
}

func InsertSplit(table [][Lanes]uint32, h uint64) bool {
	return InsertKeySplit(&table[IndexSplit(h, uint64(len(table)))], uint32(h))
}

// QueryBatchSplit is QuerySplit of the hashes one after another, with present and the result as in
// QueryBatch.
func QueryBatchSplit(table [][Lanes]uint32, hashes, present []uint64) int {
	return batchSplit(table, hashes, present, false)
}

// InsertBatchSplit is InsertSplit of the hashes one after another, with present and the result as
// in InsertBatch.
func InsertBatchSplit(table [][Lanes]uint32, hashes, present []uint64) int {
	return batchSplit(table, hashes, present, true)
}

func batchSplit(table [][Lanes]uint32, hashes, present []uint64, insert bool) int {
	count := 0
	for word := 0; len(hashes) > 0; word++ {
		group := hashes[:min(len(hashes), wordBits)]
		hashes = hashes[len(group):]
		fetch(table, group) // by Index, which is seldom another, and then the next
		var found uint64
		for i, h := range group {
			var present bool
			if insert {
				present = InsertSplit(table, h)
			} else {
				present = QuerySplit(table, h)
			}
			var bit uint64
			if present {
				bit = 1
			}
			found |= bit << (i & 63)
		}
		count += bits.OnesCount64(found)
		if present != nil {
			present[word] = found
		}
	}
	return count
}

// AddBatchSplit inserts the hashes without an answer.
func AddBatchSplit(table [][Lanes]uint32, hashes []uint64) {
	for len(hashes) > 0 {
		group := hashes[:min(len(hashes), wordBits)]
		hashes = hashes[len(group):]
		fetch(table, group)
		for _, h := range group {
			InsertSplit(table, h)
		}
	}
}

// MergeSplit merges the table other, of the same length, into table: the union of their bits.
func MergeSplit(table, other [][Lanes]uint32) {
	other = other[:len(table)]
	for i := range table {
		for lane := range table[i] {
			table[i][lane] |= other[i][lane]
		}
	}
}
