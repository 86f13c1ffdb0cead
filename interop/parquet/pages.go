package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Limits of a page. parquet-go allocates memory by the numbers in its header, and by the result of
// decompression.
const (
	maxPageValues = 1 << 26
	maxPageBytes  = 64 << 20 // and more of a page that has a part of that in the file:
	maxPageRatio  = 1024
)

// The kinds of pages with values.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// pageHeader has the fields of the header of a page that are used.
type pageHeader struct {
	kind, size, compressed int64 // size is that of the page when it is decompressed
	values                 int64
	levels                 int64 // bytes of a page of version 2 that are not compressed
	plain                  bool  // nothing of it is
}

// checkPages reads the pages of the column in a row group. It returns an error if parquet-go would
// allocate more memory for a page than its bytes in the file justify.
func (c *Column) checkPages(group int) error {
	at := c.file.groups[group].chunks[c.index]
	start := at.data
	if at.dictionary > 0 {
		start = at.dictionary
	}
	if start < int64(len(magic)) || at.size < 0 || at.size > c.file.end-start {
		return fmt.Errorf("found %d bytes at %d, expected their end before the footer, at %d",
			at.size, start, c.file.end)
	}
	for end := start + at.size; start < end; {
		h, length, err := c.file.pageHeader(start, end)
		if err != nil {
			return err
		}
		start += length
		switch {
		case h.compressed < 0 || h.compressed > end-start:
			return fmt.Errorf("found a page of %d bytes at %d, expected its end before %d",
				h.compressed, start, end)
		case h.size < 0 || h.size > max(maxPageBytes, maxPageRatio*h.compressed):
			return fmt.Errorf("found %d bytes in a page of %d", h.size, h.compressed)
		case h.values < 0 || h.values > maxPageValues:
			return fmt.Errorf("found %d values in a page, expected at most %d", h.values,
				maxPageValues)
		case h.levels < 0 || h.levels > min(h.size, h.compressed):
			return fmt.Errorf("found levels of %d bytes in a page of %d", h.levels, h.compressed)
		}
		if h.kind == dataPage || h.kind == dataPageV2 || h.kind == dictionaryPage {
			b := make([]byte, h.compressed)
			if err := readFull(c.file.r, b, start); err != nil {
				return err
			}
			if !h.plain {
				if err := c.checkSize(at.codec, b[h.levels:], h.size-h.levels); err != nil {
					return fmt.Errorf("the page at %d: %w", start, err)
				}
			}
		}
		start += h.compressed
	}
	return nil
}

// pageHeader reads the header of the page at an offset, and returns its length. A header may have
// the least and the greatest value of a page, so it may have any length.
func (f *File) pageHeader(offset, end int64) (h pageHeader, length int64, err error) {
	for window := int64(512); ; window *= 8 {
		window = min(window, end-offset)
		b := make([]byte, window)
		if err := readFull(f.r, b, offset); err != nil {
			return h, 0, err
		}
		r := &thriftReader{b: b}
		h = readPageHeader(r)
		if r.err == nil {
			return h, window - int64(len(r.b)), nil
		}
		if window == end-offset {
			return h, 0, fmt.Errorf("the header of the page at %d: %w", offset, r.err)
		}
	}
}

func readPageHeader(r *thriftReader) (h pageHeader) {
	for id, typ := range r.fields() {
		switch id {
		case 1:
			h.kind = r.integer(typ)
		case 2:
			h.size = r.integer(typ)
		case 3:
			h.compressed = r.integer(typ)
		case 5, 7, 8: // of a data page, a dictionary, a data page of version 2
			if !r.want(thriftStruct, typ) {
				break
			}
			v2 := id == 8
			for id, typ := range r.fields() {
				switch {
				case id == 1:
					h.values = r.integer(typ)
				case v2 && (id == 5 || id == 6):
					h.levels += r.integer(typ)
				case v2 && id == 7:
					h.plain = typ == thriftFalse
				default:
					r.skip(typ, false)
				}
			}
		default:
			r.skip(typ, false)
		}
	}
	return h
}

// checkSize returns an error unless data has size bytes when it is decompressed. It allocates no
// more than that.
func (c *Column) checkSize(codec int64, data []byte, size int64) error {
	var r io.Reader
	n := int64(-1)
	switch codec {
	case 0:
		n = int64(len(data))
	case 1: // Snappy says it itself, and is held to it by who decompresses
		length, _ := binary.Uvarint(data)
		n = int64(length)
	case 2:
		unzip, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return err
		}
		r = unzip
	case 4:
		r = brotli.NewReader(bytes.NewReader(data))
	case 6:
		decoder, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(max(maxPageBytes, uint64(size))),
			zstd.WithDecoderLowmem(true))
		if err != nil {
			return err
		}
		defer decoder.Close()
		r = decoder
	case 7:
		got, err := lz4.UncompressBlock(data, make([]byte, size))
		if err != nil {
			return err
		}
		n = int64(got)
	default:
		return fmt.Errorf("%w: %s is compressed by codec %d of parquet.thrift", ErrType,
			c.Name(), codec)
	}
	if r != nil {
		var err error
		if n, err = io.CopyN(io.Discard, r, size+1); err != nil && err != io.EOF {
			return err
		}
	}
	if n != size {
		return fmt.Errorf("found another size than the header's %d bytes", size)
	}
	return nil
}
