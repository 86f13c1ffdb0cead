package fallback

import "math/bits"

// MatchBatch matches a header's block against the masks of many elements, such as a forwarding
// node's ports (LIPSIN: Jokela et al., "LIPSIN: Line Speed Publish/Subscribe Inter-networking",
// SIGCOMM 2009). Bit i of present[i/64] is QueryMask of masks[i], with present and the result as in
// QueryBatch.
func MatchBatch[T Lane](block *[Lanes]T, masks [][Lanes]T, present []uint64) int {
	count := 0
	for word := 0; len(masks) > 0; word++ {
		group := masks[:min(len(masks), wordBits)]
		masks = masks[len(group):]
		var found uint64
		for i := range group {
			var matches uint64
			if QueryMask(block, &group[i]) {
				matches = 1
			}
			found |= matches << i
		}
		count += bits.OnesCount64(found)
		if present != nil {
			present[word] = found
		}
	}
	return count
}
