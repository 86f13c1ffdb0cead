package floor

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bloomlane/bloomlane/asm"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/kernel"
)

// What the prefetch distance does to batches and to the bare loops, by table:
// docs/decisions/prefetch-distance.md has what came of it on some machines. Rounds are interleaved,
// and the least time of each is printed.
func BenchmarkDistance(b *testing.B) {
	const keys, rounds = 1 << 17, 12
	distances := []int{16, 32, 64, 96, 128, 192, 256, 512}
	hashes := make([]uint64, keys+distances[len(distances)-1])
	present, status := make([]uint64, keys/64), make([]uint8, keys)
	var nothing [8]uint64
	rng := rand.New(rand.NewPCG(1, 2))
	fmt.Printf("ns per key; distances %d\n", distances)
	for _, mib := range []int{4, 16, 64, 512, 2048} {
		table := dispatch.Lanes(kernel.NewTable512(mib << 20 / 64))
		for i := range table {
			table[i][1] = 1
		}
		first, n := &table[0], len(table)
		for i, set := range asm.Sets {
			if set.Name != dispatch.Active().String() {
				continue
			}
			best := func(run func(distance int)) (least []float64) {
				least = make([]float64, len(distances))
				for round := range rounds {
					for i, distance := range distances {
						for i := range hashes {
							hashes[i] = rng.Uint64()
						}
						start := time.Now()
						run(distance)
						if took := float64(time.Since(start).Nanoseconds()) / keys; round == 0 ||
							took < least[i] {
							least[i] = took
						}
					}
				}
				return least
			}
			show := func(name string, least []float64) {
				// b.Log shows ten lines and no more
				fmt.Printf("%4d MiB %-7s %5.2f\n", mib, name, least)
			}
			ours, bare := set.W512, Sets[i].W512
			show("load", best(func(d int) { bare.Load(first, n, &hashes[0], keys, keys, d) }))
			show("query",
				best(func(d int) {
					ours.QueryBatch(first, n, &hashes[0], keys, keys,
						d, &present[0])
				}))
			show("rewrite",
				best(func(d int) { bare.Rewrite(first, n, &hashes[0], keys, keys, d, &nothing) }))
			show("insert",
				best(func(d int) {
					ours.InsertBatch(first, n, &hashes[0], keys, keys,
						d, &present[0])
				}))
			show("delete",
				best(func(d int) {
					ours.DeleteBatch(first, n, &hashes[0], keys, keys, d,
						&status[0])
				}))
		}
	}
}
