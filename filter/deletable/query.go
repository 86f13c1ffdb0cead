//go:build !(goexperiment.simd && amd64 && !amd64.v4 && !purego && !race)

package deletable

import (
	"runtime"

	"github.com/bloomlane/bloomlane/filter/base"
)

// QueryHash reports whether the key with this hash is present. It is true for every member, and for
// a false positive. It does without the check of the stack that panic needs.
//
//go:nosplit
func (f *Filter) QueryHash(hash uint64) bool {
	t := base.Live(&f.Body)
	if t == nil {
		panic(errClosed)
	}
	present := t.blocks.Query(hash)
	runtime.KeepAlive(t)
	return present
}
