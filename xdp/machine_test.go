package xdp

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/internal/require"
)

// load loads a program until the end of the test, which is skipped on a machine without XDP.
func load(tb testing.TB, options Options) *Program {
	tb.Helper()
	p, err := Load(options)
	if err != nil {
		var lacking *Error
		if errors.As(err, &lacking) {
			require.Skip(tb, "xdp", err.Error())
		}
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := p.Close(); err != nil {
			tb.Error(err)
		}
	})
	return p
}

// table puts a table for some members into a list, until the end of the test.
func (p *Program) table(tb testing.TB, list List, members int) *Table {
	tb.Helper()
	t, err := p.NewTable(deletable.Config{Members: members, Rate: 0.001, Turnovers: 1})
	if err == nil {
		err = p.Replace(list, t)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := t.Close(); err != nil {
			tb.Error(err)
		}
	})
	return t
}

// run runs the program on a frame, and reports whether it drops it.
func (p *Program) run(tb testing.TB, frame []byte) bool {
	tb.Helper()
	result, err := p.program.Run(&ebpf.RunOptions{Data: frame})
	if err != nil {
		tb.Fatal(err)
	}
	passes, drops := uint32(2), uint32(1) // XDP_PASS, XDP_DROP
	if p.options.Hook != XDP {
		passes, drops = ^uint32(0), 2 // TCX_NEXT, TCX_DROP
	}
	if result != passes && result != drops {
		tb.Fatalf("the program returns %d, expected %d or %d", result, passes, drops)
	}
	return result == drops
}

// frame returns a packet without a payload in a frame of Ethernet.
func frame(source, destination netip.Addr) []byte {
	f := make([]byte, 64)
	if source.Is4() {
		binary.BigEndian.PutUint16(f[12:], 0x0800)
		f[14] = 0x45
		copy(f[26:], source.AsSlice())
		copy(f[30:], destination.AsSlice())
		return f
	}
	binary.BigEndian.PutUint16(f[12:], 0x86dd)
	f[14], f[20] = 0x60, 59 // no next header
	copy(f[22:], source.AsSlice())
	copy(f[38:], destination.AsSlice())
	return f
}

func addr(text string) netip.Addr { return netip.MustParseAddr(text) }

func prefix(text string) netip.Prefix {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p
	}
	return one(addr(text))
}

// one returns the prefix that is one address.
func one(a netip.Addr) netip.Prefix { return netip.PrefixFrom(a, a.BitLen()) }

// caused checks that an error has a cause and one line.
func caused(t *testing.T, err error, want Cause) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Cause != want || strings.Contains(err.Error(), "\n") ||
		len(err.Error()) > 400 {
		t.Errorf("the error is %v, want one with the cause %v", err, want)
	}
}
