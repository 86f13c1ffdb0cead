package deletable

import (
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/bloomlane/bloomlane/kernel"
)

// pieceBlocks is the number of blocks that are encoded or decoded at a time: 64 KiB of them.
const pieceBlocks = 1024

// writeLanes writes the lanes of table as files have them, on a host of either byte order.
func writeLanes(w io.Writer, table kernel.Table512) error {
	buffer := make([]byte, pieceBlocks*BlockBytes)
	for len(table) > 0 {
		piece := table[:min(len(table), pieceBlocks)]
		table = table[len(piece):]
		encoded := buffer[:0]
		for i := range piece {
			for _, lane := range &piece[i] {
				encoded = binary.LittleEndian.AppendUint64(encoded, lane)
			}
		}
		if _, err := w.Write(encoded); err != nil {
			return err
		}
	}
	return nil
}

// readLanes fills table from lanes as files have them and returns their CRC-32C.
func readLanes(r io.Reader, table kernel.Table512) (uint32, error) {
	buffer := make([]byte, pieceBlocks*BlockBytes)
	check := crc32.New(castagnoli)
	for len(table) > 0 {
		piece := table[:min(len(table), pieceBlocks)]
		table = table[len(piece):]
		encoded := buffer[:len(piece)*BlockBytes]
		if _, err := io.ReadFull(r, encoded); err != nil {
			return 0, err
		}
		check.Write(encoded)
		for i := range piece {
			block := encoded[i*BlockBytes:][:BlockBytes]
			for lane := range piece[i] {
				piece[i][lane] = binary.LittleEndian.Uint64(block[8*lane:])
			}
		}
	}
	return check.Sum32(), nil
}
