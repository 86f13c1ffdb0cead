package result

import (
	"fmt"
	"math/bits"

	"github.com/dustin/go-humanize"
)

// ParseSize reads the size of a table, such as 16KiB or "512 MiB": half of its members are more than a slice,
// and blocks count in an int.
func ParseSize(text string) (int64, error) {
	bytes, err := humanize.ParseBytes(text)
	if err != nil || bytes < 16<<10 || bytes > 64<<30 || bits.OnesCount64(bytes) != 1 {
		return 0, fmt.Errorf("size %q: want a power of two from 16 KiB to 64 GiB, such as 16KiB or 2GiB", text)
	}
	return int64(bytes), nil
}
