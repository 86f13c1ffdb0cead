//go:build goexperiment.simd && amd64 && !amd64.v4 && !purego && !race

package deletable

import (
	"runtime"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// QueryHash reports whether the key with this hash is present. It is true for every member, and for
// a false positive. It does without the check of the stack that panic needs. With AVX-512 it is one
// call: Go's own vectors are inlined.
//
//go:nosplit
func (f *Filter) QueryHash(hash uint64) bool {
	t := base.Live(&f.Body)
	if t == nil {
		panic(errClosed)
	}
	var present bool
	if dispatch.Vectors() {
		block := &t.blocks[fallback.Index(hash, uint64(len(t.blocks)))]
		present = dispatch.InBlock512((*[fallback.Lanes]uint64)(block), hash)
	} else {
		present = t.blocks.Query(hash)
	}
	runtime.KeepAlive(t)
	return present
}
