package fallback

// Status is the result of a delete.
type Status = uint8

// The values of Status, the same in Go, in assembly and in RTL.
const (
	Absent   Status = 0 // the key was not present; nothing was touched
	Retained Status = 1 // every bit of the key lies in a collided region: it stays visible
	Deleted  Status = 2 // at least one bit was cleared
)

// DeleteMask clears those data bits of mask that lie in collision-free regions of block, if all of
// its data bits are set; if one is not, it touches nothing. The mask's own collision lane is
// ignored. An empty mask is present, and Retained.
func DeleteMask[T Lane](block, mask *[Lanes]T) Status {
	data := *mask
	data[0] = 0
	if !QueryMask(block, &data) {
		return Absent
	}
	var cleared T
	for lane := CollisionLanes; lane < Lanes; lane++ {
		free := data[lane] &^ block[0]
		block[lane] &^= free
		cleared |= free
	}
	if cleared == 0 {
		return Retained
	}
	return Deleted
}

// Delete deletes the hash h: DeleteMask of its block and its mask.
func Delete[T Lane](table [][Lanes]T, h uint64) Status {
	if !Query(table, h) {
		return Absent
	}
	block, g := &table[Index(h, uint64(len(table)))], Spread(h)
	free := ^block[0]
	m1, m2, m3, m4 := own[T](g, 1)&free, own[T](g, 2)&free, own[T](g, 3)&free, own[T](g, 4)&free
	m5, m6, m7 := own[T](g, 5)&free, own[T](g, 6)&free, own[T](g, 7)&free
	if m1|m2|m3|m4|m5|m6|m7 == 0 {
		return Retained
	}
	block[1] &^= m1
	block[2] &^= m2
	block[3] &^= m3
	block[4] &^= m4
	block[5] &^= m5
	block[6] &^= m6
	block[7] &^= m7
	return Deleted
}

// DeleteBatch deletes the hashes one after another. status[i] is the status of hashes[i]; status
// may be nil. It returns the number that were Deleted.
func DeleteBatch[T Lane](table [][Lanes]T, hashes []uint64, status []Status) int {
	deleted := 0
	for start := 0; start < len(hashes); start += wordBits {
		group := hashes[start:min(start+wordBits, len(hashes))]
		fetch(table, group)
		for i, h := range group {
			s := Delete(table, h)
			if s == Deleted {
				deleted++
			}
			if status != nil {
				status[start+i] = s
			}
		}
	}
	return deleted
}
