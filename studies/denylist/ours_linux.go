package denylist

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/xdp"
)

// ours is the program of module xdp in two of its modes.
var ours = []struct {
	name string
	mode xdp.Mode
}{{nameFilter, xdp.Filter}, {nameExact, xdp.Exact}}

// newOurs returns the program of module xdp whose table has the members.
func newOurs(name string, mode xdp.Mode, f family, members []address) (*subject, error) {
	fail := func(err error) (*subject, error) { return nil, fmt.Errorf("%s: %w", name, err) }
	program, err := xdp.Load(xdp.Options{Mode: mode})
	if err != nil {
		return fail(err)
	}
	table, err := program.NewTable(deletable.Config{Members: len(members),
		BitsPerKey: bitsPerMember})
	if err != nil {
		_ = program.Close() // the first error counts
		return fail(err)
	}
	s := &subject{name: name, program: program.Kernel(), memory: table.Memory, close: func() {
		_ = program.Close()
		_ = table.Close()
	}}
	prefixes := make([]netip.Prefix, len(members))
	for i, a := range members {
		prefixes[i] = netip.PrefixFrom(a.addr(f), 8*len(a.addr(f).AsSlice()))
	}
	start := time.Now()
	for from := 0; from < len(prefixes); from += batch {
		err := table.InsertBatch(prefixes[from:min(from+batch, len(prefixes))])
		if err != nil {
			s.close()
			return fail(err)
		}
	}
	if err := program.Replace(xdp.Deny, table); err != nil {
		s.close()
		return fail(err)
	}
	s.load = float64(time.Since(start).Nanoseconds()) / float64(len(members))
	return s, nil
}
