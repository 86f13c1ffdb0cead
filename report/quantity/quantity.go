// Package quantity is no API: it formats the numbers of reports for people.
package quantity

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Count formats a number with commas between its thousands.
func Count[T int | int64](n T) string { return humanize.Comma(int64(n)) }

// Of formats a number of things: "1 key", "2000 keys".
func Of(n int, noun string) string {
	return strconv.Itoa(n) + " " +
		english.PluralWord(n, noun, "")
}

// CountOf is Of with commas: "2,000 keys".
func CountOf[T int | int64](n T, noun string) string {
	return Count(n) + " " + english.PluralWord(int(n), noun, "")
}

// Part formats a number of things that need not be whole, with four digits: "1 turnover", "0.25
// turnovers".
func Part(n float64, noun string) string {
	number := strconv.FormatFloat(n, 'g', 4, 64)
	if number == "1" {
		return number + " " + noun
	}
	return number + " " + english.PluralWord(2, noun, "")
}

// Digits formats a positive number with three digits, of which two at most are decimals: "1.25",
// "125".
func Digits(v float64) string {
	decimals := 0
	switch {
	case v < 9.995:
		decimals = 2
	case v < 99.95:
		decimals = 1
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// SI formats a positive number with three digits and the prefix of a unit: "7.00", "12.5 k".
func SI(v float64) string {
	v, prefix := humanize.ComputeSI(v)
	return strings.TrimSuffix(Digits(v)+" "+prefix, " ")
}

// Bytes formats a size in the largest binary unit that it has: "64 KiB", "1.172 MiB".
func Bytes[T int | int64](n T) string {
	size, units := float64(n), []string{"B", "KiB", "MiB", "GiB"}
	for size >= 1024 && len(units) > 1 {
		size, units = size/1024, units[1:]
	}
	return fmt.Sprintf("%.4g %s", size, units[0])
}

// Percent formats a share with three digits: "0.957 %".
func Percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }

// Number formats a number with no more digits than it has, and six at most.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
