package xdp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"

	"github.com/cilium/ebpf/ringbuf"
)

// Sighting is an address whose packet met a trap.
type Sighting struct {
	Address netip.Addr // of the side that is looked up
	Trap    netip.Addr // the other address of the packet, which the list [Trap] has
}

// sightingBytes is the size of a sighting in the ring.
const sightingBytes = 40

// Learn calls admit for each address that the program tells of, until the context is done, which is
// no error, or until admit returns an error. An address that is in none of the lists [Deny] and
// [NeverDeny] is told of for each of its packets to a trap, so admit must know which it has
// inserted. The trap may be a false positive of its filter: admit can look it up.
//
// One goroutine at a time may learn. What it is too slow for is counted as [Counts.Unlearned].
func (p *Program) Learn(ctx context.Context, admit func(Sighting) error) error {
	ring, err := p.mapOf(learned)
	if err != nil {
		return err
	}
	reader, err := ringbuf.NewReader(ring)
	if err != nil {
		return unavailable(err)
	}
	defer reader.Close()
	stop := context.AfterFunc(ctx, func() { _ = reader.Close() }) // which ends Read
	defer stop()
	var record ringbuf.Record
	for {
		switch err := reader.ReadInto(&record); {
		case errors.Is(err, os.ErrClosed):
			return nil
		case err != nil:
			return fmt.Errorf("xdp: learn: %w", err)
		}
		sighting, err := sightingOf(record.RawSample)
		if err != nil {
			return err
		}
		if err := admit(sighting); err != nil {
			return err
		}
	}
}

func sightingOf(b []byte) (Sighting, error) {
	if len(b) < sightingBytes {
		return Sighting{}, fmt.Errorf("xdp: learn: found %d bytes, expected %d", len(b),
			sightingBytes)
	}
	if version := binary.LittleEndian.Uint64(b[32:]); version == 4 {
		return Sighting{netip.AddrFrom4([4]byte(b)), netip.AddrFrom4([4]byte(b[16:]))}, nil
	}
	return Sighting{netip.AddrFrom16([16]byte(b)), netip.AddrFrom16([16]byte(b[16:]))}, nil
}
