package parts

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel"
)

// The attributes and sections of a part. It has its blocks, or its hashes if these are shorter.
const (
	kindName = "deletable-part"

	attributeBlocks  = "blocks" // the blocks of the whole table
	attributeFirst   = "first"
	attributeEnd     = "end"
	attributeInserts = "inserts"

	sectionBlocks = "blocks"
	sectionHashes = "hashes"
)

// Part is a range of the blocks of a filter, which accepts inserts. Make one with [New]. While it
// has few hashes it keeps these instead of blocks, so that the part of a program with few keys is
// small.
type Part struct {
	Range
	key     key.Identity
	inserts uint64
	hashes  []uint64        // the inserted hashes, if table is nil
	table   kernel.Table512 // or nil
	owner   *file.Contents  // the contents in which the words lie, or nil
}

// New returns an empty part with the blocks r, of a filter whose key has this identity. Files of
// parts show hashes, so that those under a key of [key.SipHash13] cannot be read.
func New(r Range, k key.Identity) *Part { return &Part{Range: r, key: k} }

// Inserts returns the number of inserts.
func (p *Part) Inserts() int { return int(p.inserts) }

// InsertHashBatch inserts hashes. It panics if one of them belongs to other blocks, before it
// inserts any.
func (p *Part) InsertHashBatch(hashes []uint64) {
	if p.table != nil {
		p.table.InsertPart(p.First, p.Blocks, hashes)
		p.inserts = base.Total(p.inserts, uint64(len(hashes)))
		return
	}
	low, high := fallback.Interval(uint64(p.First), uint64(p.End), uint64(p.Blocks))
	for _, h := range hashes { // the check of InsertPart, before they are kept
		if h < low || h > high {
			panic(fmt.Sprintf("parts: InsertHashBatch: hash %#x does not belong to %v", h, p.Range))
		}
	}
	p.inserts = base.Total(p.inserts, uint64(len(hashes)))
	p.hashes = append(p.hashes, hashes...)
	if len(p.hashes) >= (p.End-p.First)*fallback.Lanes {
		p.fill()
	}
}

// InsertPack inserts the hashes of a pack that a [Packer] made. The error wraps [file.ErrLength] if
// pack is no whole number of hashes. It panics if a hash belongs to other blocks.
func (p *Part) InsertPack(pack []byte) error {
	if len(pack)%8 != 0 {
		return file.Wrong(file.ErrLength, fmt.Sprintf("a pack of %d bytes", len(pack)),
			"8 per hash")
	}
	hashes := make([]uint64, len(pack)/8)
	for i := range hashes {
		hashes[i] = binary.LittleEndian.Uint64(pack[8*i:])
	}
	p.InsertHashBatch(hashes)
	return nil
}

// fill makes the table from the hashes.
func (p *Part) fill() {
	if p.table == nil {
		p.table = kernel.NewTable512(p.End - p.First)
		p.table.InsertPart(p.First, p.Blocks, p.hashes)
		p.hashes = nil
		runtime.KeepAlive(p.owner)
	}
}

// Merge adds the inserts of q, which does not change. On an error nothing changes: it wraps
// [filter.ErrSelf], [file.ErrWrongKey] or [filter.ErrUnequalSize].
func (p *Part) Merge(q *Part) error {
	switch {
	case p == q || unsafe.SliceData(p.table) == unsafe.SliceData(q.table) && p.table != nil:
		return fmt.Errorf("merge: %w", filter.ErrSelf)
	case p.key != q.key:
		return fmt.Errorf("merge: %w: found a %v, expected a %v", file.ErrWrongKey, q.key, p.key)
	case p.Range != q.Range:
		return fmt.Errorf("merge: %w: found %v, expected %v", filter.ErrUnequalSize,
			q.Range, p.Range)
	case q.table == nil:
		p.InsertHashBatch(q.hashes)
		return nil
	}
	p.fill()
	p.table.Merge(q.table)
	p.inserts = base.Total(p.inserts, q.inserts)
	return nil
}

