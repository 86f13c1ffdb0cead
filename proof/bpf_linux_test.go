//go:build linux && amd64

package proof

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/internal/require"
)

// bpfRuns is how many states each form of an instruction is run on.
const bpfRuns = 200

// The registers of an instruction that the kernel runs, and the place in the stack that it accesses.
const (
	bpfTo    = 1
	bpfFrom  = 2
	bpfPlace = -16
)

// forms returns the instructions of what is proved of BPF, each once: with the registers, the place
// and the distance of a form that the kernel runs by itself. A jump without a condition, a call and
// an exit have no form.
func forms(t *testing.T) map[string]bpfInstruction {
	t.Helper()
	if _, err := exec.LookPath(compiler()); err != nil {
		require.Skip(t, "clang", err.Error())
	}
	functions, err := compileBPF(packets, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, err := readBPF(shipped)
	if err != nil {
		t.Fatal(err)
	}
	functions["filtered"] = program["filtered"]
	all := map[string]bpfInstruction{}
	for _, f := range functions {
		code := f.decode()
		for n := 0; n < len(code); n++ {
			i := code[n]
			if i.code == bpfTwice {
				n++ // its second half
			}
			if i.class() == bpfJump && (i.operation() == 0 || i.code == bpfCall || i.text == bpfExit) {
				continue
			}
			same := i.to == i.from
			i.to, i.from, i.symbol = bpfTo, 0, ""
			switch i.class() {
			case bpfLoad:
				i.from, i.offset = bpfFrame, bpfPlace
			case bpfStore:
				i.to, i.from, i.offset = bpfFrame, bpfTo, bpfPlace
			case bpfJump, bpfJumpWord:
				i.offset = 1
				fallthrough
			default:
				if i.code&bpfRegister != 0 && i.code != bpfTwice {
					i.from = bpfFrom
					if same {
						i.from = bpfTo
					}
				}
			}
			all[fmt.Sprintf("%#02x to %d from %d, %#x", i.code, i.to, i.from, i.number)] = i
		}
	}
	return all
}

// encode returns the instruction as the kernel reads it.
func (i bpfInstruction) encode() []byte {
	code := []byte{i.code, byte(i.to | i.from<<4)}
	code = binary.LittleEndian.AppendUint16(code, uint16(i.offset))
	code = binary.LittleEndian.AppendUint32(code, uint32(i.number))
	if i.code == bpfTwice {
		code = binary.LittleEndian.AppendUint32(append(code, 0, 0, 0, 0), uint32(i.number>>32))
	}
	return code
}

// around returns a program for the kernel that reads two words of a packet, runs the instruction on
// them, and writes what it leaves behind them: no value is known before it runs, so that the
// kernel's own reading of the program decides nothing.
func (i bpfInstruction) around() (code []byte) {
	add := func(all ...bpfInstruction) {
		for _, i := range all {
			code = append(code, i.encode()...)
		}
	}
	const packet, end, out, chosen = 6, 7, 16, 3
	body := []bpfInstruction{i, {code: 0x7b, to: packet, from: bpfTo, offset: out}}
	switch i.class() {
	case bpfStore:
		body = []bpfInstruction{i, {code: 0x79, to: bpfTo, from: bpfFrame, offset: bpfPlace}, body[1]}
	case bpfJump, bpfJumpWord:
		body = []bpfInstruction{{code: 0xb7, to: chosen, number: 1}, i, {code: 0xb7, to: chosen},
			{code: 0x7b, to: packet, from: chosen, offset: out}}
	}
	prepared := []bpfInstruction{
		{code: 0x79, to: bpfTo, from: packet}, {code: 0x79, to: bpfFrom, from: packet, offset: 8},
		{code: 0x7b, to: bpfFrame, from: bpfFrom, offset: bpfPlace},
	}
	length := len(prepared) + len(body)
	for _, i := range body {
		if i.code == bpfTwice {
			length++
		}
	}
	add(
		bpfInstruction{code: 0x61, to: packet, from: 1, offset: 76}, // __sk_buff.data
		bpfInstruction{code: 0x61, to: end, from: 1, offset: 80},    // __sk_buff.data_end
		bpfInstruction{code: 0xbf, to: 2, from: packet},
		bpfInstruction{code: 0x07, to: 2, number: 64},
		bpfInstruction{code: 0x2d, to: 2, from: end, offset: int64(length)},
	)
	add(prepared...)
	add(body...)
	add(bpfInstruction{code: 0xb7}, bpfInstruction{code: 0x95})
	return code
}

// loadBPF has the kernel load a program for traffic control, and returns its descriptor: see bpf(2).
func loadBPF(code []byte) (fd int, err error) {
	license, text := []byte("MIT\x00"), make([]byte, 1<<14)
	attributes := struct {
		kind, instructions uint32
		code, license      uint64
		level, room        uint32
		text               uint64
	}{unix.BPF_PROG_TYPE_SCHED_CLS, uint32(len(code) / 8), address(code), address(license), 1,
		uint32(len(text)), address(text)}
	r, _, e := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_LOAD, uintptr(unsafe.Pointer(&attributes)),
		unsafe.Sizeof(attributes))
	runtime.KeepAlive([][]byte{code, license, text})
	if e != 0 {
		return 0, fmt.Errorf("%w: %s", e, text[:slices.Index(text, 0)])
	}
	return int(r), nil
}

