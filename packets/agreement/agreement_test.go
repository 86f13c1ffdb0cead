package agreement

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/c"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/hdl"
	"github.com/bloomlane/bloomlane/hdl/cosim"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/packets/capture"
	"github.com/bloomlane/bloomlane/packets/capture/capturetest"
	"github.com/bloomlane/bloomlane/xdp"
)

// short is a scenario of a part of a capture, in which everything happens.
func short(t *testing.T) *scenario {
	t.Helper()
	in, err := os.Open(capturetest.Path(t, capturetest.CIP))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	config := Config{Blocks: 16, Steps: 24, Packets: 3000, Seed: 1}
	s, err := config.scenario(capture.Open(in))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// report runs a scenario on a machine. The test is skipped where it is not here.
func (s *scenario) report(t *testing.T, m machine) *Report {
	t.Helper()
	r, err := s.run(t.Context(), "a capture", []machine{m})
	if err != nil {
		t.Fatal(err)
	}
	var noCompiler NoCompilerError
	var noKernel *xdp.Error
	var noTool *cosim.NotInstalledError
	switch missing := r.Machines[0].missing; {
	case errors.As(missing, &noCompiler):
		require.Skip(t, "cc", missing.Error())
	case errors.As(missing, &noKernel):
		require.Skip(t, "xdp", missing.Error())
	case errors.As(missing, &noTool):
		require.Skip(t, "cosim", missing.Error())
	}
	return r
}

// Go on each implementation, the header for C, the packet program and the Verilog give each packet
// the same verdict, each change the same result, and all blocks the same bytes.
func TestAgreement(t *testing.T) {
	s := short(t)
	for _, m := range machines(t.Context()) {
		t.Run(m.name, func(t *testing.T) {
			r := s.report(t, m)
			if err := r.Failure(); err != nil {
				t.Error(err)
			}
			if min(r.Denied, r.Passed, r.NoSource, r.Deleted, r.Adds) < 100 || r.Innocent < 3 ||
				r.Retained < 3 {
				t.Errorf("%+v: want more of each", r)
			}
			for _, form := range r.Forms {
				if form.Packets < 50 {
					t.Errorf("%d packets are %s, want more", form.Packets, form.Name)
				}
			}
			if m := r.Machines[0]; m.Cost.PerPacket <= 0 || m.Verdicts.Compared != 4000 {
				t.Errorf("%+v", m)
			}
			if m := r.Machines[0]; m.Cost.Latency > 0 { // in clocks: a beat is one
				beats := 0
				for _, frame := range s.traffic.frames {
					beats += (len(frame) + beat - 1) / beat
				}
				want := float64(beats) / float64(len(s.traffic.frames))
				if m.Cost.PerPacket != want || m.Cost.Latency != 33 {
					t.Errorf("%+v: want %v clocks and a latency of 33", m.Cost, want)
				}
			}
		})
	}
}

// changed returns a text with a part replaced, which occurs once.
func changed(t *testing.T, text, old, planted string) string {
	t.Helper()
	if n := strings.Count(text, old); n != 1 {
		t.Fatalf("%q occurs %d times, want once", old, n)
	}
	return strings.Replace(text, old, planted, 1)
}

// rtl returns a file of package hdl with a mistake.
func rtl(t *testing.T, name, old, planted string) map[string]string {
	t.Helper()
	text, err := fs.ReadFile(hdl.RTL, name)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{name: changed(t, string(text), old, planted)}
}

// forgetful leaves a delete out now and then.
type forgetful struct {
	executor
	calls int
}

func (f *forgetful) change(insert bool, addresses []netip.Addr, results []uint8) error {
	if f.calls++; f.calls == 5 {
		addresses, results = addresses[1:], results[1:]
	}
	return f.executor.change(insert, addresses, results)
}

// A mistake in any machine is found: in what it reads, in what it changes, or in both.
func TestMistakesAreFound(t *testing.T) {
	s := short(t)
	portable := goMachine(dispatch.ByName("purego"))
	for _, test := range []struct {
		name             string
		machine          machine
		verdicts, blocks bool // that differ
	}{
		{"Go leaves a delete out", machine{"Go", func(s *scenario) (executor, error) {
			e, err := portable.start(s)
			return &forgetful{executor: e}, err
		}}, false, true},
		{"C marks no collision", cMachine(strings.Replace(c.Header, "collided |= own & old;",
			"collided |= own & old & 0;", 1)), false, true},
		{"C ends a hash otherwise", cMachine(changed(t, c.Header, "^= 0xff;",
			"^= 0xfe;")), true, true},
		{"the kernel looks at destinations", kernelMachine(xdp.Options{
			Side: xdp.Destination}), true, false},
		{"the kernel drops what is malformed", kernelMachine(xdp.Options{
			DropMalformed: true}), true, false},
		{"the Verilog knows no service tags", verilogMachine(t.Context(), rtl(t,
			"bloomlane_source.v", "16'h88a8 ", "16'h88a9 ")), true, false},
		{"the Verilog knows no tags of type 9100", verilogMachine(t.Context(), rtl(t,
			"bloomlane_source.v", "16'h9100 ", "16'h9101 ")), true, false},
		{"the Verilog marks no collision", verilogMachine(t.Context(), rtl(t,
			"bloomlane_table_core.v",
			"((decide_collided | decide_mask_reg[W-1:0]) & {W{decide_insert_reg}})",
			"(decide_mask_reg[W-1:0] & {W{decide_insert_reg}})")), false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := s.report(t, test.machine).Machines[0]
			if m.agrees() || m.Difference == "" {
				t.Errorf("%+v: want a difference", m)
			}
			if test.verdicts && m.Verdicts.Differ == 0 || test.blocks && m.Blocks.Differ == 0 {
				t.Errorf("%+v: want other differences", m)
			}
		})
	}
}

