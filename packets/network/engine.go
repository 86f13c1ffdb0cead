package network

import (
	"fmt"
	"slices"

	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
)

const (
	etherType   = 0x88b5 // IEEE's first for local experiments
	macBytes    = 12     // the two addresses
	headerStart = macBytes + 2
)

// FieldStart is where the field begins in a frame: the OFFSET of the in-line engine.
const FieldStart = headerStart + inpacket.FieldOffset

// Hop is a packet at an engine, which applies an operation and an element to the packet's header.
type Hop[B inpacket.Block] struct {
	Frame   []byte // of which the field may change
	Element *inpacket.Element[B]
	Op      inpacket.Op

	Status   kernel.Status // as of Header.Apply
	Overfull bool          // the header is over the fill limit, and was left alone
}

// Engine is what hops run through.
type Engine[B inpacket.Block] interface {
	// Handle lets each of the hops run, in order, and sets its Status and Overfull.
	Handle(hops []Hop[B]) error
}

// Model is the engine in Go.
type Model[B inpacket.Block] struct {
	FillLimit int
}

// Handle implements [Engine].
func (m Model[B]) Handle(hops []Hop[B]) error {
	for i := range hops {
		hop := &hops[i]
		data := hop.Frame[headerStart : headerStart+inpacket.HeaderBytes[B]()]
		var h inpacket.Header[B]
		if err := h.UnmarshalBinary(data); err != nil {
			return err
		}
		hop.Status, hop.Overfull = kernel.Absent, h.Fill() > m.FillLimit
		if hop.Overfull {
			continue
		}
		hop.Status = h.Apply(hop.Op, *hop.Element)
		if hop.Status == kernel.Deleted {
			_, _ = h.AppendBinary(data[:0]) // it never fails
		}
	}
	return nil
}

// Checked runs every hop through two engines, and counts where the second differs from the first,
// in results or in any byte of the packet. What goes on is what the second did.
type Checked[B inpacket.Block] struct {
	First, Second Engine[B]

	Hops, Differences int
	Difference        string // the first one
}

// Handle implements [Engine].
func (c *Checked[B]) Handle(hops []Hop[B]) error {
	copies := slices.Clone(hops)
	for i := range copies {
		copies[i].Frame = slices.Clone(copies[i].Frame)
	}
	if err := c.First.Handle(copies); err != nil {
		return err
	}
	if err := c.Second.Handle(hops); err != nil {
		return err
	}
	for i, hop := range hops {
		want := copies[i]
		if hop.Status != want.Status || hop.Overfull != want.Overfull ||
			string(hop.Frame) != string(want.Frame) {
			if c.Differences++; c.Differences == 1 {
				c.Difference = fmt.Sprintf("hop %d: %v, overfull %v, %x; expected %v, "+
					"overfull %v, %x",
					c.Hops+i, hop.Status, hop.Overfull, hop.Frame, want.Status,
					want.Overfull, want.Frame)
			}
		}
	}
	c.Hops += len(hops)
	return nil
}

// encapsulate appends a frame with a header.
func encapsulate[B inpacket.Block](b, frame []byte, h inpacket.Header[B]) []byte {
	h.Next = uint16(frame[macBytes])<<8 | uint16(frame[macBytes+1])
	b = append(b, frame[:macBytes]...)
	b = append(b, etherType>>8, etherType&255)
	b, _ = h.AppendBinary(b) // it never fails
	return append(b, frame[headerStart:]...)
}

// intact reports whether a packet with a header is the one that was sent, but for its field.
func intact[B inpacket.Block](packet, sent []byte) bool {
	end := FieldStart + inpacket.FieldBytes[B]()
	return len(packet) == len(sent) && string(packet[:FieldStart]) == string(sent[:FieldStart]) &&
		string(packet[end:]) == string(sent[end:])
}
