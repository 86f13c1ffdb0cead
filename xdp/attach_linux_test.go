package xdp

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// held returns the number of programs, maps and links that the process holds.
func held(t *testing.T) (n int) {
	t.Helper()
	const folder = "/proc/self/fd"
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		// one that is closed meanwhile is none
		if to, err := os.Readlink(filepath.Join(folder, entry.Name())); err == nil &&
			strings.Contains(to, "bpf") {
			n++
		}
	}
	return n
}

// When a process is killed, packets pass again, unless the attachment is pinned. A pinned one stays
// until another program takes it over or it is removed.
func TestLife(t *testing.T) {
	pins := isolate(t)
	from, to := newPort(t, far, unix.ETH_P_ALL), newPort(t, near, unix.ETH_P_ALL)
	const first, second = "192.0.2.1", "192.0.2.2"
	if denies(from, to, first) {
		t.Fatal("a packet falls before anything is attached")
	}
	for _, pinned := range []bool{false, true} {
		words := []string{"attached", near}
		pin := ""
		if pinned {
			pin = filepath.Join(pins, "guard")
			words = append(words, pin)
		}
		line, kill := start(t, words...)
		if line != "attached" || !denies(from, to, first) {
			t.Fatalf("%v: %s", words, line)
		}
		kill()
		if denies(from, to, first) != pinned {
			t.Errorf("%v: denied %v after the process was killed", words, !pinned)
		}
	}
	pin := filepath.Join(pins, "guard")
	p := load(t, Options{})
	table := p.table(t, Deny, 10)
	if err := table.Insert(prefix(second)); err != nil {
		t.Fatal(err)
	}
	refused := func(a *Attachment, err error) {
		t.Helper()
		if caused(t, err, Occupied); a != nil {
			t.Errorf("there is an attachment beside the error %v", err)
		}
	}
	refused(p.Attach(Target{Interface: near}))
	refused(p.Attach(Target{Interface: far, Pin: pin}))
	refused(load(t, Options{Hook: Ingress}).Attach(Target{Interface: near, Pin: pin}))
	if !denies(from, to, first) {
		t.Error("the pinned attachment is gone")
	}
	attachment, err := p.Attach(Target{Interface: near, Pin: pin})
	if err != nil {
		t.Fatal(err)
	}
	if denies(from, to, first) || !denies(from, to, second) || !attachment.Pinned() {
		t.Error("the program has not taken the attachment over")
	}
	if err := attachment.Close(); err != nil {
		t.Error(err)
	}
	if !denies(from, to, second) {
		t.Error("the end of the process ends a pinned attachment")
	}
	if err := Remove(pin); err != nil {
		t.Error(err)
	}
	if denies(from, to, second) {
		t.Error("the attachment is in force after its removal")
	}
	caused(t, Remove(pin), Pinned)
	if attachment, err = p.Attach(Target{Interface: near, Pin: pin}); err != nil {
		t.Fatal(err)
	}
	if err := attachment.Detach(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(pin); denies(from, to, second) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the attachment is in force after Detach, or its pin is there: %v", err)
	}
}

// Of two programs at one pin the second is in force. The first is told of it, and its end is not
// the other's.
func TestTakenOver(t *testing.T) {
	pins := isolate(t)
	from, to := newPort(t, far, unix.ETH_P_ALL), newPort(t, near, unix.ETH_P_ALL)
	target := Target{Interface: near, Pin: filepath.Join(pins, "guard")}
	var attachments []*Attachment
	for i, address := range []string{"192.0.2.1", "192.0.2.2"} {
		p := load(t, Options{})
		if err := p.table(t, Deny, 10).Insert(prefix(address)); err != nil {
			t.Fatal(err)
		}
		a, err := p.Attach(target)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Check(); err != nil || a.TookOver() != (i == 1) {
			t.Errorf("%d: took over: %v, %v", i, a.TookOver(), err)
		}
		attachments = append(attachments, a)
	}
	caused(t, attachments[0].Check(), Pinned)
	if err := attachments[0].Detach(); err != nil {
		t.Error(err)
	}
	_, err := os.Lstat(target.Pin)
	if err := errors.Join(err, attachments[1].Check()); err != nil {
		t.Error(err)
	}
	if denies(from, to, "192.0.2.1") || !denies(from, to, "192.0.2.2") {
		t.Error("the second program is not in force")
	}
	if err := attachments[1].Detach(); err != nil {
		t.Error(err)
	}
}

