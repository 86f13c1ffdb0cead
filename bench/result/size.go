package result

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// The sizes of a table: half of its members are more than a slice, and blocks count in an int.
const (
	minBytes = 16 << 10
	maxBytes = 64 << 30
)

// units are the factors that a size may be written with, the largest first.
var units = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// ParseSize reads a size such as 16KiB or "512 MiB".
func ParseSize(text string) (int64, error) {
	for _, unit := range units {
		number, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
		bytes := n * unit.bytes
		if err != nil || bytes < minBytes || bytes > maxBytes || bits.OnesCount64(uint64(bytes)) != 1 {
			break
		}
		return bytes, nil
	}
	return 0, fmt.Errorf("size %q: want a power of two from %s to %s, such as 16KiB or 2GiB",
		text, FormatSize(minBytes), FormatSize(maxBytes))
}

// FormatSize writes a size as ParseSize reads it.
func FormatSize(bytes int64) string {
	for _, unit := range units {
		if bytes >= unit.bytes && bytes%unit.bytes == 0 {
			return fmt.Sprintf("%d %s", bytes/unit.bytes, unit.name)
		}
	}
	return fmt.Sprintf("%d B", bytes)
}
