package xdp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/netip"
	"os"
	"sync/atomic"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// sweep is the program of testdata/sweep.c: the program, on members one after another.
type sweep struct {
	*Program
	members []netip.Prefix
	packet  []byte // of the first of them
}

// newSweep loads the program for some members, and with options.
func newSweep(t *testing.T, members int, options Options) *sweep {
	t.Helper()
	load(t, Options{}) // or skip
	p, err := loaded(compile(t, "testdata/sweep.c"), "sweep", options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	const first = 12345
	s := &sweep{Program: p}
	for source := uint32(first); len(s.members) < members; source = source*1664525 + 1013904223 {
		s.members = append(s.members, one(netip.AddrFrom4([4]byte(
			binary.LittleEndian.AppendUint32(nil, source)))))
	}
	s.packet = frame(s.members[0].Addr(), netip.IPv4Unspecified())
	binary.LittleEndian.PutUint32(s.packet[38:], uint32(members)) // the period
	binary.LittleEndian.PutUint32(s.packet[42:], first)
	return s
}

// queries is how many queries of members the tests make, in thousands.
func queries() int {
	if os.Getenv("BLOOMLANE_XDP") == "full" {
		return 1_000_000
	}
	if testing.Short() {
		return 500
	}
	return 2000
}

// table returns a table that has the members, of 16 bits for each, under a key of its own.
func (s *sweep) table(t *testing.T, number byte, more int) *Table {
	t.Helper()
	members := len(s.members) + more
	table, err := s.NewTable(deletable.Config{Members: members, BitsPerKey: 16,
		Key: keytest.Sip(35, number)})
	if err == nil {
		err = table.InsertBatch(s.members)
	}
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// race runs write beside the queries, a number of times at least, until all queries are made.
func (s *sweep) race(t *testing.T, least int, write func(round int)) {
	t.Helper()
	done := make(chan error, 1)
	var rounds atomic.Int64
	go func() {
		const repeat = 100_000
		for n := 0; n < queries()*1000 || rounds.Load() < int64(least); n += repeat {
			options := ebpf.RunOptions{Data: s.packet, Repeat: repeat}
			if _, err := s.program.Run(&options); err != nil {
				done <- err
				return
			}
		}
		close(done)
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			c, err := s.Counts()
			if err != nil {
				t.Fatal(err)
			}
			if c.Passed.Packets != 0 || c.Denied.Packets < uint64(queries()*1000) {
				t.Errorf("%d packets of members fell, and %d passed in %d rounds",
					c.Denied.Packets, c.Passed.Packets, rounds.Load())
			}
			return
		default:
			write(int(rounds.Load()))
			rounds.Add(1)
		}
	}
}

// Queries in the kernel find every member while Go inserts and deletes others in the same blocks,
// in batches and one by one, and refreshes blocks.
func TestReadersBesideWriters(t *testing.T) {
	s := newSweep(t, 5000, Options{})
	table := s.table(t, 1, 0)
	defer table.Close()
	if err := s.Replace(Deny, table); err != nil {
		t.Fatal(err)
	}
	f := table.Filter()
	members := table.hashes(s.members)
	rng := rand.New(rand.NewPCG(35, 7))
	others := make([]uint64, 500)
	s.race(t, 60, func(round int) {
		for i := range others {
			others[i] = rng.Uint64()
		}
		switch round % 3 {
		case 0:
			if _, err := f.InsertHashBatch(others, nil); err != nil {
				t.Fatal(err)
			}
			f.DeleteHashBatch(others, nil)
		case 1:
			for _, h := range others {
				_, _ = f.InsertHash(h) // of a filter that is open
			}
			for _, h := range others {
				f.DeleteHash(h)
			}
		case 2:
			blocks := f.Shape().Blocks
			first := rng.IntN(blocks - 20)
			err := f.RefreshHash(context.Background(), first, first+20,
				func(low, high uint64) iter.Seq2[uint64, error] {
					return func(yield func(uint64, error) bool) {
						for _, h := range members {
							if low <= h && h <= high && !yield(h, nil) {
								return
							}
						}
					}
				})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// While tables are replaced, by ones of other sizes and keys with other members besides, no packet
// of a member of all of them passes: also where an exact set confirms it.
func TestReplaceBesidePackets(t *testing.T) {
	for _, mode := range []Mode{Filter, Exact} {
		t.Run(mode.String(), func(t *testing.T) {
			s := newSweep(t, 300, Options{Mode: mode})
			var old *Table
			replace := func(round int) {
				table := s.table(t, byte(round), round%5*100)
				for i := range 20 {
					other := fmt.Sprintf("240.0.%d.%d", round%256, i)
					if err := table.Insert(prefix(other)); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Replace(Deny, table); err != nil {
					t.Fatal(err)
				}
				if old != nil {
					if err := old.Close(); err != nil {
						t.Fatal(err)
					}
				}
				old = table
			}
			replace(0)
			s.race(t, 10, replace)
			if err := old.Close(); err != nil {
				t.Error(err)
			}
			if !s.run(t, s.packet) {
				t.Error("the program loses a table that Go has closed")
			}
			if err := s.Replace(Deny, nil); err != nil {
				t.Fatal(err)
			}
			if s.run(t, s.packet) {
				t.Error("a packet falls without a table")
			}
			for _, outer := range []string{tables, sets} {
				var inner uint32
				err := s.collection.Maps[outer].Lookup(uint32(Deny), &inner)
				if !errors.Is(err, ebpf.ErrKeyNotExist) {
					t.Errorf("%s keep what was in the list: %v", outer, err)
				}
			}
		})
	}
}
