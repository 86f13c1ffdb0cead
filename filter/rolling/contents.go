package rolling

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
)

// The attributes of a file of this kind. It also has a section per live generation: table-0 is the
// oldest. Free tables are empty and not in the file.
const (
	kindName = "rolling"

	attributeMembers     = "members" // the planned number at a time
	attributeGenerations = "generations"
	attributeCapacity    = "capacity"
	attributeBlocks      = "blocks" // blocks per table
	attributeRate        = "planned-rate"
	attributeRate99      = "planned-rate-99"
	attributeExpire      = "expire" // 0 or 1
	attributeLast        = "last-number"
	attributes           = 14 // these, and the counters

	sectionGenerations = "generations" // number, inserts, left of each live one, the oldest first
	generationWords    = 3

	// maxNumber is the highest number of a generation in a file that is read: no ring opens as many
	// generations again, so that what it writes can be read.
	maxNumber = math.MaxInt64 / 2
)

// numbers returns the counters by their names in a file.
func (c *counters) numbers() map[string]*uint64 {
	return map[string]*uint64{
		"inserts": &c.inserts, "moved": &c.moved, "deleted": &c.deleted, "retained": &c.retained,
		"expired": &c.expired, "retired": &c.retired,
	}
}

func tableName(i int) string { return fmt.Sprintf("table-%d", i) }

// Contents returns what a file of the filter holds: see [filter.Content]. It has everything except
// the hash key and the source of stragglers.
func (f *Filter) Contents() (*file.Contents, error) {
	r := base.Held(&f.Life)
	if r == nil {
		return nil, filter.ErrClosed
	}
	c := &file.Contents{Kind: kindName, Promises: uint64(r.promises()),
		Key: base.Identity(&f.Life)}
	c.Set(attributeMembers, uint64(r.members))
	c.Set(attributeGenerations, uint64(r.shape.Generations))
	c.Set(attributeCapacity, uint64(r.shape.Capacity))
	c.Set(attributeBlocks, uint64(r.shape.Blocks))
	c.SetFloat(attributeRate, r.planned.mean)
	c.SetFloat(attributeRate99, r.rate99())
	c.Set(attributeExpire, 0)
	if r.expire {
		c.Set(attributeExpire, 1)
	}
	c.Set(attributeLast, uint64(r.last))
	for name, value := range r.counters.numbers() {
		c.Set(name, *value)
	}
	var state []uint64
	for i := range r.live {
		g := &r.live[i]
		state = append(state, uint64(g.number), uint64(g.inserts), uint64(g.left))
		c.Sections = append(c.Sections, file.Section{Name: tableName(i), Words: g.table.Words()})
	}
	c.Sections = append(c.Sections, file.Section{Name: sectionGenerations, Words: state})
	c.KeepAlive(r)
	return c, nil
}

// Decode returns the filter whose file has these contents, with its key k. The filter uses the
// words of the contents as its memory. With [key.Unknown] it takes hashes only. Set a source of
// stragglers by [Filter.SetStragglers]. The error is a *[file.Error].
func Decode(c *file.Contents, k key.Key) (*Filter, error) {
	k, err := base.FileKey(c, k)
	if err != nil {
		return nil, err
	}
	r := &ring{contents: c}
	if err := r.decode(c); err != nil {
		return nil, err
	}
	return filterOf(r, k, c.Key), nil // also without the key
}

func (r *ring) decode(c *file.Contents) error {
	if c.Kind != kindName {
		return c.Expect(kindName, 0, attributes)
	}
	if err := r.decodePlan(c); err != nil {
		return err
	}
	state, err := c.WordsOf(sectionGenerations, generationWords, r.shape.Generations)
	if err != nil {
		return err
	}
	live := len(state) / generationWords
	var names []string
	for i := range live {
		names = append(names, tableName(i))
	}
	names = append(names, sectionGenerations)
	if err := c.Expect(kindName, uint64(r.promises()), attributes, names...); err != nil {
		return err
	}
	last, err := c.Uint(attributeLast, 1, maxNumber)
	if err != nil {
		return err
	}
	r.last = Generation(last)
	for name, to := range r.counters.numbers() {
		if *to, err = c.Uint(name, 0, base.MaxCount); err != nil {
			return err
		}
	}
	before := uint64(0)
	for i := range live {
		number, inserts, left := state[generationWords*i], state[generationWords*i+1],
			state[generationWords*i+2]
		least := uint64(1) // a closed generation without members would have retired
		if i == live-1 {
			least = 0
		}
		switch {
		case number <= before || number > last:
			return wrongNumber(i, "number", number, before+1, last)
		case inserts > uint64(r.shape.Capacity):
			return wrongNumber(i, "inserts", inserts, 0, uint64(r.shape.Capacity))
		case left < least || left > inserts:
			return wrongNumber(i, "left", left, least, inserts)
		}
		before = number
		lanes, err := c.WordsOf(tableName(i), fallback.Lanes*r.shape.Blocks, 1)
		if err != nil {
			return err
		}
		r.live = append(r.live, generation{kernel.TableOfWords(lanes), Generation(number),
			int(inserts), int(left)})
	}
	r.make()
	return nil
}

