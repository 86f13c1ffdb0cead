package xdp

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/internal/require"
)

// The two ends of a pair of interfaces: what is sent at the far end arrives at the near one, where
// programs are attached.
const (
	near = "near"
	far  = "far"
)

// isolate moves the test, on a thread of its own, into a namespace with the pair of interfaces, and
// with a BPF file system, whose path it returns. All of it vanishes with the thread.
func isolate(t *testing.T) (pins string) {
	t.Helper()
	load(t, Options{}) // or skip
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWNS); err != nil {
		require.Skip(t, "xdp", "no namespaces: "+err.Error())
	}
	var one unix.CPUSet // so that packets keep their order
	if err := unix.SchedGetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	for cpu := range 1024 {
		if one.IsSet(cpu) {
			one.Zero()
			one.Set(cpu)
			break
		}
	}
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	pins = filepath.Join(t.TempDir(), "bpf")
	if err := os.Mkdir(pins, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("bpf", pins, "bpf", 0, ""),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // before the folder is removed
		if err := unix.Unmount(pins, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	ip(t, "link", "add", near, "type", "veth", "peer", "name", far)
	for _, name := range []string{near, far} {
		// no packets of the system's own
		path := "/proc/sys/net/ipv6/conf/" + name + "/disable_ipv6"
		err := os.WriteFile(path, []byte("1"), 0)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		ip(t, "link", "set", name, "up")
	}
	return pins
}

// ip runs a command of iproute2 in the namespace of the thread.
func ip(t *testing.T, args ...string) {
	t.Helper()
	path, err := exec.LookPath("ip")
	if err != nil {
		require.Skip(t, "xdp", "no ip: .ci/setup installs it")
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("ip %v: %v\n%s", args, err, out)
	}
}

// port is a socket for frames at an interface.
type port struct {
	t  testing.TB
	fd int
}

// newPort returns a socket for the frames of a protocol, such as unix.ETH_P_ALL.
func newPort(t testing.TB, name string, protocol uint16) port {
	t.Helper()
	device, err := net.InterfaceByName(name)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, int(swapped(protocol)))
	if err != nil {
		t.Fatal(err)
	}
	p := port{t, fd}
	t.Cleanup(func() { _ = unix.Close(fd) })
	const buffer = 16 << 20
	for _, err := range []error{
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: swapped(protocol), Ifindex: device.Index}),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, buffer),
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 20}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// swapped returns a number in network order.
func swapped(x uint16) uint16 {
	return binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, x))
}

func (p port) send(frame []byte) {
	p.t.Helper()
	// the sender is told of a frame that falls when it leaves
	if _, err := unix.Write(p.fd, frame); err != nil && !errors.Is(err, unix.ENOBUFS) {
		p.t.Fatalf("%x: %v", frame, err)
	}
}

// receive returns the next frame that arrives at the interface.
func (p port) receive() []byte {
	p.t.Helper()
	buffer := make([]byte, 1<<16)
	for {
		n, from, err := unix.Recvfrom(p.fd, buffer, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			p.t.Fatal(err)
		}
		if link, ok := from.(*unix.SockaddrLinklayer); ok && link.Pkttype != unix.PACKET_OUTGOING {
			return buffer[:n]
		}
	}
}

// pass sends frames from the far end to the near one, and reports which arrive. It writes their
// numbers into the address of the sender, and a last frame behind each group, which passes.
func pass(from, to port, frames [][]byte) []bool {
	const group = 60 // less than an interface holds back
	arrived := make([]bool, len(frames))
	numbered := func(frame []byte, number int) []byte {
		frame = slices.Clone(frame)
		frame[6], frame[7] = 2, 0
		binary.BigEndian.PutUint32(frame[8:], uint32(number))
		return frame
	}
	last := make([]byte, 60)
	binary.BigEndian.PutUint16(last[12:], 0x88b5) // for experiments
	for start := 0; start < len(frames); start += group {
		for i, frame := range frames[start:min(start+group, len(frames))] {
			from.send(numbered(frame, start+i))
		}
		from.send(numbered(last, len(frames)))
		for {
			number := int(binary.BigEndian.Uint32(to.receive()[8:]))
			if number == len(frames) {
				break
			}
			arrived[number] = true
		}
	}
	return arrived
}
