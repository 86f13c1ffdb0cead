package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
)

// Limits of the text formats.
const (
	maxLine    = 4096    // bytes of a line
	maxEntries = 1 << 24 // different entries of a blocklist or a list of sequences
)

// lines reads the lines of a text that say something: what follows a # is a comment.
type lines struct {
	format  string
	scanner *bufio.Scanner
	number  int // of the current line, from 1
	fields  []string
}

func newLines(format string, r io.Reader) *lines {
	l := &lines{format: format, scanner: bufio.NewScanner(r)}
	l.scanner.Buffer(make([]byte, 0, maxLine), maxLine)
	return l
}

// next reads the fields of the next line that has any. It returns io.EOF after the last.
func (l *lines) next() error {
	for l.scanner.Scan() {
		l.number++
		text, _, _ := strings.Cut(l.scanner.Text(), "#")
		if l.fields = strings.Fields(text); len(l.fields) > 0 {
			return nil
		}
	}
	switch err := l.scanner.Err(); {
	case err == nil:
		return io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		l.number++
		return &Error{l.format, l.where(), "a longer line", fmt.Sprintf("at most %d bytes", maxLine-1), err}
	default:
		return fmt.Errorf("%s, after line %d: %w", l.format, l.number, err)
	}
}

func (l *lines) where() string { return fmt.Sprintf("line %d", l.number) }

// damaged says what is wrong with the current line.
func (l *lines) damaged(found, expected string) error {
	return &Error{l.format, l.where(), found, expected, nil}
}

// word parses a 32-bit word of 8 hex digits.
func word(text string) (uint32, bool) {
	if len(text) != 2*wordBytes {
		return 0, false
	}
	value, err := strconv.ParseUint(text, 16, 32)
	return uint32(value), err == nil
}

// hexWord parses a field as a word.
func (l *lines) hexWord(field string) (uint32, error) {
	value, ok := word(field)
	if !ok {
		return 0, l.damaged(strconv.Quote(field), "8 hex digits")
	}
	return value, nil
}

// Text reads packets from text: a source and a word a line, each of 8 hex digits. Blank lines and
// comments, from # to the end of the line, are skipped. It implements [Packets].
type Text struct {
	lines   *lines
	payload [wordBytes]byte
}

// NewText returns a reader of the text format.
func NewText(r io.Reader) *Text { return &Text{lines: newLines("packets", r)} }

// Next returns the packet of the next line. See [Packets].
func (t *Text) Next() (netip.Addr, []byte, error) {
	if err := t.lines.next(); err != nil {
		return netip.Addr{}, nil, err
	}
	if n := len(t.lines.fields); n != 2 {
		return netip.Addr{}, nil, t.lines.damaged(fmt.Sprintf("%d fields", n), "2: source and word")
	}
	source, err := t.lines.hexWord(t.lines.fields[0])
	if err != nil {
		return netip.Addr{}, nil, err
	}
	value, err := t.lines.hexWord(t.lines.fields[1])
	if err != nil {
		return netip.Addr{}, nil, err
	}
	binary.BigEndian.PutUint32(t.payload[:], value)
	return address(source), t.payload[:], nil
}

// address returns an IPv4 address.
func address(word uint32) netip.Addr {
	var bytes [4]byte
	binary.BigEndian.PutUint32(bytes[:], word)
	return netip.AddrFrom4(bytes)
}

// readList reads different entries, one a line.
func readList[T comparable](format string, r io.Reader, parse func(l *lines) (T, error)) ([]T, error) {
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
// digits. An IPv4-mapped IPv6 address stays what it is. Blank lines, comments and repetitions are
// skipped. Its error is an *[Error], or that of r.
func ReadBlocklist(r io.Reader) ([]netip.Addr, error) {
	return readList("blocklist", r, (*lines).source)
}

// source parses a line of a blocklist.
func (l *lines) source() (netip.Addr, error) {
	const expected = "an IPv4 address, an IPv6 address or 8 hex digits"
	if n := len(l.fields); n != 1 {
		return netip.Addr{}, l.damaged(fmt.Sprintf("%d fields", n), expected)
	}
	if value, ok := word(l.fields[0]); ok {
		return address(value), nil
	}
	source, err := netip.ParseAddr(l.fields[0])
	if err != nil || source.Zone() != "" { // no packet has a zone
		return netip.Addr{}, l.damaged(strconv.Quote(l.fields[0]), expected)
	}
	return source, nil
}

// words returns the fields of the line, those of some words in a row cut into words.
func (l *lines) words() []string {
	var words []string
	for _, field := range l.fields {
		for len(field) > 2*wordBytes && len(field)%(2*wordBytes) == 0 {
			words, field = append(words, field[:2*wordBytes]), field[2*wordBytes:]
		}
		words = append(words, field)
	}
	return words
}

// maxSequence is the number of words in the longest sequence.
const maxSequence = 3

// ReadSequences reads sequences of one to three words of 8 hex digits, one sequence a line, with or
// without spaces between the words, as the bytes of their big-endian words. Blank lines, comments and
// repetitions are skipped. Its error is an *[Error], or that of r.
func ReadSequences(r io.Reader) (sequences [][]byte, err error) {
	list, err := readList("sequences", r, (*lines).sequence)
	for _, sequence := range list {
		sequences = append(sequences, []byte(sequence))
	}
	return sequences, err
}

// sequence parses a line of a list of sequences.
func (l *lines) sequence() (string, error) {
	words := l.words()
	if n := len(words); n > maxSequence {
		return "", l.damaged(fmt.Sprintf("%d words", n), fmt.Sprintf("1 to %d", maxSequence))
	}
	var sequence []byte
	for _, field := range words {
		value, err := l.hexWord(field)
		if err != nil {
			return "", err
		}
		sequence = binary.BigEndian.AppendUint32(sequence, value)
	}
	return string(sequence), nil
}
