package file

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Contents is what a file holds.
type Contents struct {
	Kind        string
	Promises    uint64
	Fingerprint uint64 // of the hash key; 0: none
	Attributes  []Attribute
	Sections    []Section

	// the version of the file that they were read from, where it is an earlier one
	legacy     int
	source     *source // of contents that were opened with a check to come, else nil
	unverified bool    // opened, and not to be checked
	owner      any     // of the words
}

// Attribute is a number of a filter: a setting, or a counter.
type Attribute struct {
	Name  string
	Value uint64
}

// Section is a part of a filter's table.
type Section struct {
	Name  string
	Words []uint64
}

// Version returns the version of the file that the contents were read from, or will be written to.
func (c *Contents) Version() int {
	if c.legacy != 0 {
		return c.legacy
	}
	return Version
}

// Set sets an attribute.
func (c *Contents) Set(name string, value uint64) {
	at, found := slices.BinarySearchFunc(c.Attributes, name, byName)
	if found {
		c.Attributes[at].Value = value
		return
	}
	c.Attributes = slices.Insert(c.Attributes, at, Attribute{name, value})
}

// SetFloat sets an attribute to the bits of a number.
func (c *Contents) SetFloat(name string, value float64) { c.Set(name, math.Float64bits(value)) }

func byName(a Attribute, name string) int { return cmp.Compare(a.Name, name) }

// Uint returns an attribute that is from low to high, ends included. Its error is an *[Error] that
// wraps [ErrBounds], also where there is none of the name.
func (c *Contents) Uint(name string, low, high uint64) (uint64, error) {
	at, found := slices.BinarySearchFunc(c.Attributes, name, byName)
	if !found {
		return 0, Wrong(ErrBounds, "no "+name, "one")
	}
	value := c.Attributes[at].Value
	if value < low || value > high {
		return 0, Wrong(ErrBounds, name+" "+decimal(value), decimal(low)+" to "+decimal(high))
	}
	return value, nil
}

// Int is Uint for an int.
func (c *Contents) Int(name string, low, high int) (int, error) {
	value, err := c.Uint(name, uint64(low), uint64(high))
	return int(value), err
}

// Float returns an attribute that is a number from low to high, ends included. Its error is that of
// Uint.
func (c *Contents) Float(name string, low, high float64) (float64, error) {
	bits, err := c.Uint(name, 0, math.MaxUint64)
	if err != nil {
		return 0, err
	}
	value := math.Float64frombits(bits)
	if !(value >= low && value <= high) { // so written, NaN fails it too
		return 0, Wrong(ErrBounds, name+" "+shortest(value), shortest(low)+" to "+shortest(high))
	}
	return value, nil
}

// WordsOf returns the words of the section with a name, of which there are 1 to most groups of so
// many. Its error is an *[Error] that wraps [ErrBounds].
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

// Has reports whether there is an attribute.
func (c *Contents) Has(name string) bool {
	_, found := slices.BinarySearchFunc(c.Attributes, name, byName)
	return found
}

// KeepAlive keeps owner in reach as long as c is: what the words lie in.
func (c *Contents) KeepAlive(owner any) { c.owner = owner }

// Expect returns an error unless the contents are of a kind with these promises, and have so many
// attributes and these sections, in this order: together with the attributes that the kind asks
// for, nothing else is in the file then. Its error is an *[Error].
func (c *Contents) Expect(kind string, promises uint64, attributes int, sections ...string) error {
	switch {
	case c.Kind != kind:
		return Wrong(ErrKind, "a filter of kind "+c.Kind,
			"a filter of kind "+kind)
	case c.legacy == 0 && c.Promises != promises:
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

// TextWords returns the words of a section that holds a text: its bytes, and zeros up to a word.
func TextWords(text string) []uint64 {
	b := append([]byte(text), make([]byte, -len(text)&7)...)
	words := make([]uint64, len(b)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words
}

// Text returns the text of a section, and "" where there is none of the name.
func (c *Contents) Text(name string) string {
	for _, s := range c.Sections {
		if s.Name == name {
			return strings.TrimRight(string(appendWords(nil, s.Words)), "\x00")
		}
	}
	return ""
}
