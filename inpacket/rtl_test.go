package inpacket

import (
	"slices"
	"testing"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/kernel"
)

// The words for the Verilog, for the worked example of DESIGN.md.
func TestWords(t *testing.T) {
	const h = 0x0123456789abcdef
	if got := Words(kernel.Block256{1, 2, 3, 4, 5, 6, 7, 1 << 31}); !slices.Equal(got,
		[]uint32{1, 2, 3, 4, 5, 6, 7, 1 << 31}) {
		t.Errorf("words %x", got)
	}
	if got := Words(kernel.Block512{1<<40 | 3, 2}); !slices.Equal(got[:4],
		[]uint32{3, 1 << 8, 2, 0}) || len(got) != 16 {
		t.Errorf("words %x", got)
	}
	if got, want := TUser(OpDelete, kernel.Positions256(h)), uint64(0x0649d3dbc<<3|2); got != want {
		t.Errorf("tuser %#x, want %#x", got, want)
	}
	if got := TUser(OpPass, 1<<PositionBits[kernel.Block512]()-1); got !=
		(1<<45-1)&^TUserProgrammed {
		t.Errorf("tuser %#x", got)
	}
	for op := range Op(8) { // an operation sets no bit except its two
		if got := TUser(op, 0); got != uint64(op%4) {
			t.Errorf("tuser %#x of operation %d", got, op)
		}
	}
	if n, w := PositionBits[kernel.Block256](), PositionBits[kernel.Block512](); n != 35 ||
		w != 42 {
		t.Errorf("positions of %d and %d bits", n, w)
	}
}

// Positions and masks describe the same bits.
func TestPortWrites(t *testing.T) {
	eachWidth(t, testPortWrites[kernel.Block256], testPortWrites[kernel.Block512])
}

func testPortWrites[B Block](t *testing.T) {
	p, all := newPlane[B](t, Config{}, 6)
	var elements []Element[B]
	for _, identifier := range all {
		elements = append(elements, p.Element(identifier))
	}
	writes := PortWrites(elements, 3, 8)
	b := PositionBits[B]() / fallback.K
	for port, w := range writes {
		if w.Port != port || w.Enable != (port < 6) {
			t.Errorf("write %d: %+v", port, w)
		}
		var mask B
		for i := fallback.CollisionLanes; w.Enable && i < fallback.Lanes; i++ {
			setLane(&mask, i, 1<<(w.Positions>>(b*(7-i))&(1<<b-1)))
		}
		if mask != w.Mask {
			t.Errorf("port %d: positions %#x, mask %v", port, w.Positions, w.Mask)
		}
	}
	q, _ := newPlane[kernel.Block256](t, Config{Plain: true}, 1)
	plain := q.Element([]byte("x"))
	if w := PortWrites([]Element[kernel.Block256]{plain}, 7, 1)[0]; w.Mask != plain.Masks[7] ||
		w.Positions != 0 {
		t.Errorf("%+v", w)
	}
	defer func() {
		if recover() == nil {
			t.Error("six elements for five ports: no panic")
		}
	}()
	PortWrites(elements, 0, 5)
}
