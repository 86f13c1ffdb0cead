package parquet

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// clock is how a column has points in time as numbers.
type clock struct {
	digits int  // of a second after the point: 3, 6 or 9, and 0 for dates
	utc    bool // whether they are instants, and not what a clock somewhere shows
}

const (
	secondsPerDay = 24 * 60 * 60
	dateLayout    = "2006-01-02"
	timeLayout    = "15:04:05"
)

// momentText is a date and a time, as RFC 3339 has them. Years of more than 9 digits are out of the
// range of every column.
var momentText = regexp.MustCompile(`^(-?\d{4,9})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)` +
	`(?:\.(\d+))?(?:(Z)|([+-])(\d\d)(?::?(\d\d))?)?$`)

// parse returns the number of a date and a time: 10^digits per second, since 1970. The zone must be
// there if the column has instants, and must not otherwise. Years before 1 are 0, -0001 and so on.
func (c clock) parse(text string) (int64, error) {
	part := momentText.FindStringSubmatch(text)
	if part == nil {
		return 0, strconv.ErrSyntax
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(part[i]) // at most 9 digits, or none
		return n
	}
	t := time.Date(number(1), time.Month(number(2)), number(3), number(4), number(5), number(6), 0,
		time.UTC)
	whole := t.Format(dateLayout + "T" + timeLayout)
	fraction := strings.TrimRight(part[7], "0")
	zone := part[8] + part[9]
	if whole != strings.Replace(text[:min(len(whole), len(text))], " ", "T", 1) ||
		len(fraction) > c.digits || (zone != "") != c.utc || number(10) > 23 || number(11) > 59 {
		return 0, strconv.ErrSyntax
	}
	seconds := int64(number(10)*3600 + number(11)*60)
	if zone == "-" {
		seconds = -seconds
	}
	return c.number(t.Unix()-seconds, fraction+strings.Repeat("0", c.digits-len(fraction)))
}

// number returns the number of seconds and a fraction of as many digits as c has.
func (c clock) number(seconds int64, fraction string) (int64, error) {
	unit := int64(1)
	for range c.digits {
		unit *= 10
	}
	part, _ := strconv.ParseInt("0"+fraction, 10, 64)
	if seconds < 0 && part > 0 { // so that no product is out of range if the sum is not
		seconds, part = seconds+1, part-unit
	}
	n := seconds * unit
	if sum := n + part; n/unit == seconds && (sum < n) == (part < 0) {
		return sum, nil
	}
	return 0, strconv.ErrRange
}

// time returns the time of a number.
func (c clock) time(n int64) time.Time {
	switch c.digits {
	case 3:
		return time.UnixMilli(n).UTC()
	case 6:
		return time.UnixMicro(n).UTC()
	}
	return time.Unix(0, n).UTC()
}

// example returns the number of a time with all digits.
func (c clock) example() int64 {
	n, _ := c.number(1136214245, "123456789"[:c.digits]) // Go's 2006-01-02T15:04:05, in UTC
	return n
}

// append appends the time of a number in a layout, with a fraction as long as needed.
func (c clock) append(b []byte, n int64, layout string) []byte {
	b = c.time(n).AppendFormat(b, layout+".999999999")
	if c.utc {
		b = append(b, 'Z')
	}
	return b
}

// parseDate returns the number of days since 1970-01-01.
func parseDate(text string) (int32, error) {
	seconds, err := clock{}.parse(text + "T00:00:00")
	days := seconds / secondsPerDay
	if err == nil && days != int64(int32(days)) {
		err = strconv.ErrRange
	}
	return int32(days), err
}

func appendDate(b []byte, days int32) []byte {
	return time.Unix(int64(days)*secondsPerDay, 0).UTC().AppendFormat(b, dateLayout)
}

// parseTime returns the number of a time of day, which is from 00:00:00 to before 24:00:00.
func (c clock) parseTime(text string) (int64, error) {
	n, err := c.parse("1970-01-01T" + text)
	if day, _ := c.number(secondsPerDay, ""); err == nil && (n < 0 || n >= day) {
		err = strconv.ErrRange
	}
	return n, err
}