// runBPF runs a loaded program on two words, and returns the word that it writes.
func runBPF(fd int, x, y uint64) (uint64, error) {
	packet, out := make([]byte, 64), make([]byte, 64)
	binary.LittleEndian.PutUint64(packet, x)
	binary.LittleEndian.PutUint64(packet[8:], y)
	attributes := struct {
		fd, result, in, out  uint32
		dataIn, dataOut      uint64
		repeat, nanoseconds  uint32
		contextIn, contextTo uint32
		context, contextOut  uint64
	}{fd: uint32(fd), in: uint32(len(packet)), out: uint32(len(out)), dataIn: address(packet),
		dataOut: address(out)}
	_, _, e := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_TEST_RUN,
		uintptr(unsafe.Pointer(&attributes)), unsafe.Sizeof(attributes))
	runtime.KeepAlive([][]byte{packet, out})
	if e != 0 {
		return 0, e
	}
	return binary.LittleEndian.Uint64(out[16:]), nil
}

func address(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// modelBPF returns what the model says that the instruction leaves, as a function of the two words.
func modelBPF(i bpfInstruction) (func(x, y uint64) uint64, error) {
	p := newPool()
	m := &probe{pool: p}
	before := amd64.arbitrary(p, "", m)
	after := *before
	machine := &bpfMachine{pool: p}
	taken, err := machine.execute(i, &after)
	if err != nil {
		return nil, err
	}
	left := after.general[bpfTo]
	switch {
	case taken != nil:
		left = p.extend(taken, 64)
	case m.after != nil: // over what the place had
		left = m.after
		if left.width < 64 {
			left = p.concat(p.extract(before.general[bpfFrom], 63, left.width), left)
		}
	}
	e := newEvaluation(p, []*term{left})
	return func(x, y uint64) uint64 {
		e.values[before.general[bpfTo].number] = value{x}
		e.values[before.general[bpfFrom].number] = value{y}
		if m.before != nil {
			e.values[m.before.number] = value{y}.cut(m.before.width)
		}
		e.run()
		return e.lookup(left)[0]
	}, nil
}

// differs runs an instruction in the kernel and in the model of another one, which may be it, and
// says for which words they leave something else.
func differs(t *testing.T, name string, i, modelled bpfInstruction) string {
	t.Helper()
	model, err := modelBPF(modelled)
	if err != nil {
		return err.Error()
	}
	fd, err := loadBPF(i.around())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer unix.Close(fd)
	random := rand.New(rand.NewPCG(9, uint64(i.number)))
	for range bpfRuns {
		x, y := corner(random), corner(random)
		if random.IntN(8) == 0 {
			x = uint64(i.number) + uint64(random.IntN(3)) - 1 // where a comparison changes
		}
		got, err := runBPF(fd, x, y)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want := model(x, y); got != want {
			return fmt.Sprintf("%#x, %#x: the kernel has %#x, the model %#x", x, y, got, want)
		}
	}
	return ""
}

// needsBPF skips the test where the kernel runs no programs for this user.
func needsBPF(t *testing.T) {
	t.Helper()
	fd, err := loadBPF(append(bpfInstruction{code: 0xb7}.encode(), bpfInstruction{code: 0x95}.encode()...))
	if err != nil {
		require.Skip(t, "xdp", err.Error())
	}
	unix.Close(fd)
}

// TestBPFInstructions runs every instruction of what is proved of BPF in this kernel and in the model.
func TestBPFInstructions(t *testing.T) {
	needsBPF(t)
	all := forms(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if difference := differs(t, name, all[name], all[name]); difference != "" {
			t.Errorf("%s: %s", name, difference)
		}
	}
	if len(all) < 40 {
		t.Errorf("%d forms", len(all))
	}
	t.Logf("%d forms of instructions", len(all))
}

// A meaning that is another's is found: that of the next operation, or of another width.
func TestWrongBPFIsFound(t *testing.T) {
	needsBPF(t)
	all, found := forms(t), 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		i, wrong := all[name], all[name]
		switch wrong.class() {
		case bpfLoad:
			wrong.code ^= 0x08
		case bpfStore:
			wrong.code ^= 0x18
		case bpfNumber:
			wrong.number ^= 1 << 40
		default:
			wrong.code ^= 0x10
		}
		if difference := differs(t, name, i, wrong); difference == "" {
			t.Errorf("%s has the meaning of code %#02x", name, wrong.code)
		} else {
			found++
		}
	}
	t.Logf("%d wrong meanings found", found)
}
