package file

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// Next returns a reader of the file that comes next in r, which ends with that file: nothing behind
// it is read from r. So files may stand one behind another in a stream, with other things between.
// Its N is how many bytes of the file are left. At the end of r the error is [io.EOF]; any other
// one is an *[Error] or that of r.
//
//	for {
//		next, err := file.Next(r)
//		if err == io.EOF {
//			break
//		}
//		...
//		f, err := plain.Read(next, k)
//		...
//	}
func Next(r io.Reader) (*io.LimitedReader, error) {
	first := make([]byte, fixedBytes)
	n, err := io.ReadFull(r, first)
	if err == io.EOF || err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if _, err := start(first[:n]); err != nil {
		return nil, At("read", "", err)
	}
	length := binary.LittleEndian.Uint64(first[16:])
	if length < fixedBytes || length > math.MaxInt64 {
		return nil, At("read", "", Wrong(ErrBounds, decimal(length)+" bytes", "a whole header"))
	}
	return &io.LimitedReader{R: io.MultiReader(bytes.NewReader(first), r), N: int64(length)}, nil
}