// A program that takes over beside the end of the one before stays pinned: the end looks and acts
// while no other process does.
func TestTakenOverAtTheEnd(t *testing.T) {
	target := Target{Interface: near, Pin: filepath.Join(isolate(t), "guard")}
	first, err := load(t, Options{}).Attach(target)
	if err != nil {
		t.Fatal(err)
	}
	second := load(t, Options{})
	folder, err := os.Open(filepath.Dir(target.Pin))
	if err == nil {
		defer folder.Close()
		err = lock(folder) // in the place of the process that takes over
	}
	mounts, failed := os.Open("/proc/thread-self/ns/mnt")
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	defer mounts.Close()
	ended := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // for good
		err := unix.Unshare(unix.CLONE_FS)
		if err == nil {
			err = unix.Setns(int(mounts.Fd()), unix.CLONE_NEWNS)
		}
		if err == nil {
			err = first.Detach()
		}
		ended <- err
	}()
	for waiting := false; !waiting; time.Sleep(time.Millisecond) {
		select {
		case err := <-ended:
			t.Fatalf("the end does not wait: %v", err)
		default:
		}
		locks, err := os.ReadFile("/proc/locks")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(locks)) {
			waiting = waiting || strings.Contains(line, "-> FLOCK") &&
				slices.Contains(strings.Fields(line), strconv.Itoa(os.Getpid()))
		}
	}
	pinned, err := link.LoadPinnedLink(target.Pin, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pinned.Close()
	err = errors.Join(pinned.Update(second.program), folder.Close(), <-ended)
	if _, gone := os.Lstat(target.Pin); gone != nil || err != nil {
		t.Errorf("the second program is no longer pinned: %v, %v", gone, err)
	}
}

// A pin of another kind of link is not touched.
func TestPinOfAnother(t *testing.T) {
	pin := filepath.Join(isolate(t), "other")
	lookup, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.SkLookup, License: "MIT",
		AttachType:   ebpf.AttachSkLookup,
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 1), asm.Return()}})
	if err != nil {
		t.Fatal(err)
	}
	defer lookup.Close()
	namespace, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	defer namespace.Close()
	other, err := link.AttachNetNs(int(namespace.Fd()), lookup)
	if err == nil {
		defer other.Close()
		err = other.Pin(pin)
	}
	if err != nil {
		t.Fatal(err)
	}
	caused(t, Remove(pin), Pinned)
	_, err = load(t, Options{}).Attach(Target{Interface: near, Pin: pin})
	caused(t, err, Pinned)
	if _, err := os.Lstat(pin); err != nil {
		t.Error(err)
	}
}

// A pinned program goes on where it is: it is not taken over on another path, nor in another
// network namespace, where an interface may have the same index.
func TestTakenOverElsewhere(t *testing.T) {
	pins := isolate(t)
	before, err := net.InterfaceByName(near)
	if err != nil {
		t.Fatal(err)
	}
	pin := func(hook Hook) string { return filepath.Join(pins, hook.String()) }
	hooks := []Hook{XDP, Ingress, Egress}
	for _, hook := range hooks {
		a, err := load(t, Options{Hook: hook}).Attach(Target{Interface: near, Path: Generic,
			Pin: pin(hook)})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
	}
	attach := func(hook Hook, path Path) error {
		a, err := load(t, Options{Hook: hook}).Attach(Target{Interface: near, Path: path,
			Pin: pin(hook)})
		if err != nil {
			return err
		}
		return a.Close()
	}
	err = attach(XDP, Native)
	caused(t, err, Occupied)
	if err == nil || !strings.Contains(err.Error(), "the path generic") {
		t.Errorf("the error does not say which path it is: %v", err)
	}
	for _, hook := range hooks {
		if err := errors.Join(attach(hook, AnyPath), attach(hook, Generic)); err != nil {
			t.Errorf("%v: %v", hook, err)
		}
	}
	namespace, err := os.Open("/proc/thread-self/ns/net") // it stays
	if err != nil {
		t.Fatal(err)
	}
	defer namespace.Close()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Fatal(err)
	}
	ip(t, "link", "add", near, "type", "veth", "peer", "name", far)
	after, err := net.InterfaceByName(near)
	if err != nil || after.Index != before.Index {
		t.Fatalf("the interfaces have the indexes %d and %d: %v", before.Index, after.Index, err)
	}
	for _, hook := range hooks {
		caused(t, attach(hook, AnyPath), Occupied)
	}
	// Nor where both have a program.
	a, err := load(t, Options{}).Attach(Target{Interface: near})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	caused(t, attach(XDP, AnyPath), Occupied)
}

