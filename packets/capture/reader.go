package capture

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// MaxPacket is the longest record that is read, in bytes: libpcap's own limit.
const MaxPacket = 262144

// The first four bytes of a file.
var formats = map[[4]byte]string{
	{0xa1, 0xb2, 0xc3, 0xd4}: "pcap",
	{0xd4, 0xc3, 0xb2, 0xa1}: "pcap",
	{0xa1, 0xb2, 0x3c, 0x4d}: "pcap", // nanoseconds
	{0x4d, 0x3c, 0xb2, 0xa1}: "pcap",
	{0x0a, 0x0d, 0x0d, 0x0a}: "pcapng",
}

// Reader reads a capture. It implements [Packets].
type Reader struct {
	format   string
	packets  int
	read     func() ([]byte, gopacket.CaptureInfo, error)
	linkType func(gopacket.CaptureInfo) layers.LinkType
	err      error // of the head of the capture
}

// Open reads the head of a capture, whose format it knows by its magic number. What is wrong with
// the head comes out in place of the first packet, like damage further on.
func Open(r io.Reader) *Reader {
	c := &Reader{format: "capture"}
	c.err = c.open(bufio.NewReaderSize(r, 1<<16))
	return c
}

func (r *Reader) open(in *bufio.Reader) error {
	head, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("capture: %w", err)
	}
	wrong := func(found, expected string, err error) error {
		return &Error{r.format, "byte 0",
			found, expected, err}
	}
	if len(head) < 4 {
		return wrong(fmt.Sprintf("%d bytes", len(head)), "a pcap or pcapng file",
			io.ErrUnexpectedEOF)
	}
	format, known := formats[[4]byte(head)]
	switch {
	case format == "pcap":
		r.format = format
		file, err := pcapgo.NewReader(in)
		if err != nil {
			return r.damaged("file header", err)
		}
		// The limit for every record, whatever the header says: pcapgo sizes its buffer by it.
		file.SetSnaplen(MaxPacket)
		r.read = file.ZeroCopyReadPacketData
		r.linkType = func(gopacket.CaptureInfo) layers.LinkType { return file.LinkType() }
	case known:
		r.format = format
		file, err := pcapgo.NewNgReader(&blocks{in: in},
			pcapgo.NgReaderOptions{WantMixedLinkType: true})
		if err != nil {
			return r.damaged("section header", err)
		}
		r.read = file.ZeroCopyReadPacketData
		r.linkType = func(ci gopacket.CaptureInfo) layers.LinkType {
			return ci.AncillaryData[0].(layers.LinkType)
		}
	case head[0] == 0x1f && head[1] == 0x8b:
		return wrong("a gzip file", "a pcap or pcapng file: decompress it first", nil)
	default:
		return wrong("magic number "+hex.EncodeToString(head), "that of a pcap or pcapng file", nil)
	}
	return nil
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
func (r *Reader) next() (layers.LinkType, []byte, error) {
	if r.err != nil {
		return 0, nil, r.err
	}
	data, ci, err := r.read()
	if err != nil {
		// A file may end between two records only. pcapgo also returns io.EOF where it ends right
		// after the header of a record that has data.
		if err == io.EOF && ci.CaptureLength == 0 {
			return 0, nil, io.EOF
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, r.damaged(fmt.Sprintf("packet %d", r.packets+1), err)
	}
	r.packets++
	return r.linkType(ci), data, nil
}

// damaged makes an *[Error] of an error of pcapgo. Errors of blocks are one already.
func (r *Reader) damaged(where string, err error) error {
	var damage *Error
	switch {
	case errors.As(err, &damage):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{r.format, where, "the end of the file", "the rest of it", io.ErrUnexpectedEOF}
	}
	return &Error{r.format, where, err.Error(), "a valid record", err}
}
