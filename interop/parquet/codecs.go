package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The codecs of parquet.thrift that are read.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecBrotli = 4
	codecZstd   = 6
	codecLZ4Raw = 7
)

// How many bytes a byte can stand for in Snappy, which copies 64 by three, and in LZ4, which counts
// 255 by one. The memory for all of them is allocated at once.
const (
	snappyRatio = 22
	lz4Ratio    = 255
)

// decompress returns the content of a page, which must have size bytes. It is valid until the next
// call. The memory that it takes is bounded by what the data stands for.
func (r *pageReader) decompress(codec int64, data []byte, size int64) (content []byte, err error) {
	defer func() {
		if p := recover(); p != nil { // by a library, at data that it did not expect
			err = damaged(fmt.Sprint("data that cannot be decompressed: ", p), "a page")
		}
	}()
	switch {
	case codec == codecNone:
		content = data
	case size == 0 && len(data) == 0: // a page of nulls
	case codec == codecSnappy || codec == codecLZ4Raw:
		content, err = r.decompressBlock(codec, data, size)
	case codec == codecGzip || codec == codecBrotli || codec == codecZstd:
		content, err = r.decompressStream(codec, data, size)
	default:
		return nil, fmt.Errorf("%w: found values compressed by codec %d of parquet.thrift",
			ErrType, codec)
	}
	if err != nil {
		return nil, damaged(fmt.Sprint("data that cannot be decompressed: ", err), "a page")
	}
	if int64(len(content)) != size {
		return nil, damaged("another size", fmt.Sprintf("the %d bytes of the page's header", size))
	}
	return content, nil
}

// decompressBlock decompresses data of a codec that needs the memory for all of the result.
func (r *pageReader) decompressBlock(codec int64, data []byte, size int64) ([]byte, error) {
	n := int64(len(data))
	length, _ := binary.Uvarint(data) // in Snappy's data it comes first
	if codec == codecSnappy && (length != uint64(size) || size > snappyRatio*n) ||
		codec == codecLZ4Raw && size > lz4Ratio*n {
		return nil, nil
	}
	r.content = slices.Grow(r.content[:0], int(size))[:size]
	if codec == codecSnappy {
		return snappy.Decode(r.content, data)
	}
	got, err := lz4.UncompressBlock(data, r.content)
	return r.content[:max(0, got)], err
}

// decompressStream decompresses data piece by piece, up to one byte more than size.
func (r *pageReader) decompressStream(codec int64, data []byte, size int64) ([]byte, error) {
	var stream io.Reader
	switch in := bytes.NewReader(data); codec {
	case codecGzip:
		unzip, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		stream = unzip
	case codecBrotli:
		stream = brotli.NewReader(in)
	case codecZstd:
		// It serves page after page, because its window may be larger than each.
		if r.zstd == nil || size > r.window {
			r.window = max(maxPageBytes, size)
			var err error
			if r.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxWindow(uint64(r.window)),
				zstd.WithDecoderLowmem(true)); err != nil {
				return nil, err
			}
		}
		if err := r.zstd.Reset(in); err != nil {
			return nil, err
		}
		stream = r.zstd
	}
	content := bytes.NewBuffer(r.content[:0])
	_, err := content.ReadFrom(io.LimitReader(stream, size+1))
	r.content = content.Bytes()
	return r.content, err
}
