package guard

import (
	"errors"
	"io"
	"net/netip"
	"os"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/capture/capturetest"
	"github.com/bloomlane/bloomlane/xdp"
)

// The kernel drops the packets of a capture that the guard rejects, and no others, where both have
// the same list.
func TestRejectedInTheKernel(t *testing.T) {
	for _, name := range []string{capturetest.CIP, capturetest.Download, capturetest.Loopback} {
		t.Run(name, func(t *testing.T) { testRejectedInTheKernel(t, name) })
	}
}

func testRejectedInTheKernel(t *testing.T, name string) {
	program, err := xdp.Load(xdp.Options{Mode: xdp.Exact})
	var lacking *xdp.Error
	if errors.As(err, &lacking) {
		require.Skip(t, "xdp", err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	read := func(each func(source netip.Addr, payload, frame []byte)) {
		var readers [2]*capture.Reader
		for i := range readers {
			file, err := os.Open(capturetest.Path(t, name))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			readers[i] = capture.Open(file)
		}
		for {
			source, payload, err := readers[0].Next()
			if errors.Is(err, io.EOF) {
				return
			}
			frame, again := readers[1].NextFrame()
			if err := errors.Join(err, again); err != nil {
				t.Fatal(err)
			}
			each(source, payload, frame)
		}
	}
	seen := map[netip.Addr]bool{}
	var listed []netip.Addr // every other source
	read(func(source netip.Addr, _, _ []byte) {
		if source.IsValid() && !seen[source] {
			if seen[source] = true; len(seen)%2 == 1 {
				listed = append(listed, source)
			}
		}
	})
	table, err := program.NewTable(deletable.Config{Members: len(listed), Rate: 0.001})
	if err == nil {
		err = program.Replace(xdp.Deny, table)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for _, source := range listed {
		if err := table.Insert(netip.PrefixFrom(source, source.BitLen())); err != nil {
			t.Fatal(err)
		}
	}
	engine := mustEngine(t, NewExactSets(), 1<<16, listed, nil)
	packets, rejected := 0, 0
	read(func(source netip.Addr, payload, frame []byte) {
		if testing.Short() && packets == 2000 || frame == nil {
			return
		}
		const most = 1514 // the kernel takes packets of this test below a page
		action, err := program.Kernel().Run(&ebpf.RunOptions{Data: frame[:min(len(frame), most)]})
		if err != nil {
			t.Fatal(err)
		}
		verdict := mustVerdict(t, engine, source, payload)
		const drop = 1 // XDP_DROP
		if dropped := action == drop; dropped != (verdict == Rejected) {
			t.Fatalf("packet %d of %v: dropped %v, and the guard says %c", packets, source, dropped,
				verdict)
		}
		packets++
		if verdict == Rejected {
			rejected++
		}
	})
	if packets < 20 || rejected < 5 {
		t.Errorf("%d of %d packets are rejected, want more", rejected, packets)
	}
}
