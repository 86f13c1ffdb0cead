package capture

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/internal/lists"
)

// Limits of the text formats.
const (
	maxLine    = 4096    // bytes of a line
	maxEntries = 1 << 24 // different entries of a blocklist or a list of sequences
)

// lines reads the lines of a text that say something: what follows a # is a comment.
type lines struct {
	format string
	list   *lists.Reader
	fields []string
}

func newLines(format string, r io.Reader) *lines {
	l := &lines{format: format, list: lists.New(maxLine-1, lists.Form{Trim: true})}
	l.list.Reset(r, nil)
	return l
}

// next reads the fields of the next line that has any. It returns io.EOF after the last.
func (l *lines) next() error {
	for {
		line, err := l.list.Next()
		var wrong *lists.Error
		switch {
		case errors.As(err, &wrong):
			return &Error{l.format, l.where(), wrong.Found, wrong.Expected, err}
		case err != nil && err != io.EOF:
			return fmt.Errorf("%s, %s: %w", l.format, l.where(), err)
		case err != nil:
			return err
		}
		text, _, _ := strings.Cut(string(line), "#")
		if l.fields = strings.Fields(text); len(l.fields) > 0 {
			return nil
		}
	}
}

func (l *lines) where() string { return fmt.Sprintf("line %d", l.list.Line) }

// damaged says what is wrong with the current line.
func (l *lines) damaged(found, expected string) error {
	return &Error{l.format, l.where(), found, expected, nil}
}

// words parses a field of one word of 8 hex digits, or of some that follow each other.
func (l *lines) words(field string, most int) ([]byte, error) {
	bytes, err := hex.DecodeString(field)
	if err != nil || len(bytes)%wordBytes != 0 || len(bytes) > most*wordBytes {
		return nil, l.damaged(strconv.Quote(field), "8 hex digits")
	}
	return bytes, nil
}

// Text reads packets from text: a source and a word a line, each of 8 hex digits. Blank lines and
// comments, from # to the end of the line, are skipped. It implements [Packets].
type Text struct{ lines *lines }

// NewText returns a reader of the text format.
func NewText(r io.Reader) *Text { return &Text{newLines("packets", r)} }

// Next returns the packet of the next line. See [Packets].
func (t *Text) Next() (source netip.Addr, payload []byte, err error) {
	l := t.lines
	if err := l.next(); err != nil {
		return source, nil, err
	}
	if n := len(l.fields); n != 2 {
		return source, nil, l.damaged(fmt.Sprintf("%d fields", n), "2: source and word")
	}
	word, err := l.words(l.fields[0], 1)
	if err != nil {
		return source, nil, err
	}
	payload, err = l.words(l.fields[1], 1)
	return netip.AddrFrom4([4]byte(word)), payload, err
}

// readList reads different entries, one a line.
func readList[T comparable](
	format string,
	r io.Reader,
	parse func(l *lines) (T, error),
) ([]T, error) {
	l := newLines(format, r)
	var list []T
	seen := map[T]bool{}
	for {
		if err := l.next(); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		entry, err := parse(l)
		switch {
		case err != nil:
			return nil, err
		case seen[entry]:
			continue
		case len(list) == maxEntries:
			return nil, l.damaged("one more entry", fmt.Sprintf("at most %d", maxEntries))
		}
		seen[entry] = true
		list = append(list, entry)
	}
}

// ReadBlocklist reads sources, one a line: an IPv4 or IPv6 address, or an IPv4 address as 8 hex
// digits. Blank lines, comments and repetitions are skipped. Its error is an *[Error], or that of
// r.
func ReadBlocklist(r io.Reader) ([]netip.Addr, error) {
	return readList("blocklist", r, (*lines).source)
}

