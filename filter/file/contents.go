package file

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bloomlane/bloomlane/filter/key"
)

// Contents is what a file holds. To write a file, set the exported fields, and add attributes by
// Set and SetFloat.
type Contents struct {
	Kind       string       // the name of the kind: 1 to 16 of a-z, 0-9 and -
	Promises   uint64       // the promises of the kind, as bits of base.Promise
	Key        key.Identity // that of the hash key, or the zero value for no key
	Attributes []Attribute  // settings and counters, with ascending names other than hash
	Sections   []Section    // the table, each section with a name of its own

	version    uint32  // of the file that was read, or 0
	source     *source // the file, if it is opened and not verified yet
	unverified bool    // opened with VerifyNever
	owner      any     // the memory in which the words lie
}

// Attribute is a number with a name: a setting or a counter of a filter. Names are 1 to 16 of the
// characters a-z, 0-9 and -.
type Attribute struct {
	Name  string
	Value uint64
}

// Section is a part of a filter's table. Names are as in [Attribute].
type Section struct {
	Name  string
	Words []uint64
}

// Version returns the version of the file that the contents were read from, or the one that they are
// written in.
func (c *Contents) Version() int {
	if c.version != 0 {
		return int(c.version)
	}
	return int(versionOf(c.words()))
}

// Set sets an attribute to a value. It adds the attribute if there is none of the name.
func (c *Contents) Set(name string, value uint64) {
	i, found := slices.BinarySearchFunc(c.Attributes, name, byName)
	if found {
		c.Attributes[i].Value = value
		return
	}
	c.Attributes = slices.Insert(c.Attributes, i, Attribute{name, value})
}

// SetFloat sets an attribute to the IEEE 754 bits of a number.
func (c *Contents) SetFloat(name string, value float64) { c.Set(name, math.Float64bits(value)) }

func byName(a Attribute, name string) int { return cmp.Compare(a.Name, name) }

// Uint returns the value of an attribute. If there is no attribute of the name, or if it is not
// from low to high, both included, the error is an *[Error] that wraps [ErrBounds].
func (c *Contents) Uint(name string, low, high uint64) (uint64, error) {
	i, found := slices.BinarySearchFunc(c.Attributes, name, byName)
	if !found {
		return 0, Wrong(ErrBounds, "no "+name, "one")
	}
	value := c.Attributes[i].Value
	if value < low || value > high {
		return 0, Wrong(ErrBounds, name+" "+decimal(value), decimal(low)+" to "+decimal(high))
	}
	return value, nil
}

// Int is Uint for an attribute that is an int.
func (c *Contents) Int(name string, low, high int) (int, error) {
	value, err := c.Uint(name, uint64(low), uint64(high))
	return int(value), err
}

// Float returns the number that SetFloat stored in an attribute. If there is no attribute of the
// name, or if it is not from low to high, both included, the error is an *[Error] that wraps
// [ErrBounds]. Minus zero is none of them.
func (c *Contents) Float(name string, low, high float64) (float64, error) {
	bits, err := c.Uint(name, 0, math.MaxUint64)
	if err != nil {
		return 0, err
	}
	value := math.Float64frombits(bits)
	if !(value >= low && value <= high) || value == 0 && math.Signbit(value) { // NaN fails too
		return 0, Wrong(ErrBounds, name+" "+shortest(value), shortest(low)+" to "+shortest(high))
	}
	return value, nil
}

// WordsOf returns the words of the section with this name. They must be 1 to most groups of group
// words each: if they are not, or if there is no such section, the error is an *[Error] that wraps
// [ErrBounds].
func (c *Contents) WordsOf(name string, group, most int) ([]uint64, error) {
	words, err := c.section(name)
	if err != nil {
		return nil, err
	}
	if n := len(words); n%group != 0 || n == 0 || n/group > most {
		return nil, Wrong(ErrBounds, fmt.Sprintf("a section %s of %d words", name, n),
			fmt.Sprintf("1 to %d times %d", most, group))
	}
	return words, nil
}

func (c *Contents) section(name string) ([]uint64, error) {
	for i := range c.Sections {
		if c.Sections[i].Name == name {
			return c.Sections[i].Words, nil
		}
	}
	return nil, Wrong(ErrBounds, "no section "+name, "one")
}

// Has reports whether there is an attribute of this name.
func (c *Contents) Has(name string) bool {
	_, found := slices.BinarySearchFunc(c.Attributes, name, byName)
	return found
}

// KeepAlive keeps owner, in whose memory the words lie, reachable as long as c is reachable.
func (c *Contents) KeepAlive(owner any) { c.owner = owner }

// Expect returns nil if the contents have this kind, these promises, this number of attributes, and
// sections of these names in this order. Otherwise it returns an *[Error]. A kind that calls it and
// reads each of its attributes knows that the file has nothing else.
func (c *Contents) Expect(kind string, promises uint64, attributes int, sections ...string) error {
	switch {
	case c.Kind != kind:
		return Wrong(ErrKind, "a filter of kind "+c.Kind,
			"a filter of kind "+kind)
	case c.Promises != promises:
		return Wrong(ErrBounds, fmt.Sprintf("promises %#x", c.Promises),
			fmt.Sprintf("%#x", promises))
	case len(c.Attributes) != attributes:
		return Wrong(ErrBounds, decimal(uint64(len(c.Attributes)))+" attributes",
			decimal(uint64(attributes)))
	case !slices.EqualFunc(c.Sections, sections,
		func(s Section, name string) bool { return s.Name == name }):
		names := make([]string, len(c.Sections))
		for i := range names {
			names[i] = c.Sections[i].Name
		}
		return Wrong(ErrBounds, fmt.Sprintf("the sections %v", names), fmt.Sprint(sections))
	}
	return nil
}

// TextWords returns the words of a section that holds a text: its bytes, and zeros up to a whole
// word.
func TextWords(text string) []uint64 {
	b := append([]byte(text), make([]byte, -len(text)&7)...)
	words := make([]uint64, len(b)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words
}

// maxText bounds the bytes that are read of a text, which a file may claim to be a large section.
const maxText = 4096

// TextOf returns the text whose words TextWords returned, the first 4096 bytes of it.
func TextOf(words []uint64) string {
	words = words[:min(len(words), maxText/8)]
	return strings.TrimRight(string(appendWords(nil, words)), "\x00")
}

// Text returns the text that TextWords stored in the section with this name, or "" if there is no
// such section.
func (c *Contents) Text(name string) string {
	words, _ := c.section(name)
	return TextOf(words)
}