// Where a machine is missing the others are compared, and the report says which one and why.
func TestMissing(t *testing.T) {
	s := short(t)
	r, err := s.run(t.Context(), "a capture", []machine{
		{"Linux kernel", func(*scenario) (executor, error) {
			return nil, &xdp.Error{Found: "no BPF", Expected: "Linux 6.1"}
		}}, goMachine(dispatch.ByName("purego"))})
	if err != nil || r.Failure() != nil || r.Machines[0].Missing == "" ||
		r.Machines[1].Missing != "" {
		t.Errorf("%+v, %v", r, err)
	}
	if !strings.Contains(r.String(), "\nLinux kernel ") ||
		!strings.Contains(r.String(), "  did not run: ") {
		t.Error(r)
	}
}

// pcap makes a capture of frames of Ethernet.
func pcap(frames ...[]byte) *capture.Reader {
	le := binary.LittleEndian
	file := []byte{0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 19: 4, 20: 1, 23: 0}
	for _, frame := range frames {
		length := uint32(len(frame))
		file = le.AppendUint32(le.AppendUint32(append(file, make([]byte, 8)...), length), length)
		file = append(file, frame...)
	}
	return capture.Open(bytes.NewReader(file))
}

// A scenario keeps the plan of its filter, however many sources and steps there are: its list is
// never longer, and has no more inserts.
func TestPlanIsKept(t *testing.T) {
	var frames [][]byte
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 4000 {
		source := netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})
		frames = append(frames, forms[0].frame(rng, source, source, nil))
	}
	for _, c := range []Config{{Blocks: 2, Steps: 1000}, {Blocks: 2, Steps: 4000}, {Blocks: 64,
		Steps: 4000}} {
		s, err := c.scenario(pcap(frames...))
		if err := errors.Join(err, c.Check()); err != nil {
			t.Fatal(err)
		}
		f, err := deletable.Read(bytes.NewReader(s.file), s.config.Key)
		if err != nil {
			t.Fatal(err)
		}
		most, changes := f.Members(), 0
		for _, step := range s.steps {
			for _, a := range step.addresses {
				if !step.insert {
					f.Delete(a.AsSlice())
				} else if _, err := f.Insert(a.AsSlice()); err != nil {
					t.Fatal(err)
				}
			}
			changes, most = changes+len(step.addresses), max(most, f.Members())
		}
		if most > s.config.Members || f.Due() != nil || changes < c.Steps {
			t.Errorf("%+v: %d members, planned %d: %v; %d changes", c, most, s.config.Members,
				f.Due(), changes)
		}
	}
}

// A capture without sources is refused.
func TestNoSources(t *testing.T) {
	arp := make([]byte, 60)
	arp[12], arp[13] = 8, 6
	c := Config{Blocks: 16, Steps: 2}
	if _, err := c.scenario(pcap(arp, arp)); err == nil ||
		!strings.Contains(err.Error(), "found no packet with a source") {
		t.Errorf("error %v", err)
	}
}