// source parses a line of a blocklist.
func (l *lines) source() (netip.Addr, error) {
	const expected = "an IPv4 address, an IPv6 address or 8 hex digits"
	if n := len(l.fields); n != 1 {
		return netip.Addr{}, l.damaged(fmt.Sprintf("%d fields", n), expected)
	}
	if word, err := l.words(l.fields[0], 1); err == nil {
		return netip.AddrFrom4([4]byte(word)), nil
	}
	source, err := netip.ParseAddr(l.fields[0])
	if err != nil || source.Zone() != "" { // no packet has a zone
		return netip.Addr{}, l.damaged(strconv.Quote(l.fields[0]), expected)
	}
	return source, l.unmapped(netip.PrefixFrom(source, source.BitLen()))
}

// unmapped returns an error for prefixes that write IPv4 as IPv6: no packet of IPv4 is in them. All
// IPv4-mapped addresses together are a prefix of IPv6.
func (l *lines) unmapped(p netip.Prefix) error {
	const mapped = 96
	if !p.Addr().Is4In6() || p.Bits() == mapped {
		return nil
	}
	ipv4 := netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped)
	expected := ipv4.String()
	if ipv4.IsSingleIP() {
		expected = ipv4.Addr().String()
	}
	return l.damaged(strconv.Quote(l.fields[0]), expected)
}

// ReadPrefixes reads addresses and prefixes of IPv4 and IPv6, one a line, and returns them sorted.
// An address is the prefix of its length. Blank lines, comments, which begin with # or ;, and
// repetitions are skipped. Its error is an *[Error], or that of r.
func ReadPrefixes(r io.Reader) ([]netip.Prefix, error) {
	l := newLines("list", r)
	var list []netip.Prefix
	for {
		if err := l.next(); err == io.EOF {
			slices.SortFunc(list, netip.Prefix.Compare)
			return slices.Compact(list), nil
		} else if err != nil {
			return nil, err
		}
		p, err := l.prefix()
		switch {
		case err != nil:
			return nil, err
		case !p.IsValid():
			continue
		case len(list) == maxEntries:
			return nil, l.damaged("one more entry", fmt.Sprintf("at most %d", maxEntries))
		}
		list = append(list, p)
	}
}

// prefix parses a line of a list. It is not valid if all of the line is a comment.
func (l *lines) prefix() (netip.Prefix, error) {
	const expected = "an address or a prefix, such as 192.0.2.1, 198.51.100.0/24 or 2001:db8::/32"
	text, _, commented := strings.Cut(l.fields[0], ";")
	if text == "" && commented {
		return netip.Prefix{}, nil
	}
	if n := len(l.fields); n != 1 && !commented && !strings.HasPrefix(l.fields[1], ";") {
		return netip.Prefix{}, l.damaged(fmt.Sprintf("%d fields", n), expected)
	}
	a, err := netip.ParseAddr(text)
	p := netip.PrefixFrom(a, a.BitLen())
	if err != nil || a.Zone() != "" { // no packet has a zone
		p, err = netip.ParsePrefix(text)
	}
	switch {
	case err != nil:
		return netip.Prefix{}, l.damaged(strconv.Quote(l.fields[0]), expected)
	case p != p.Masked(): // which of the two is meant?
		return netip.Prefix{}, l.damaged(p.String(), p.Masked().String()+" or an address")
	}
	return p, l.unmapped(p)
}

// maxSequence is the number of words in the longest sequence.
const maxSequence = 3

// ReadSequences reads sequences of one to three words of 8 hex digits, one sequence a line, with or
// without spaces between the words, as the bytes of their big-endian words. Blank lines, comments
// and repetitions are skipped. Its error is an *[Error], or that of r.
func ReadSequences(r io.Reader) (sequences [][]byte, err error) {
	list, err := readList("sequences", r, (*lines).sequence)
	for _, sequence := range list {
		sequences = append(sequences, []byte(sequence))
	}
	return sequences, err
}

// sequence parses a line of a list of sequences.
func (l *lines) sequence() (string, error) {
	var sequence []byte
	for _, field := range l.fields {
		words, err := l.words(field, maxLine)
		if err != nil {
			return "", err
		}
		sequence = append(sequence, words...)
	}
	if n := len(sequence) / wordBytes; n > maxSequence {
		return "", l.damaged(fmt.Sprintf("%d words", n), fmt.Sprintf("1 to %d", maxSequence))
	}
	return string(sequence), nil
}
