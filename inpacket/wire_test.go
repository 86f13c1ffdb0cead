package inpacket

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/kernel"
)

// The form on the wire, byte for byte: lane 0 first, each lane big-endian.
func TestWireFormat(t *testing.T) {
	narrow := Header256{Table: 7, Next: 0x0800, Block: kernel.Block256{0x01020304, 0x05060708, 2, 3,
		4, 5, 6, 0xf0000000}}
	wide := Header512{Next: 0x86dd, Block: kernel.Block512{0x0102030405060708, 1, 2, 3, 4,
		5, 6, 1 << 63}}
	plain := narrow
	plain.Plain = true
	const lanes = ` 01020304 05060708 00000002 00000003 00000004 00000005 00000006 f0000000`
	check(t, &narrow, "10070800"+lanes)
	check(t, &plain, "12070800"+lanes)
	check(t, &wide, `110086dd
		0102030405060708 0000000000000001 0000000000000002 0000000000000003
		0000000000000004 0000000000000005 0000000000000006 8000000000000000`)
}

// check compares a header with its form in hexadecimal, whose white space does not count.
func check[B Block](t *testing.T, h *Header[B], want string) {
	t.Helper()
	want = strings.Join(strings.Fields(want), "")
	data, err := h.MarshalBinary()
	if err != nil || hex.EncodeToString(data) != want {
		t.Errorf("%x, %v; want %s", data, err, want)
	}
	if len(data) != HeaderBytes[B]() {
		t.Errorf("%d bytes, want %d", len(data), HeaderBytes[B]())
	}
	var again Header[B]
	if err := again.UnmarshalBinary(data); err != nil || again != *h {
		t.Errorf("read back as %+v, %v; want %+v", again, err, h)
	}
}

func TestWireErrors(t *testing.T) {
	whole, _ := (&Header256{}).MarshalBinary()
	for _, test := range []struct {
		change func([]byte) []byte
		want   error
		says   string
	}{
		{func(d []byte) []byte { return d[1:] }, ErrLength,
			"in-packet filter: wrong length: found 35, expected 36"},
		{func(d []byte) []byte { return append(d, 0) }, ErrLength,
			"in-packet filter: wrong length: found 37, expected 36"},
		{func(d []byte) []byte { return nil }, ErrLength,
			"in-packet filter: wrong length: found 0, expected 36"},
		{func(d []byte) []byte { d[0] = 0x20; return d }, ErrVersion,
			"in-packet filter: unsupported header version: found 2, expected 1"},
		{func(d []byte) []byte { d[0] = 0x11; return d }, ErrKind,
			"in-packet filter: wrong kind of header: found 1, expected 0"},
		{func(d []byte) []byte { d[0] = 0x13; return d }, ErrKind,
			"in-packet filter: wrong kind of header: found 3, expected 0"},
	} {
		h := Header256{Table: 9}
		err := h.UnmarshalBinary(test.change(bytes.Clone(whole)))
		var e *WireError
		if !errors.As(err, &e) || !errors.Is(err, test.want) || err.Error() != test.says {
			t.Errorf("%v, want %s", err, test.says)
		}
		if h != (Header256{Table: 9}) {
			t.Errorf("%s: the header changed", test.says)
		}
	}
	wide, _ := (&Header512{}).MarshalBinary()
	wide[0] = 0x12 // a plain header has 256 bits
	if err := new(Header512).UnmarshalBinary(wide); !errors.Is(err, ErrKind) {
		t.Error(err)
	}
}

// FuzzUnmarshal reads headers. A header that is accepted is written as the same bytes.
func FuzzUnmarshal(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzUnmarshal[kernel.Block256](t, data)
		fuzzUnmarshal[kernel.Block512](t, data)
	})
}

func fuzzUnmarshal[B Block](t *testing.T, data []byte) {
	var h Header[B]
	if err := h.UnmarshalBinary(data); err != nil {
		var e *WireError
		if !errors.As(err, &e) || h != (Header[B]{}) {
			t.Fatalf("%v, header %+v", err, h)
		}
		return
	}
	if again, err := h.MarshalBinary(); err != nil || !bytes.Equal(again, data) {
		t.Fatalf("%x is written as %x, %v", data, again, err)
	}
}