// WriteTo writes the file of the part, with all its blocks, also those without keys. It implements
// [io.WriterTo].
func (p *Part) WriteTo(w io.Writer) (int64, error) {
	p.fill()
	return p.contents().WriteTo(w)
}

// AppendBinary appends the part to b, as blocks or as hashes, whichever is shorter.
// [Part.UnmarshalBinary] reads it. It implements [encoding.BinaryAppender].
func (p *Part) AppendBinary(b []byte) ([]byte, error) { return p.contents().Append(b) }

// MarshalBinary returns what AppendBinary appends. It implements [encoding.BinaryMarshaler].
func (p *Part) MarshalBinary() ([]byte, error) { return p.AppendBinary(nil) }

// UnmarshalJSON returns an error: the JSON of a part is its range.
func (p *Part) UnmarshalJSON([]byte) error {
	return errors.New("parts: found JSON, which has the range of a part and no members, expected " +
		"what MarshalBinary wrote, for UnmarshalBinary")
}

// UnmarshalBinary replaces p by the part that AppendBinary or WriteTo wrote. The error is a
// *[file.Error]. It implements [encoding.BinaryUnmarshaler].
func (p *Part) UnmarshalBinary(b []byte) error {
	c, err := file.Read(bytes.NewReader(b))
	if err != nil {
		return err
	}
	q, err := Decode(c)
	if err != nil {
		return err
	}
	*p = *q
	return nil
}

func (p *Part) contents() *file.Contents {
	section := file.Section{Name: sectionHashes, Words: p.hashes}
	if p.table != nil {
		section = file.Section{Name: sectionBlocks, Words: p.table.Words()}
	}
	c := &file.Contents{Kind: kindName, Key: p.key,
		Sections: []file.Section{section}}
	c.Set(attributeBlocks, uint64(p.Blocks))
	c.Set(attributeFirst, uint64(p.First))
	c.Set(attributeEnd, uint64(p.End))
	c.Set(attributeInserts, p.inserts)
	c.KeepAlive(p)
	return c
}

// Decode returns the part whose file has these contents. It uses the words of the contents as its
// memory. The error is a *[file.Error].
func Decode(c *file.Contents) (*Part, error) {
	section := sectionHashes
	if len(c.Sections) > 0 && c.Sections[0].Name == sectionBlocks {
		section = sectionBlocks
	}
	if err := c.Expect(kindName, 0, 4, section); err != nil {
		return nil, err
	}
	if err := base.CheckShown(c); err != nil {
		return nil, err
	}
	p := &Part{key: c.Key, owner: c}
	var err error
	if p.Blocks, err = c.Int(attributeBlocks, 1, deletable.MaxBlocks); err != nil {
		return nil, err
	}
	if p.End, err = c.Int(attributeEnd, 1, p.Blocks); err != nil {
		return nil, err
	}
	if p.First, err = c.Int(attributeFirst, 0, p.End-1); err != nil {
		return nil, err
	}
	if p.inserts, err = c.Uint(attributeInserts, 0, base.MaxCount); err != nil {
		return nil, err
	}
	words := c.Sections[0].Words
	if section == sectionBlocks {
		if want := (p.End - p.First) * fallback.Lanes; len(words) != want {
			return nil, file.Wrong(file.ErrLength, fmt.Sprintf("%d words", len(words)),
				fmt.Sprint(want))
		}
		p.table = kernel.TableOfWords(words)
		return p, nil
	}
	if uint64(len(words)) != p.inserts {
		return nil, file.Wrong(file.ErrLength, fmt.Sprintf("%d hashes", len(words)),
			fmt.Sprint(p.inserts))
	}
	layout := Layout{Blocks: p.Blocks, PartBlocks: 1}
	if i := slices.IndexFunc(words, func(h uint64) bool {
		b := layout.Of(h)
		return b < p.First ||
			b >= p.End
	}); i >= 0 {
		return nil, file.Wrong(file.ErrBounds,
			fmt.Sprintf("a hash of block %d", layout.Of(words[i])), p.String())
	}
	p.hashes = slices.Clip(words) // inserts go into memory of their own
	return p, nil
}
