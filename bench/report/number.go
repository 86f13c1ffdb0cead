package report

import (
	"fmt"
	"math"
	"strconv"
)

// nanoseconds writes a time with what digits it is good for, without a unit.
func nanoseconds(ns float64) string {
	switch {
	case ns < 10:
		return strconv.FormatFloat(ns, 'f', 2, 64)
	case ns < 100:
		return strconv.FormatFloat(ns, 'f', 1, 64)
	}
	return strconv.FormatFloat(ns, 'f', 0, 64)
}

// duration writes a time with its unit.
func duration(ns float64) string {
	switch {
	case ns < 999.5:
		return nanoseconds(ns) + " ns"
	case ns < 999.5e3:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	case ns < 999.5e6:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	}
	return fmt.Sprintf("%.3g s", ns/1e9)
}

// times writes a factor: 1.25x, 12.5x, 125x.
func times(factor float64) string { return nanoseconds(factor) + "x" }

// percent writes a share with two digits that count, down to a millionth.
func percent(share float64) string {
	switch p := 100 * share; {
	case p == 0:
		return "0 %"
	case p < 1e-4:
		return fmt.Sprintf("%.1e %%", p)
	case p >= 9.95:
		return fmt.Sprintf("%.1f %%", p)
	default:
		return strconv.FormatFloat(p, 'f', 1-int(math.Floor(math.Log10(p))), 64) + " %"
	}
}

// bits writes a number of bits a key.
func bits(b float64) string { return strconv.FormatFloat(math.Round(b*10)/10, 'f', -1, 64) }

// count writes a number with commas between its thousands.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for at := len(digits) - 3; at > first; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// size writes a number of bytes in the largest binary unit that it is a whole number of, and one that
// is a whole number of none with three digits.
func size(bytes int64) string {
	units := []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}
	for _, unit := range units {
		if bytes >= unit.bytes && bytes%unit.bytes == 0 {
			return fmt.Sprintf("%d %s", bytes/unit.bytes, unit.name)
		}
	}
	for _, unit := range units {
		if bytes >= unit.bytes {
			return fmt.Sprintf("%.3g %s", float64(bytes)/float64(unit.bytes), unit.name)
		}
	}
	return fmt.Sprintf("%d B", bytes)
}

// cache writes the size of a cache, -1 being one that the CPU does not tell.
func cache(bytes int) string {
	if bytes <= 0 {
		return "unknown"
	}
	return size(int64(bytes))
}

// plural writes a number of things; the plural is the singular with an s.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(int64(n)) + " " + thing + "s"
}
