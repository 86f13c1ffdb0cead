// Package quantity formats the numbers of reports for people.
package quantity

import (
	"fmt"
	"strconv"
)

// Count formats a number with commas between its thousands.
func Count(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Rate formats a rate with three digits, in thousands or millions where it is that high.
func Rate(rate float64) string {
	switch {
	case rate >= 999.5e3:
		return fmt.Sprintf("%.3g M", rate/1e6)
	case rate >= 999.5:
		return fmt.Sprintf("%.3g k", rate/1e3)
	}
	return fmt.Sprintf("%.3g", rate)
}
