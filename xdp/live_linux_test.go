package xdp

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"
)

// Captured and damaged frames that are replayed through a pair of interfaces arrive if exact sets
// say so, one by one, in the driver's code and in the generic one, and in traffic control.
func TestReplay(t *testing.T) {
	short := Lengths{IPv4: []int{32, 24, 16}, IPv6: []int{128, 64, 10}}
	for _, options := range []Options{
		{Lengths: short, DropFragments: true},
		{Lengths: short, DropMalformed: true, Mode: Exact, Side: Destination},
		{Lengths: short, Mode: ReportOnly},
		{Lengths: short, Hook: Egress, DropFragments: true, DropMalformed: true, Mode: Exact},
	} {
		for _, path := range []Path{Native, Generic} {
			if options.Hook != XDP && path == Generic {
				continue
			}
			t.Run(fmt.Sprintf("%v/%v/%v", options.Hook, options.Mode, path), func(t *testing.T) {
				testReplay(t, options, path)
			})
		}
	}
}

func testReplay(t *testing.T, options Options, path Path) {
	isolate(t)
	rng := rand.New(rand.NewPCG(35, 6))
	sent, rate := sample(t, rng, 300), rateOf(options.Mode)
	s := newSubject(t, options, rate, sent)
	end := near
	if options.Hook == Egress {
		end = far
	}
	attachment, err := s.Attach(Target{Interface: end, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	dropped := 0
	from, to := newPort(t, far, unix.ETH_P_ALL), newPort(t, near, unix.ETH_P_ALL)
	arrived := pass(from, to, sent)
	for i, frame := range sent {
		falls := s.drops(frame)
		if falls {
			dropped++
		}
		// the kernel itself drops a frame whose first tag is cut
		kind := binary.BigEndian.Uint16(frame[12:])
		cut := (kind == 0x8100 || kind == 0x88a8) && len(frame) < 14+4+2
		if arrived[i] == falls && (falls || !cut) {
			t.Errorf("%x: arrived %v, want %v", frame, arrived[i], !falls)
		}
	}
	if (dropped > 50) != (options.Mode != ReportOnly) || dropped > len(sent)-50 {
		t.Errorf("%d of %d frames are dropped", dropped, len(sent))
	}
	got, err := s.Counts()
	if err != nil {
		t.Fatal(err)
	}
	got.Other.Packets -= uint64((len(sent) + 59) / 60) // the last frames of groups
	got.Other.Bytes -= uint64((len(sent)+59)/60) * 60
	got.Cleared = 0
	if got != s.counts {
		t.Errorf("the program has counted %+v, want %+v", got, s.counts)
	}
	if err := attachment.Close(); err != nil {
		t.Error(err)
	}
	for i, passes := range pass(from, to, sent[:100]) {
		if kind := binary.BigEndian.Uint16(sent[i][12:]); !passes && kind>>8 != 0x81 &&
			kind>>8 != 0x88 {
			t.Errorf("%x is dropped after the end", sent[i])
		}
	}
}
