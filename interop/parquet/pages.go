package parquet

import (
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// Limits of a page, beside those that the bytes of the file are: a page can stand for many more.
const (
	maxPageHeader = 16 << 20
	maxPageValues = 1 << 26
	maxPageBytes  = 64 << 20 // and more of a page that has a part of that in the file:
	maxPageRatio  = 1024
	maxPage       = 256 << 20 // in the file, and of a page of any ratio
)

// The kinds of pages with values.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// pageHeader has the fields of the header of a page that are used. A number that is missing is -1.
type pageHeader struct {
	kind, size, compressed int64 // size is that of the page when it is decompressed
	crc                    int64 // 0 if there is none
	kindHeader
}

// kindHeader has what is in the header for pages of a kind.
type kindHeader struct {
	values         int64 // nulls included
	encoding       int64
	levelEncodings [2]int64 // of repetition and definition, in a page of version 1
	levelBytes     [2]int64 // their bytes, which are not compressed, in a page of version 2
	plain          bool     // nothing of the page is compressed
}

// hasValues reports whether the page has values, or is a dictionary of them.
func (h *pageHeader) hasValues() bool {
	return h.kind == dataPage || h.kind == dataPageV2 || h.kind == dictionaryPage
}

// levels returns how many bytes at the start of the page are levels that are not compressed.
func (h *pageHeader) levels() int64 { return h.levelBytes[0] + h.levelBytes[1] }

// limit returns the most bytes that a page may have when it is decompressed, and that its values
// may have in sum.
func (h *pageHeader) limit() int64 {
	return min(max(maxPageBytes, maxPageRatio*h.compressed), maxPage)
}

// damaged returns an error that wraps ErrDamaged.
func damaged(found, expected string) error {
	return fmt.Errorf("%w: found %s, expected %s", ErrDamaged, found, expected)
}

// check returns an error if a number in the header is missing or too large. The file has left bytes
// after the header.
func (h *pageHeader) check(left int64) error {
	switch {
	case h.kind < 0:
		return damaged("a page without a kind", "one")
	case h.compressed < 0 || h.compressed > min(left, maxPage):
		return damaged(fmt.Sprintf("a page of %d bytes", h.compressed),
			fmt.Sprintf("at most %d, and the %d that are left", maxPage, left))
	case h.size < 0 || h.size > h.limit():
		return damaged(fmt.Sprintf("%d bytes in a page of %d", h.size, h.compressed),
			fmt.Sprint("at most ", h.limit()))
	case h.hasValues() && (h.values < 0 || h.values > maxPageValues):
		return damaged(fmt.Sprintf("%d values in a page", h.values),
			fmt.Sprint("at most ", maxPageValues))
	case h.hasValues() && h.encoding < 0:
		return damaged("a page without an encoding", "one")
	case h.levelBytes[0] < 0 || h.levelBytes[1] < 0 || h.levels() > min(h.size, h.compressed):
		return damaged(fmt.Sprintf("levels of %d and %d bytes in a page of %d", h.levelBytes[0],
			h.levelBytes[1], h.compressed), "no more than the page")
	}
	return nil
}

// pageHeader reads the header of the page at an offset, and returns its length. A header may have
// the least and the greatest value of a page, so it may be long.
func (f *File) pageHeader(offset, end int64) (h pageHeader, length int64, err error) {
	most := min(maxPageHeader, end-offset)
	for window := int64(512); ; window *= 8 {
		b := make([]byte, min(window, most))
		if err := readFull(f.r, b, offset); err != nil {
			return h, 0, err
		}
		r := &thriftReader{b: b}
		if h = readPageHeader(r); r.err == nil {
			return h, int64(len(b) - len(r.b)), nil
		}
		if window >= most {
			return h, 0, fmt.Errorf("its header, of at most %d bytes: %w", most, r.err)
		}
	}
}

func readPageHeader(r *thriftReader) pageHeader {
	h := pageHeader{kind: -1, size: -1, compressed: -1}
	fields := map[int64]int16{dataPage: 5, dictionaryPage: 7, dataPageV2: 8}
	headers := map[int16]kindHeader{}
	for id, typ := range r.fields() {
		switch id {
		case 1:
			r.integer(&h.kind, thriftI32, typ)
		case 2:
			r.integer(&h.size, thriftI32, typ)
		case 3:
			r.integer(&h.compressed, thriftI32, typ)
		case 4:
			r.integer(&h.crc, thriftI32, typ)
		case 5, 7, 8:
			headers[id] = readKindHeader(r, id, typ)
		default:
			r.skip(typ, false)
		}
	}
	if h.hasValues() {
		var found bool
		if h.kindHeader, found = headers[fields[h.kind]]; !found {
			h.values = -1
		}
	}
	return h
}

// readKindHeader reads the header for pages of a kind, which is the field id of the page's header.
func readKindHeader(r *thriftReader, id int16, typ byte) kindHeader {
	h := kindHeader{values: -1, encoding: -1, levelEncodings: [2]int64{-1, -1}}
	if !r.want(thriftStruct, typ) {
		return h
	}
	v1, v2 := id == 5, id == 8
	for id, typ := range r.fields() {
		switch {
		case id == 1:
			r.integer(&h.values, thriftI32, typ)
		case id == 2 && !v2 || id == 4 && v2:
			r.integer(&h.encoding, thriftI32, typ)
		case v2 && (id == 5 || id == 6):
			r.integer(&h.levelBytes[6-id], thriftI32, typ)
		case v2 && id == 7:
			h.plain = !r.boolean(true, typ)
		case v1 && (id == 3 || id == 4):
			r.integer(&h.levelEncodings[4-id], thriftI32, typ)
		default:
			r.skip(typ, false)
		}
	}
	return h
}

// pageReader reads the values of a column in a row group.
type pageReader struct {
	column     *Column
	chunk      chunk
	dictionary *dictionary // nil before its page
	// the page as it is in the file, and its decompressed part: the memory serves page after page
	raw, content []byte
	zstd         *zstd.Decoder
	window       int64 // that it takes at most
}

// values calls do with each value of the column in a row group that is not null, in its plain
// encoding, and with how often it comes there. Numbers in a page are checked before they are used.
// The error wraps [ErrElsewhere], [ErrDamaged] or [ErrType], or is that of the reader.
func (c *Column) values(group int, do func(value []byte, times int64)) error {
	if path := c.file.groups[group].path; path != "" {
		return fmt.Errorf("%w: those of row group %d are in %s", ErrElsewhere, group, shown(path))
	}
	r := pageReader{column: c, chunk: c.file.groups[group].chunks[c.index]}
	if err := r.read(do); err != nil {
		return fmt.Errorf("the values of column %s in row group %d: %w", shown(c.Name()), group,
			err)
	}
	return nil
}

// read reads all pages.
func (r *pageReader) read(do func(value []byte, times int64)) error {
	file, start := r.column.file, r.chunk.data
	if r.chunk.dictionary > 0 {
		start = r.chunk.dictionary
	}
	switch {
	case start < int64(len(magic)) || r.chunk.size > file.end-start:
		return damaged(fmt.Sprintf("%d bytes at %d", r.chunk.size, start),
			fmt.Sprint("their end before the footer, at ", file.end))
	case file.bytes > file.end: // the row groups share pages, so few bytes would take long
		return damaged("more bytes in the pages of all row groups", fmt.Sprint(file.end))
	}
	total := int64(0)
	end := start + r.chunk.size
	most := end // with what parquet-mr before 1.2.9 does not count: the header of the dictionary
	for start < end || total < r.chunk.values && start < most {
		h, length, err := file.pageHeader(start, most)
		if err == nil && h.kind == dictionaryPage {
			most += length
		}
		if err == nil {
			err = h.check(most - start - length)
		}
		if err == nil && h.kind != dictionaryPage {
			total += h.values
		}
		if err == nil && total > r.chunk.values {
			err = damaged(fmt.Sprintf("%d values with nulls", total), fmt.Sprint(r.chunk.values))
		}
		if err == nil && h.hasValues() {
			err = r.page(&h, start+length, do)
		}
		if err != nil {
			return fmt.Errorf("the page at %d: %w", start, err)
		}
		start += length + h.compressed
	}
	if total != r.chunk.values {
		return damaged(fmt.Sprintf("%d values with nulls", total), fmt.Sprint(r.chunk.values))
	}
	return nil
}

// page reads a page, whose bytes are at offset.
func (r *pageReader) page(h *pageHeader, offset int64, do func([]byte, int64)) error {
	r.raw = slices.Grow(r.raw[:0], int(h.compressed))[:h.compressed]
	if err := readFull(r.column.file.r, r.raw, offset); err != nil {
		return err
	}
	if sum := crc32.ChecksumIEEE(r.raw); h.crc != 0 && sum != uint32(h.crc) {
		return damaged(fmt.Sprintf("the checksum %#08x", sum), fmt.Sprintf("%#08x", uint32(h.crc)))
	}
	levels, content := r.raw[:h.levels()], r.raw[h.levels():]
	codec := r.chunk.codec
	if h.plain {
		codec = codecNone
	}
	content, err := r.decompress(codec, content, h.size-h.levels())
	if err != nil {
		return err
	}
	if h.kind == dictionaryPage {
		return r.setDictionary(h, content)
	}
	present, content, err := r.present(h, levels, content)
	if err != nil || present == 0 {
		return err
	}
	return r.decode(h, content, present, do)
}

// present reads the levels of a page. It returns how many values are not null, and their bytes.
func (r *pageReader) present(h *pageHeader, levels, content []byte) (int64, []byte, error) {
	present := h.values
	for i, highest := range r.column.leaf.levels {
		var b []byte
		if h.kind == dataPageV2 { // may have levels that the column does not need
			b, levels = levels[:h.levelBytes[i]], levels[h.levelBytes[i]:]
		}
		if highest == 0 {
			continue
		}
		var err error
		if h.kind == dataPage {
			if encoding := h.levelEncodings[i]; encoding != encodingRLE {
				return 0, nil, fmt.Errorf("%w: found levels in encoding %d of parquet.thrift, "+
					"expected %d", ErrType, encoding, encodingRLE)
			}
			if b, content, err = cutBytes(content); err != nil {
				return 0, nil, fmt.Errorf("levels: %w", err)
			}
		}
		// Those of definition come last: a value that is not null has the highest.
		if present, err = countHighest(b, highest, h.values); err != nil {
			return 0, nil, fmt.Errorf("levels: %w", err)
		}
	}
	return present, content, nil
}