// What a run takes does not grow with the product of its steps and its blocks.
func TestMemory(t *testing.T) {
	in, err := os.Open(capturetest.Path(t, capturetest.CIP))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c := Config{Blocks: 4096, Steps: 400, Packets: 400, Seed: 1}
	s, err := c.scenario(capture.Open(in))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.report(t, goMachine(dispatch.ByName("purego")))
	runtime.ReadMemStats(&after)
	const table = 4096 * 64
	if took := after.TotalAlloc - before.TotalAlloc; took > 40*table {
		t.Errorf("it takes %d bytes, want fewer than for 40 tables", took)
	}
}

// Sizes that a run cannot have are refused.
func TestConfig(t *testing.T) {
	for _, wrong := range []Config{{Blocks: 3, Steps: 1}, {Blocks: 1, Steps: 1},
		{Blocks: 8192, Steps: 1}, {Blocks: 16}, {Blocks: 16, Steps: 10_001},
		{Blocks: 2, Steps: 4001}, {Blocks: 16, Steps: 1, Packets: -1}} {
		if wrong.Check() == nil {
			t.Errorf("%+v is accepted", wrong)
		}
	}
	if err := (&Config{Blocks: 128, Steps: 64}).Check(); err != nil {
		t.Error(err)
	}
}

// generated returns a frame with any number of tags, of any type, and IP with its fragments and
// extension headers, that may be cut anywhere.
func generated(rng *rand.Rand) []byte {
	one := func(of ...uint16) uint16 { return of[rng.IntN(len(of))] }
	f := form{kind: one(ipv4, ipv4, ipv6, ipv6, arp, uint16(rng.Uint32()))}
	for range max(0, rng.IntN(8)-2) {
		f.tags = append(f.tags, one(vlan, vlan, service, early, other, 0x9300))
	}
	var payload []byte
	next := byte(59)
	if f.kind == ipv6 {
		kinds := []byte{0, 43, 44, 51, 60, 135, 139, 140}
		for range rng.IntN(11) {
			kind, size := kinds[rng.IntN(len(kinds))], rng.IntN(3)
			header := make([]byte, 8*(size+1))
			header[0], header[1], header[3] = next, byte(size), byte(rng.IntN(2))
			payload, next = append(header, payload...), kind
		}
	}
	payload = append(payload, make([]byte, rng.IntN(40))...)
	f.harm = func(rng *rand.Rand, ip []byte) []byte {
		if f.kind == ipv6 {
			ip[6] = next
		} else {
			binary.BigEndian.PutUint16(ip[6:], one(0, 0, 0x2000, 1, 0x4000))
		}
		if rng.IntN(8) == 0 {
			ip[0] = byte(rng.Uint32())
		}
		return ip
	}
	x := rng.Uint32N(500)
	v4 := netip.AddrFrom4([4]byte{192, 0, byte(x >> 8), byte(x)})
	v6 := netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 14: byte(x >> 8), 15: byte(x)})
	frame := f.frame(rng, v4, v6, payload)
	if rng.IntN(4) == 0 {
		frame = frame[:shortest+rng.IntN(len(frame)-shortest+1)]
	}
	return frame
}

// All machines give generated frames the same verdicts: in the long form a million of them.
func TestAgreementOnGeneratedFrames(t *testing.T) {
	frames := 5000
	if os.Getenv("BLOOMLANE_FRAMES") == "full" {
		frames = 1_000_000
	}
	rng := rand.New(rand.NewPCG(57, 8))
	traffic := &traffic{captured: frames, synthesised: make([]int, len(forms))}
	for range frames {
		traffic.frames = append(traffic.frames, generated(rng))
	}
	s, err := newScenario(rng, traffic, keytest.Sip(57), 16, 24)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range machines(t.Context()) {
		t.Run(m.name, func(t *testing.T) {
			r := s.report(t, m)
			if err := r.Failure(); err != nil {
				t.Error(err)
			}
			if min(r.Denied, r.Passed, r.NoSource) < frames/20 {
				t.Errorf("%+v: want more of each", r)
			}
			if n := r.Machines[0].Verdicts.Compared; n != frames {
				t.Errorf("%d verdicts are compared, want %d", n, frames)
			}
		})
	}
}
