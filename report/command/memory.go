package command

import (
	"os"
	"runtime/debug"
	"runtime/metrics"

	"github.com/bloomlane/bloomlane/internal/hugepage"
)

func init() { hugepage.Possible = possible }

// possible returns how many bytes of memory this program can still take, and what limits them.
func possible() (bytes int64, by string) {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	used := int64(sample[0].Value.Uint64() - sample[1].Value.Uint64())
	bytes, by = debug.SetMemoryLimit(-1)-used, "GOMEMLIMIT"
	for _, limit := range systemLimits(os.DirFS("/"), used) {
		if limit.bytes < bytes {
			bytes, by = limit.bytes, limit.name
		}
	}
	return max(bytes, 0), by
}

// limit is how many bytes of memory something leaves.
type limit struct {
	name  string
	bytes int64
}
