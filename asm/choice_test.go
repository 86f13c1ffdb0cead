//go:build amd64 && !purego && unix

package asm

import (
	"math/rand/v2"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
)

// A query goes to the set that is chosen, and answers as the definition does.
func TestQueryHash(t *testing.T) {
	choose := func(t *testing.T, narrow, portable bool) {
		defer func(n, p bool) { Narrow, Portable = n, p }(Narrow, Portable)
		Narrow, Portable = narrow, portable
		random := rand.New(rand.NewPCG(56, 1))
		wide, small := make([][8]uint64, 3), make([][8]uint32, 3)
		for range rounds(4000) {
			h := random.Uint64()
			for _, insert := range []bool{false, true} {
				if insert {
					fallback.Insert(wide, h)
					fallback.Insert(small, h)
				}
				if got, want := QueryHash512(&wide[0], len(wide), h), fallback.Query(wide, h); got != want {
					t.Fatalf("512 bits: %v, want %v", got, want)
				}
				if got, want := QueryHash256(&small[0], len(small), h), fallback.Query(small, h); got != want {
					t.Fatalf("256 bits: %v, want %v", got, want)
				}
			}
			if random.IntN(12) == 0 {
				clear(wide)
				clear(small)
			}
		}
	}
	each(t, func(t *testing.T, s Set) { choose(t, s.Name != "avx512", false) })
	t.Run("portable", func(t *testing.T) { choose(t, true, true) })
}
