package capture

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"

	"github.com/gopacket/gopacket/layers"
)

// MaxPacket is the longest record that is read, in bytes: libpcap's own limit.
const MaxPacket = 262144

// The first four bytes of a pcap file, which say its byte order. Those of the second pair are for
// times in nanoseconds.
var orders = map[[4]byte]binary.ByteOrder{
	{0xa1, 0xb2, 0xc3, 0xd4}: binary.BigEndian,
	{0xd4, 0xc3, 0xb2, 0xa1}: binary.LittleEndian,
	{0xa1, 0xb2, 0x3c, 0x4d}: binary.BigEndian,
	{0x4d, 0x3c, 0xb2, 0xa1}: binary.LittleEndian,
}

// Reader reads a capture. It implements [Packets].
type Reader struct {
	// Undecoded is the number of packets so far of each link type of which nothing is decoded: to
	// Next and NextFrame they have no IP header.
	Undecoded map[int]int

	read func() (layers.LinkType, []byte, error)
	err  error // what ended it
}

// Open reads the head of a capture, whose format it knows by its magic number. What is wrong with
// the head comes out in place of the first packet, like damage further on.
func Open(r io.Reader) *Reader {
	c := &Reader{Undecoded: map[int]int{}}
	c.err = c.open(bufio.NewReaderSize(r, 1<<16))
	return c
}

func (r *Reader) open(in *bufio.Reader) error {
	head, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("capture: %w", err)
	}
	wrong := func(found, expected string, err error) error {
		return &Error{"capture", "byte 0", found, expected, err}
	}
	if len(head) < 4 {
		return wrong(fmt.Sprintf("%d bytes", len(head)), "a pcap or pcapng file",
			io.ErrUnexpectedEOF)
	}
	order := orders[[4]byte(head)]
	switch {
	case order != nil:
		file := &records{in: in, order: order}
		r.read = file.next
		return file.open()
	case binary.BigEndian.Uint32(head) == sectionHeader:
		r.read = (&blocks{in: in}).next
		return nil
	case head[0] == 0x1f && head[1] == 0x8b:
		return wrong("a gzip file", "a pcap or pcapng file: decompress it first", nil)
	}
	return wrong("magic number "+hex.EncodeToString(head), "that of a pcap or pcapng file", nil)
}

// Next returns the source and the words of the next packet's outermost IP header. See [Packets].
func (r *Reader) Next() (netip.Addr, []byte, error) {
	link, data, err := r.next()
	if err != nil {
		return netip.Addr{}, nil, err
	}
	source, payload := sourceAndWords(network(link, data))
	return source, payload, nil
}

// NextFrame returns the next packet as an Ethernet frame, without its checksum, valid until the
// next call. A packet of another link layer, from its outermost IP header on, gets an Ethernet
// header with zero addresses. The frame is nil where that is not possible: the packet has no IP
// header, or ends before its link header does. Errors are those of Next.
func (r *Reader) NextFrame() ([]byte, error) {
	link, data, err := r.next()
	if err != nil {
		return nil, err
	}
	return ethernet(link, data), nil
}

// next returns the next packet and its link layer.
func (r *Reader) next() (link layers.LinkType, data []byte, err error) {
	if r.err == nil {
		link, data, r.err = r.read()
	}
	if r.err == nil && !decodes(link) {
		r.Undecoded[int(link)]++
	}
	return link, data, r.err
}

// records reads a pcap file.
type records struct {
	in    *bufio.Reader
	order binary.ByteOrder
	link  layers.LinkType
	head  [24]byte
	data  []byte
	begun int // records
}

// open reads the file header.
func (r *records) open() error {
	if err := r.fill(r.head[:]); err != nil {
		return err
	}
	major, minor := r.order.Uint16(r.head[4:]), r.order.Uint16(r.head[6:])
	if major != 2 || minor != 4 {
		return &Error{"pcap", r.where(), fmt.Sprintf("version %d.%d", major, minor), "2.4", nil}
	}
	// The snap length is not looked at: there are writers that go beyond it. The upper half of the
	// link type is about checksums.
	r.link = layers.LinkType(r.order.Uint32(r.head[20:]))
	return nil
}

// next reads a record. How long the packet was before it was cut is not looked at: nothing depends
// on it, and there are writers that say less than is there.
func (r *records) next() (layers.LinkType, []byte, error) {
	if _, err := r.in.Peek(1); errors.Is(err, io.EOF) {
		return 0, nil, io.EOF
	}
	r.begun++
	if err := r.fill(r.head[:16]); err != nil {
		return 0, nil, err
	}
	length := r.order.Uint32(r.head[8:])
	if length > MaxPacket {
		return 0, nil, &Error{"pcap", r.where(), fmt.Sprintf("%d bytes", length),
			fmt.Sprintf("at most %d", MaxPacket), nil}
	}
	r.data = slices.Grow(r.data[:0], int(length))[:length]
	return r.link, r.data, r.fill(r.data)
}

// fill reads bytes that must be there.
func (r *records) fill(data []byte) error {
	if _, err := io.ReadFull(r.in, data); err != nil {
		return broken("pcap", r.where(), err)
	}
	return nil
}

func (r *records) where() string {
	if r.begun == 0 {
		return "file header"
	}
	return fmt.Sprintf("packet %d", r.begun)
}

// broken makes an *[Error] of the end of a file where more must follow. Other errors of a file are
// neither damage nor its end.
func broken(format, where string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{format, where, "the end of the file", "the rest of it", io.ErrUnexpectedEOF}
	}
	return fmt.Errorf("%s, %s: %w", format, where, err)
}