func wrongNumber(i int, name string, found, low, high uint64) error {
	return file.Wrong(file.ErrBounds, fmt.Sprintf("generation %d with %s %d", i, name, found),
		fmt.Sprintf("%d to %d", low, high))
}

// decodePlan decodes the plan and the other settings.
func (r *ring) decodePlan(c *file.Contents) (err error) {
	p := &r.shape
	if p.Generations, err = c.Int(attributeGenerations, 2, maxGenerations); err != nil {
		return err
	}
	if r.members, err = c.Int(attributeMembers, 1, maxMembers); err != nil {
		return err
	}
	least := above(r.members, p.Generations-1)
	if p.Capacity, err = c.Int(attributeCapacity, least, maxMembers); err != nil {
		return err
	}
	if p.Blocks, err = c.Int(attributeBlocks, 1, deletable.MaxBlocks/p.Generations); err != nil {
		return err
	}
	planned := new(rates)
	r.planned = planned
	planned.mean, err = c.Float(attributeRate, math.SmallestNonzeroFloat64, 1)
	if err != nil {
		return err
	}
	if planned.of99, err = c.Float(attributeRate99, planned.mean, 1); err != nil {
		return err
	}
	expire, err := c.Uint(attributeExpire, 0, 1)
	if err != nil {
		return err
	}
	r.expire = expire == 1
	return nil
}

// UnmarshalBinary replaces f by the filter that MarshalBinary wrote as b. f must have the key of
// that filter, so a zero value reads none. It keeps f's source of stragglers, unless members
// expire. It implements [encoding.BinaryUnmarshaler], by which encoding/gob works too. On an error,
// which is a *[file.Error], f stays as it is.
func (f *Filter) UnmarshalBinary(b []byte) error { return f.read(bytes.NewReader(b)) }

// ReadFrom replaces f by the filter that comes next in r: see [base.Body.ReadFrom].
func (f *Filter) ReadFrom(r io.Reader) (n int64, err error) { return base.ReadNext(r, f.read) }

func (f *Filter) read(from io.Reader) error {
	source := Stragglers(nil)
	if r := base.Held(&f.Life); r != nil {
		source = r.stragglers
	}
	g, err := base.ReadInto(from, f, Decode)
	if err != nil {
		return err
	}
	r := base.Held(&g.Life)
	if !r.expire {
		r.stragglers = source
	}
	f.become(r, g.Key(), base.Identity(&g.Life))
	return nil
}

// Read reads a filter with the key k from r into memory: see [file.Read]. r must end with the
// filter. With [key.Unknown] the filter takes hashes only. The error is a *[file.Error].
func Read(r io.Reader, k key.Key) (*Filter, error) { return base.ReadAs(r, k, Decode) }

// Open opens the filter that Save wrote to path. k must be its key. Open verifies the whole file
// first; to verify later or never, call [file.Open] and [Decode]. Set a source of stragglers by
// [Filter.SetStragglers]. The error is a *[file.Error].
//
// On a little-endian Unix host the tables lie in the mapped file. Writes to the filter do not reach
// the file until it is saved. Save replaces the file whole, which does not affect filters that have
// the old file open. No program may write to the file in place, or cut it, while the filter is in
// use: for such a file, call [Load].
func Open(path string, k key.Key) (*Filter, error) { return base.OpenAs(path, k, Decode) }

// Load is [Open], but reads the file into memory, so that later changes of the file do not affect
// the filter.
func Load(path string, k key.Key) (*Filter, error) { return base.LoadAs(path, k, Decode) }
