// Package dlbf is the Deletable Bloom Filter as the letter has it (Rothenberg, Macapuna, Verdi and Magalhães,
// "The Deletable Bloom Filter: A New Member of the Bloom Family", IEEE Communications Letters 14(6), 2010), of
// any m, r and k.
//
// An array has m bits. The first r are the collision bitmap. The other m' = m-r are cells, in r regions of
// ⌈m'/r⌉ one after another, of which the last may be short, or have none: with 10 cells and r = 6 regions have
// 2, and the sixth has none. An element has k cells, at random. An insert sets them, and marks the region of
// each that is set already as collided, also where it is the element itself that has set it. An element is
// present where all are set. A delete clears those in regions that are free of collisions.
//
// With r = m' there is a collision bit for each cell.
package dlbf