// A pin whose interface vanished is nothing to take over.
func TestPinOfVanished(t *testing.T) {
	target := Target{Interface: near, Pin: filepath.Join(isolate(t), "guard")}
	for range 2 {
		p := load(t, Options{})
		before := held(t)
		a, err := p.Attach(target)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Check(); err != nil || a.TookOver() {
			t.Errorf("took over: %v, %v", a.TookOver(), err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if after := held(t); after != before {
			t.Errorf("%d programs, maps and links are held, before it %d", after, before)
		}
		ip(t, "link", "del", near)
		ip(t, "link", "add", near, "type", "veth", "peer", "name", far)
	}
}

// Where the driver takes no program for frames of this size, the generic path does.
func TestJumboFrames(t *testing.T) {
	isolate(t)
	for _, name := range []string{near, far} {
		ip(t, "link", "set", name, "mtu", "9000")
	}
	p := load(t, Options{})
	_, err := p.Attach(Target{Interface: near, Path: Native})
	caused(t, err, Interface)
	if err == nil || !strings.Contains(err.Error(), "the path generic") {
		t.Errorf("the error does not say what takes them: %v", err)
	}
	a, err := p.Attach(Target{Interface: near})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// What cannot be attached says why, and holds nothing.
func TestNotAttached(t *testing.T) {
	pins := isolate(t)
	ip(t, "tuntap", "add", "dev", "flat", "mode", "tun")
	p := load(t, Options{})
	before := held(t)
	for target, want := range map[Target]Cause{
		{Interface: "absent"}: Interface,
		{Interface: "a\nname\x1b" + strings.Repeat("x", 500)}: Interface,
		{Interface: "flat"}: Interface,
		{Interface: near, Pin: filepath.Join(t.TempDir(), "elsewhere")}:  Pinned,
		{Interface: near, Pin: filepath.Join(pins, "no", "such", "pin")}: Pinned,
	} {
		_, err := p.Attach(target)
		caused(t, err, want)
	}
	from, to := newPort(t, far, unix.ETH_P_ALL), newPort(t, near, unix.ETH_P_ALL)
	if err := p.table(t, Deny, 1).Insert(prefix("192.0.2.1")); err != nil {
		t.Fatal(err)
	}
	before += 2 // the table and the ranges
	if after := held(t); after != before || denies(from, to, "192.0.2.1") {
		t.Errorf("%d programs, maps and links are held, want %d, and none in force", after, before)
	}
}

// An interface that vanishes ends the attachment, which says so.
func TestVanished(t *testing.T) {
	isolate(t)
	for _, hook := range []Hook{XDP, Ingress, Egress} {
		p := load(t, Options{Hook: hook})
		attachment, err := p.Attach(Target{Interface: near})
		if err != nil {
			t.Fatal(err)
		}
		if err := attachment.Check(); err != nil {
			t.Errorf("%v: %v", hook, err)
		}
		ip(t, "link", "del", near)
		caused(t, attachment.Check(), Interface)
		if err := attachment.Close(); err != nil {
			t.Errorf("%v: %v", hook, err)
		}
		_, err = p.Attach(Target{Interface: near})
		caused(t, err, Interface)
		ip(t, "link", "add", near, "type", "veth", "peer", "name", far)
	}
}

// A program for arriving packets in traffic control drops them before protocols see them.
func TestIngress(t *testing.T) {
	isolate(t)
	p := load(t, Options{Hook: Ingress})
	table := p.table(t, Deny, 10)
	if err := table.Insert(prefix("192.0.2.1")); err != nil {
		t.Fatal(err)
	}
	attachment, err := p.Attach(Target{Interface: near})
	if err != nil {
		t.Fatal(err)
	}
	defer attachment.Close()
	from, to := newPort(t, far, unix.ETH_P_ALL), newPort(t, near, unix.ETH_P_IP)
	denied, passed := prefix("192.0.2.1").Addr(), prefix("192.0.2.2").Addr()
	for i := range byte(50) {
		f := frame(denied, passed)
		f[11] = i
		from.send(f)
		f = frame(passed, denied)
		f[11] = i
		from.send(f)
		if got := to.receive(); got[11] != i || got[29] != 2 {
			t.Fatalf("packet %d: %x arrives", i, got)
		}
	}
	if c, err := p.Counts(); err != nil || c.Denied.Packets != 50 || c.Passed.Packets != 50 {
		t.Errorf("%+v, %v", c, err)
	}
}

// Headers are read where they are, also of a frame that is in pieces of which the first is short.
func TestPieces(t *testing.T) {
	isolate(t)
	for _, name := range []string{near, far} {
		ip(t, "link", "set", name, "mtu", "9000")
	}
	denied, passed := prefix("2001:db8::1").Addr(), prefix("2001:db8::2").Addr()
	const pages = 6000 // the kernel keeps such a frame in pages, but for its first header
	large := func(source, destination netip.Addr, options int) []byte {
		f := append(frame(source, destination), make([]byte, pages)...)
		f[20] = 60 // options for the destination, and then a fragment
		f[14+40], f[14+40+1] = 44, byte(options/8-1)
		f[14+40+options], f[14+40+options+3] = 59, 1
		return f
	}
	for _, hook := range []Hook{Ingress, Egress} {
		p := load(t, Options{Hook: hook, DropFragments: true})
		if err := p.table(t, Deny, 10).Insert(one(denied)); err != nil {
			t.Fatal(err)
		}
		attachment, err := p.Attach(Target{Interface: map[Hook]string{Ingress: near,
			Egress: far}[hook]})
		if err != nil {
			t.Fatal(err)
		}
		from, to := newPort(t, far, unix.ETH_P_ALL), newPort(t, near, unix.ETH_P_ALL)
		sent := [][]byte{large(denied, passed, 128), large(passed, denied, 128),
			large(passed, denied, 2048)}
		pass(from, to, sent)
		bytes := uint64(len(sent[0]))
		if c, err := p.Counts(); err != nil || c.Denied != (Count{1, bytes}) ||
			c.Fragments != (Count{2, 2 * bytes}) || c.Malformed.Packets > 0 {
			t.Errorf("%v: %+v, %v", hook, c, err)
		}
		if err := attachment.Close(); err != nil {
			t.Error(err)
		}
	}
}
