package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/packets/deny"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
	"github.com/bloomlane/bloomlane/xdp"
)

// stack is a network namespace with a thread in it. Both end with the test.
type stack struct {
	thread int
	calls  chan func()
}

// newStack returns a namespace, also of mounts, or skips the test.
func newStack(t *testing.T) *stack {
	t.Helper()
	s := &stack{calls: make(chan func())}
	made := make(chan error)
	go func() {
		runtime.LockOSThread() // for good
		err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWNS)
		if err == nil {
			err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		}
		var one unix.CPUSet // so that packets keep their order
		one.Set(0)
		s.thread = unix.Gettid()
		made <- errors.Join(err, unix.SchedSetaffinity(0, &one))
		for call := range s.calls {
			call()
		}
	}()
	if err := <-made; err != nil {
		require.Skip(t, "xdp", "no namespaces: "+err.Error())
	}
	t.Cleanup(func() { close(s.calls) })
	return s
}

// do calls a function on the thread.
func (s *stack) do(call func() error) error {
	done := make(chan error)
	s.calls <- func() { done <- call() }
	return <-done
}

// wire is an interface eth0 and what is at the other end of it.
type wire struct {
	t                *testing.T
	guarded, outside *stack
	sockets          []net.PacketConn // of each version
	number           int
}

// hosts are addresses outside. Those of last are in no list.
var (
	hosts = []string{"192.0.2.66", "192.0.2.7", "198.51.100.9", "2001:db8::66", "2001:db8::7"}
	last  = []string{"192.0.2.250", "2001:db8::250"}
)

// newWire returns a wire, or skips the test on a machine that has no XDP.
func newWire(t *testing.T) *wire {
	t.Helper()
	program, err := xdp.Load(xdp.Options{})
	if err != nil {
		require.Skip(t, "xdp", err.Error())
	}
	if err := program.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("ip"); err != nil {
		require.Skip(t, "xdp", "no ip: .ci/setup installs it")
	}
	n := &wire{t: t, guarded: newStack(t), outside: newStack(t)}
	n.ip(n.guarded, "link add eth0 type veth peer name out netns %d", n.outside.thread)
	n.ip(n.outside, "link set out up")
	n.ip(n.guarded, "link set eth0 up")
	n.ip(n.guarded, "address add 192.0.2.1/24 dev eth0")
	n.ip(n.guarded, "address add 2001:db8::1/64 dev eth0 nodad")
	n.ip(n.guarded, "route add 198.51.100.0/24 dev eth0")
	for _, host := range slices.Concat(hosts, last) {
		length := 32
		if strings.Contains(host, ":") {
			length = 128
		}
		n.ip(n.outside, "address add %s/%d dev out%s", host, length,
			map[int]string{128: " nodad"}[length])
	}
	n.ip(n.outside, "route add 192.0.2.1 dev out")
	n.ip(n.outside, "route add 2001:db8::1 dev out")
	for _, version := range []string{"udp4", "udp6"} {
		err := n.guarded.do(func() error {
			socket, err := net.ListenPacket(version, ":4789")
			n.sockets = append(n.sockets, socket)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { n.sockets[len(n.sockets)-1].Close() })
	}
	return n
}

// ip runs a command of iproute2 in a namespace.
func (n *wire) ip(s *stack, format string, args ...any) {
	n.t.Helper()
	line := fmt.Sprintf(format, args...)
	err := s.do(func() error {
		out, err := commandtest.Process(n.t, "ip", strings.Fields(line)...).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		return err
	})
	if err != nil {
		n.t.Fatalf("ip %s: %v", line, err)
	}
}

// passes returns the hosts whose packets come in. Those of the last ones must.
func (n *wire) passes() (passed []string) {
	n.t.Helper()
	n.number++
	err := n.outside.do(func() error {
		for _, host := range slices.Concat(hosts, last) {
			source, to := netip.MustParseAddr(host), netip.MustParseAddr("192.0.2.1")
			if source.Is6() {
				to = netip.MustParseAddr("2001:db8::1")
			}
			c, err := net.DialUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(source, 0)),
				net.UDPAddrFromAddrPort(netip.AddrPortFrom(to, 4789)))
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(c, n.number)
			if err = errors.Join(err, c.Close()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		n.t.Fatal(err)
	}
	buffer := make([]byte, 100)
	for i, socket := range n.sockets {
		for {
			if err := socket.SetReadDeadline(time.Now().Add(commandtest.Patience)); err != nil {
				n.t.Fatal(err)
			}
			size, from, err := socket.ReadFrom(buffer)
			if err != nil {
				n.t.Fatalf("the packet of %s did not come: %v", last[i], err)
			}
			if string(buffer[:size]) != fmt.Sprint(n.number) {
				continue
			}
			host := from.(*net.UDPAddr).AddrPort().Addr().Unmap().String()
			if host == last[i] {
				break
			}
			passed = append(passed, host)
		}
	}
	return passed
}

// wants checks which hosts' packets do not come in.
func (n *wire) wants(dropped ...string) {
	n.t.Helper()
	passed := n.passes()
	for _, host := range hosts {
		if slices.Contains(passed, host) == slices.Contains(dropped, host) {
			n.t.Errorf("the hosts %v pass, want all but %v", passed, dropped)
			return
		}
	}
}

// process is a command that runs in the guarded namespace.
type process struct {
	n      *wire
	cmd    *exec.Cmd
	stdout bytes.Buffer
	pipe   io.ReadCloser // stderr
	stderr *bufio.Scanner
	said   []string
}

// start starts a command line, in which @ is the folder of the shell.
func (n *wire) start(s *shell, line string) *process {
	n.t.Helper()
	p := &process{n: n}
	return p.start(s, &p.stdout, line)
}

func (p *process) start(s *shell, stdout io.Writer, line string) *process {
	n := p.n
	n.t.Helper()
	p.cmd, _ = s.Command(strings.Fields(strings.ReplaceAll(line, "@", s.Folder+"/"))...)
	p.cmd.Stdout, p.cmd.Stderr = stdout, nil
	pipe, err := p.cmd.StderrPipe()
	if err == nil {
		p.pipe, p.stderr = pipe, bufio.NewScanner(pipe)
		err = n.guarded.do(p.cmd.Start)
	}
	if err != nil {
		n.t.Fatal(err)
	}
	return p
}

// says waits until the process says something.
func (p *process) says(what string) {
	p.n.t.Helper()
	for p.stderr.Scan() {
		p.said = append(p.said, p.stderr.Text())
		if strings.Contains(p.stderr.Text(), what) {
			return
		}
	}
	_ = p.cmd.Wait()
	p.n.t.Fatalf("it said %q, want %q", p.said, what)
}

// ends ends the process with a signal, or waits for its end where that is 0, and checks the exit
// code.
func (p *process) ends(with syscall.Signal, code int) {
	p.n.t.Helper()
	if with != 0 {
		if err := p.cmd.Process.Signal(with); err != nil {
			p.n.t.Error(err)
		}
	}
	for p.stderr.Scan() {
		p.said = append(p.said, p.stderr.Text())
	}
	_ = p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.n.t.Errorf("exit code %d, want %d: %q", got, code, p.said)
	}
}

const killed = -1 // the exit code of a process that a signal ended

// replace writes a file in one step: who looks at it now and then reads no half of it.
func replace(s *shell, name, content string) {
	s.T.Helper()
	s.Write("new", content)
	if err := os.Rename(s.Path("new"), s.Path(name)); err != nil {
		s.T.Fatal(err)
	}
}

// Packets of listed sources are dropped, and those that the list comes to have; what it has no
// longer passes again. At the end nothing is in force.
func TestDeny(t *testing.T) {
	n, s := newWire(t), newShell(t)
	s.Write("deny.txt", "192.0.2.66 # one\n198.51.100.0/24 ; two\n2001:db8::66\n")
	n.wants()
	p := n.start(s, "deny eth0 --list @deny.txt --every 100ms --counters 20ms --record @r.json "+
		"--path native")
	p.says("note: deny list: 2 in ranges, 1 in a filter, 0 in a trie: ")
	p.says("note: eth0: 3 entries in force, mode filter: it drops from now on (begin with " +
		"--mode report-only)")
	n.wants("192.0.2.66", "198.51.100.9", "2001:db8::66")
	replace(s, "deny.txt", "192.0.2.7\n198.51.100.0/24\n2001:db8::7\n")
	p.says("deny.txt: 2 added, 2 deleted, 3 in force")
	n.wants("192.0.2.7", "198.51.100.9", "2001:db8::7")
	p.says("packets: ")

	// What cannot be in force leaves the list as it is.
	replace(s, "deny.txt", "192.0.2.66\n192.0.2.300\n")
	p.says(`warning: the deny list stays as it was: ` + s.Path("deny.txt") +
		`: list, line 2: found "192.0.2.300"`)
	if err := os.Remove(s.Path("deny.txt")); err != nil {
		t.Fatal(err)
	}
	p.says("stays as it was: open ")
	n.wants("192.0.2.7", "198.51.100.9", "2001:db8::7")

	// A file that takes the place of another is read at once by SIGHUP, and all of it may go.
	replace(s, "deny.txt", "192.0.2.0/25\n2001:db8::66/127\n") // of new lengths
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	p.says("2 in force")
	n.wants("192.0.2.66", "192.0.2.7", "2001:db8::66")

	replace(s, "deny.txt", "# none\n")
	p.says("warning: the deny list is empty")
	n.wants()
}

// A signal ends the command: it removes the program, and writes the report and the record that the
// page shows.
func TestDenyEnds(t *testing.T) {
	n, s := newWire(t), newShell(t)
	s.Write("deny.txt", "192.0.2.66\n")
	s.Write("never.txt", "2001:db8::66\n")
	p := n.start(s, "deny eth0 --list @deny.txt --never @never.txt --record @r.json --json "+
		"--every 50ms")
	p.says("in force")
	n.wants("192.0.2.66")
	replace(s, "never.txt", "192.0.2.66\n")
	p.says("never.txt: 1 added, 1 deleted, 1 in force")
	n.wants()
	p.ends(syscall.SIGTERM, exitYes)
	n.wants()
	s.Stdout = p.stdout.String()
	var report deny.Report
	s.JSON(&report)
	if report.Counts.Denied.Packets != 1 || len(report.Lists) != 2 ||
		report.Lists[0].Entries != 1 || report.Lists[1].Name != "never-deny" ||
		report.Interface != "eth0" || report.Mode != "filter" || report.Seconds <= 0 {
		t.Errorf("%+v", report)
	}
	s.Line(exitYes, "", "page @r.json -o @page.html")
	for _, want := range []string{"<h3>eth0</h3>", ">filter, by the source of a packet",
		`>deny</td><td>1</td><td>1</td><td>0</td><td>0</td><td>1,000</td>`, "></i></td><td>1</td>"} {
		if page := s.Read("page.html"); !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
}

// Modes and the never-deny list decide what becomes of a packet that the filter finds.
func TestDenyModes(t *testing.T) {
	n, s := newWire(t), newShell(t)
	s.Write("deny.txt", "192.0.2.0/25\n2001:db8::/121\n")
	s.Write("never.txt", "192.0.2.0/29\n") // of a length that the other list has not
	for mode, want := range map[string][]string{
		"filter": {"192.0.2.66", "2001:db8::66", "2001:db8::7"},
		"exact":  {"192.0.2.66", "2001:db8::66", "2001:db8::7"}, "report-only": nil,
	} {
		p := n.start(s, "deny eth0 --list @deny.txt --never @never.txt --path generic --mode "+mode)
		p.says("in force")
		n.wants(want...)
		p.ends(syscall.SIGINT, exitYes)
		if text := p.stdout.String(); !strings.Contains(text, "passed by the never-deny list") ||
			!strings.Contains(text, "\nnever-deny ") ||
			!strings.Contains(text, "mode       "+mode) ||
			strings.Contains(text, "would be denied") != (mode == "report-only") {
			t.Errorf("%s: %s", mode, text)
		}
	}
	// Without innocent packets: each address is found by a filter of such a rate, or nearly.
	s.Write("deny.txt", "203.0.113.1\n")
	p := n.start(s, "deny eth0 --list @deny.txt --members 1 --rate 0.99 --turnovers 0 --mode exact "+
		"--filter-ipv4")
	p.says("in force")
	n.wants()
	p.ends(syscall.SIGINT, exitYes)
}

// After a crash nothing is left, or with a pin everything, which the next start takes over, or
// --remove ends.
func TestDenyCrash(t *testing.T) {
	n, s := newWire(t), newShell(t)
	s.Write("deny.txt", "192.0.2.66\n")
	s.Write("other.txt", "192.0.2.7\n")
	p := n.start(s, "deny eth0 --list @deny.txt")
	p.says("in force")
	n.wants("192.0.2.66")
	p.ends(syscall.SIGKILL, killed)
	n.wants()

	pins := s.Path("bpf")
	err := n.guarded.do(func() error {
		return errors.Join(os.Mkdir(pins, 0o700), unix.Mount("bpf", pins, "bpf", 0, ""))
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.guarded.do(func() error {
			return unix.Unmount(pins, unix.MNT_DETACH)
		}); err != nil {
			t.Error(err)
		}
	})
	const pin = " --pin @bpf/deny"
	p = n.start(s, "deny eth0 --list @deny.txt"+pin)
	p.says("in force")
	p.ends(syscall.SIGKILL, killed)
	n.wants("192.0.2.66")

	// A bad start changes nothing, and one without the pin is told of the program.
	p = n.start(s, "deny eth0 --list @none.txt"+pin)
	p.says("none.txt: no such file")
	p.ends(0, exitBad)
	p = n.start(s, "deny eth0 --list @deny.txt")
	p.says("found interface eth0 with another XDP program")
	p.ends(0, exitBad)
	n.wants("192.0.2.66")

	p = n.start(s, "deny eth0 --list @other.txt"+pin)
	p.says("took over what was pinned at " + pins)
	p.says("in force")
	n.wants("192.0.2.7")
	p.ends(syscall.SIGTERM, exitYes)
	n.wants()

	p = n.start(s, "deny eth0 --list @deny.txt"+pin)
	p.says("in force")
	p.ends(syscall.SIGKILL, killed)
	p = n.start(s, "deny eth0 --remove"+pin)
	p.ends(0, exitYes)
	if p.stdout.String() != "removed "+pins+"/deny\n" {
		t.Errorf("--remove prints %q", &p.stdout)
	}
	n.wants()
	p = n.start(s, "deny eth0 --remove"+pin)
	p.says("packets: ")
	p.ends(0, exitBad)

	// With its interface a pin ends too.
	p = n.start(s, "deny eth0 --every 10ms --list @deny.txt"+pin)
	p.says("in force")
	n.ip(n.guarded, "link delete eth0")
	p.ends(0, exitBad)
	err = n.guarded.do(func() error {
		_, err := os.Lstat(filepath.Join(pins, "deny"))
		return err
	})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the pin of an interface that vanished: %v", err)
	}
}

// A signal that ends it does, also behind many that have the files read. That nobody reads its
// messages ends nothing.
func TestDenySignals(t *testing.T) {
	n, s := newWire(t), newShell(t)
	var list strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&list, "10.1.%d.%d\n", i/256, i%256)
	}
	s.Write("deny.txt", "192.0.2.66\n"+list.String())
	p := n.start(s, "deny eth0 --list @deny.txt --counters 1ms")
	p.says("50001 entries in force")
	if err := p.pipe.Close(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	n.wants("192.0.2.66")
	for range 20 {
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	p.ends(syscall.SIGTERM, exitYes)
	n.wants()
}

// A report that nobody reads is an error, and the record has it.
func TestDenyWithoutOutput(t *testing.T) {
	n, s := newWire(t), newShell(t)
	s.Write("deny.txt", "192.0.2.66\n")
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := (&process{n: n}).start(s, out, "deny eth0 --list @deny.txt --record @r.json")
	p.says("in force")
	n.wants("192.0.2.66")
	if err := errors.Join(in.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	p.ends(syscall.SIGTERM, exitBad)
	if last := p.said[len(p.said)-1]; !strings.Contains(last, "broken pipe") {
		t.Errorf("it says %q", last)
	}
	s.Line(exitYes, "", "page @r.json -o @page.html")
}

// Bad input has one line, and leaves no program behind.
func TestDenyRefuses(t *testing.T) {
	n, s := newWire(t), newShell(t)
	s.Write("deny.txt", "192.0.2.66\n")
	s.Write("wrong.txt", "192.0.2.66\n192.0.2.66/24\n")
	s.Write("key", commandtest.FixedKey)
	if err := unix.Mkfifo(s.Path("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ line, says string }{
		{"eth0", "expected --list, which packets deny needs"},
		{"eth0 --list @none", "@none: no such file"},
		{"eth0 --list -", "found standard input, expected a file"},
		{"eth0 --list @pipe", "@pipe: found prw-r--r--, expected a regular file: it is read when"},
		{"eth0 --list @wrong.txt", "@wrong.txt: list, line 2: found 192.0.2.66/24, expected " +
			"192.0.2.0/24 or an address"},
		{"eth0 --list @deny.txt --never @wrong.txt", "@wrong.txt: list, line 2: found"},
		{"eth1 --list @deny.txt", "xdp: found no interface eth1"},
		{"eth0 --list @deny.txt --mode drop", `--mode is "drop", expected filter, exact or report`},
		{"eth0 --list @deny.txt --path x", `--path is "x", expected any, native or generic`},
		{"eth0 --list @deny.txt --rate 2", "--rate is 2, expected a number above 0 and below 1"},
		{"eth0 --list @deny.txt --turnovers -1", "--turnovers is -1, expected"},
		{"eth0 --list @deny.txt --members -1", "--members is -1, expected at least 0"},
		{"eth0 --list @deny.txt --every 0s", "--every is 0s, expected more than 0s"},
		{"eth0 --list @deny.txt --counters -1s", "--counters is -1s, expected at least 0s"},
		{"eth0 --list @deny.txt --key @key", "expected a key of SipHash-1-3, as bloomlane build " +
			"--hash siphash-1-3 makes"},
		{"eth0 --list @deny.txt --pin @pin", "xdp: found that @pin cannot be a pin"},
		{"eth0 --list @deny.txt --members 30000000000", "expected at least 0.0107, or fewer members"},
		{"eth0 --remove", "--remove is given, expected --pin with it"},
		{"eth0 --remove --pin @none", "xdp: found that @none is no pin"},
		{"", "found 0 arguments"},
	} {
		p := n.start(s, "deny "+test.line)
		p.ends(0, exitBad)
		text := strings.ReplaceAll(strings.Join(p.said, "\n"), s.Folder+"/", "@")
		plan, other, planned := strings.Cut(text, "\n") // which is known before it is attached
		if planned && strings.HasPrefix(plan, "packets: note: deny list: 1 in ranges, ") {
			text = other
		}
		if !strings.HasPrefix(text, "packets: ") || !strings.Contains(text, test.says) ||
			strings.Contains(text, "\n") || p.stdout.Len() > 0 {
			t.Errorf("%s: says %q and prints %q, want a line with %q", test.line, p.said,
				&p.stdout, test.says)
		}
		n.wants()
	}
}

// A list that takes more memory than the control group may have gets one line, and leaves no
// program.
func TestDenyBeyondTheMemoryLimit(t *testing.T) {
	n, s := newWire(t), newShell(t)
	s.Write("deny.txt", "192.0.2.66\n")
	p := n.start(s, "deny eth0 --list @deny.txt --members 500000")
	p.says("in force") // of some MB
	p.ends(syscall.SIGTERM, exitYes)

	group, limit := "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
	if _, err := os.Stat(group); err != nil {
		group, limit = "/sys/fs/cgroup", "memory.max"
	}
	group, err := os.MkdirTemp(group, "bloomlane-test-")
	if err != nil {
		require.Skip(t, "memory-limits", err.Error())
	}
	t.Cleanup(func() {
		if err := os.Remove(group); err != nil {
			t.Error(err)
		}
	})
	file, err := os.OpenFile(filepath.Join(group, limit), os.O_WRONLY, 0) // where that is there
	if err == nil {
		_, err = file.WriteString("128M")
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		require.Skip(t, "memory-limits", err.Error())
	}
	for _, test := range []struct{ options, says string }{
		{"--members 1e8", "packets: xdp: found a table of "},
		{"--members 5e6 --mode exact", "packets: xdp: found an exact set of 5000000 members, of "},
	} {
		cmd, stderr := s.Command(strings.Fields("deny eth0 --list @deny.txt " + test.options)...)
		line := append([]string{"-c", `echo $$ >"$0" && exec "$@"`, group + "/cgroup.procs",
			cmd.Path}, cmd.Args[1:]...)
		limited := commandtest.Process(t, "sh", line...)
		limited.Env, limited.Stderr = append(cmd.Env, "GOGC=1"), stderr // so that it collects
		err := n.guarded.do(limited.Run)
		if code := limited.ProcessState.ExitCode(); code != exitBad ||
			!strings.HasPrefix(stderr.String(), test.says) ||
			!strings.HasSuffix(stderr.String(), ", which the system has\n") {
			t.Errorf("%s: %v: %q", test.options, err, stderr)
		}
	}
	n.wants()
}

// Without privileges it says in one line what is missing.
func TestDenyWithoutPrivileges(t *testing.T) {
	n, s := newWire(t), newShell(t)
	s.Write("deny.txt", "192.0.2.66\n")
	cmd, stderr := s.Command("deny", "eth0", "--list", "@deny.txt")
	without := commandtest.Process(t, "setpriv", append([]string{"--bounding-set=-all"},
		cmd.Args...)...)
	without.Env, without.Stderr = cmd.Env, stderr
	err := n.guarded.do(without.Run)
	if want := "packets: xdp: found a process that may not use BPF, expected root, or the " +
		"capabilities CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON\n"; stderr.String() != want {
		t.Errorf("%v: %q, want %q", err, stderr, want)
	}
}

// An interface that vanishes ends the guard with one line, and its pin with it.
func TestDenyOfAVanishedInterface(t *testing.T) {
	n, s := newWire(t), newShell(t)
	s.Write("deny.txt", "192.0.2.66\n")
	p := n.start(s, "deny eth0 --list @deny.txt --every 10ms --record @r.json")
	p.says("in force")
	n.ip(n.guarded, "link delete eth0")
	p.ends(0, exitBad)
	if last := p.said[len(p.said)-1]; len(p.said) != 3 ||
		last != "packets: eth0: xdp: found that interface eth0 vanished, expected that it stays" {
		t.Errorf("it says %q", p.said)
	}
	if !strings.Contains(p.stdout.String(), "interface  eth0\nmode       filter") ||
		!strings.Contains(s.Read("r.json"), "vanished") {
		t.Errorf("it prints %s", &p.stdout)
	}
}

// The three commands of the page, as they are written, make a deny list that drops real packets.
func TestPageOfDeny(t *testing.T) {
	text, err := os.ReadFile("../docs/xdp.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	if lines := strings.Count(block, "\n"); lines != 3 {
		t.Fatalf("the page begins with %d commands, want 3: %s", lines, block)
	}
	n, folder := newWire(t), t.TempDir()
	root, err := filepath.Abs("..")
	if err == nil {
		err = os.Symlink(root, filepath.Join(folder, "bloomlane"))
	}
	if err != nil {
		t.Fatal(err)
	}
	n.wants()
	p := &process{n: n, cmd: commandtest.Process(t, "sh", "-ec", "exec 2>&1\n"+block)}
	p.cmd.Dir = folder
	pipe, err := p.cmd.StdoutPipe()
	if err == nil {
		p.stderr = bufio.NewScanner(pipe)
		err = n.guarded.do(p.cmd.Start)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.says("1 entry in force")
	n.wants("192.0.2.66")
}

// A planned entry takes the memory that the page says.
func TestMemoryOnThePageOfDeny(t *testing.T) {
	text, err := os.ReadFile("../docs/xdp.md")
	if err != nil {
		t.Fatal(err)
	}
	const members = 1_000_000
	var bytes []any
	for _, rate := range []float64{1e-5, 1e-7} {
		shape, err := (&deletable.Config{Members: members, Rate: rate, Turnovers: 1}).Shape()
		if err != nil {
			t.Fatal(err)
		}
		bytes = append(bytes, float64(shape.Bytes())/members)
	}
	want := fmt.Sprintf("a planned entry takes %.1f bytes at 1e-5, and %.1f at 1e-7", bytes...)
	if !strings.Contains(string(text), want) {
		t.Errorf("the page does not say that %s", want)
	}
}

// A list in the shape of Spamhaus DROP, whose prefixes have twelve lengths and hosts beside them, and
// lists in the shape of FireHOL's levels are in force: of the packets that come in at an interface
// those fall that the exact set of the list has, and no others.
func TestDenyListsThatExist(t *testing.T) {
	shapes := []struct {
		name    string
		lengths map[int]int // the prefixes of each length of IPv4
		longest map[int]int // and of IPv6
	}{
		{"DROP", map[int]int{11: 1, 12: 2, 13: 3, 14: 10, 15: 18, 16: 98, 17: 29, 18: 35, 19: 78, 20: 121,
			21: 78, 22: 200, 23: 58, 24: 258, 32: 20}, map[int]int{19: 1, 29: 30, 32: 36, 36: 4,
			40: 5, 44: 4, 46: 1, 47: 2, 48: 20, 56: 1, 64: 2}},
		{"level 1", map[int]int{8: 4, 10: 1, 12: 1, 14: 12, 16: 90, 17: 30, 18: 40, 19: 80, 20: 130,
			21: 90, 22: 220, 23: 70, 24: 700, 25: 5, 26: 4, 27: 3, 28: 3, 29: 8, 30: 9, 31: 60,
			32: 3000}, nil},
		{"level 2", map[int]int{24: 30, 30: 40, 31: 600, 32: 16000}, nil},
		{"level 3", map[int]int{20: 1, 22: 2, 24: 150, 28: 6, 29: 30, 30: 90, 31: 900, 32: 14000},
			nil},
	}
	if testing.Short() {
		shapes = shapes[:1]
	}
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(57, uint64(len(shape.name))))
			list := map[netip.Prefix]bool{}
			var text strings.Builder
			addresses := func(a netip.Addr, lengths map[int]int) {
				for _, bits := range slices.Sorted(maps.Keys(lengths)) {
					for range lengths[bits] {
						bytes := a.AsSlice()
						for i := 1; i < min(8, len(bytes)); i++ {
							bytes[i] = byte(rng.Uint32())
						}
						bytes[0] = max(1, byte(rng.Uint32())%224)
						if len(bytes) > 4 {
							bytes[0], bytes[1] = 0x20, bytes[1]&15
						}
						found, _ := netip.AddrFromSlice(bytes)
						p := netip.PrefixFrom(found, bits).Masked()
						list[p] = true
						fmt.Fprintf(&text, "%v ; SBL%d\n", p, len(list))
					}
				}
			}
			addresses(netip.IPv4Unspecified(), shape.lengths)
			addresses(netip.IPv6Unspecified(), shape.longest)
			n, s := newWire(t), newShell(t)
			s.Write("deny.txt", text.String())
			p := n.start(s, "deny eth0 --list @deny.txt --path native --rate 1e-9")
			p.says(fmt.Sprintf("%d entries in force", len(list)))
			judgedAtTheWire(t, n, rng, list)
			p.ends(syscall.SIGTERM, exitYes)
		})
	}
}

// judgedAtTheWire sends frames whose sources are at the ends of the prefixes of a list, in them and
// beside them, and checks that those arrive which the list has not.
func judgedAtTheWire(t *testing.T, n *wire, rng *rand.Rand, list map[netip.Prefix]bool) {
	t.Helper()
	var sources []netip.Addr
	for p := range list {
		first, last := p.Addr().AsSlice(), p.Addr().AsSlice()
		within := p.Addr().AsSlice()
		for bit := p.Bits(); bit < 8*len(last); bit++ {
			last[bit/8] |= 0x80 >> (bit % 8)
			within[bit/8] |= byte(rng.IntN(2)) * 0x80 >> (bit % 8)
		}
		for _, bytes := range [][]byte{first, last, within} {
			a, _ := netip.AddrFromSlice(bytes)
			sources = append(sources, a, a.Prev(), a.Next())
		}
	}
	frame := func(source netip.Addr, number int) []byte {
		f := make([]byte, 60)
		f[6] = 2
		binary.BigEndian.PutUint32(f[8:], uint32(number))
		switch {
		case source.Is4():
			f[12], f[13], f[14] = 0x08, 0x00, 0x45
			copy(f[26:], source.AsSlice())
		case source.Is6():
			f[12], f[13], f[14], f[20] = 0x86, 0xdd, 0x60, 59
			copy(f[22:], source.AsSlice())
		default: // for experiments, which passes
			f[12], f[13] = 0x88, 0xb5
		}
		return f
	}
	port := func(s *stack, name string) (fd int) {
		err := s.do(func() (err error) {
			device, err := net.InterfaceByName(name)
			if err != nil {
				return err
			}
			const every = unix.ETH_P_ALL>>8 | unix.ETH_P_ALL&0xff<<8 // in network order
			if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, every); err != nil {
				return err
			}
			patience := unix.NsecToTimeval(commandtest.Patience.Nanoseconds())
			return errors.Join(
				unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: every, Ifindex: device.Index}),
				unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &patience))
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Close(fd) })
		return fd
	}
	from, to := port(n.outside, "out"), port(n.guarded, "eth0")
	arrived := make([]bool, len(sources)+1)
	buffer := make([]byte, 1<<11)
	const group = 50 // fewer than the interface keeps
	for start := 0; start < len(sources); start += group {
		end := min(start+group, len(sources))
		err := n.outside.do(func() error {
			for i := start; i < end; i++ {
				if _, err := unix.Write(from, frame(sources[i], i)); err != nil {
					return err
				}
			}
			_, err := unix.Write(from, frame(netip.Addr{}, len(sources)))
			return err
		})
		for arrived[len(sources)] = false; err == nil && !arrived[len(sources)]; {
			var size int
			if size, _, err = unix.Recvfrom(to, buffer, 0); err == nil && size == 60 &&
				buffer[6] == 2 {
				arrived[binary.BigEndian.Uint32(buffer[8:])] = true
			}
		}
		if err != nil {
			t.Fatalf("frames %d to %d: %v", start, end, err)
		}
	}
	fell := 0
	for i, source := range sources {
		listed := false
		for bits := range source.BitLen() + 1 {
			if list[netip.PrefixFrom(source, bits).Masked()] {
				listed = true
			}
		}
		if listed {
			fell++
		}
		if arrived[i] == listed {
			t.Fatalf("a packet of %v arrives: %v, want %v", source, arrived[i], !listed)
		}
	}
	if fell < len(sources)/4 || fell > len(sources)*7/8 {
		t.Errorf("%d of %d packets fall", fell, len(sources))
	}
}

// The command of the unit for systemd is in force under the capabilities that the unit leaves it.
func TestUnitOfDeny(t *testing.T) {
	text, err := os.ReadFile("../docs/recipes/packets-deny@.service")
	if err != nil {
		t.Fatal(err)
	}
	setting := func(name string) string {
		_, rest, _ := strings.Cut(string(text), "\n"+name+"=")
		value, _, _ := strings.Cut(rest, "\n")
		return value
	}
	n, s := newWire(t), newShell(t)
	s.Write("deny.txt", "192.0.2.66\n")
	pins := s.Path("bpf")
	err = n.guarded.do(func() error {
		return errors.Join(os.Mkdir(pins, 0o700), unix.Mount("bpf", pins, "bpf", 0, ""))
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.guarded.do(func() error {
			return unix.Unmount(pins, unix.MNT_DETACH)
		}); err != nil {
			t.Error(err)
		}
	})
	line := strings.NewReplacer("/etc/packets/deny-%i.txt", s.Path("deny.txt"), "/sys/fs/bpf", pins,
		"%i", "eth0").Replace(setting("ExecStart"))
	command, arguments, _ := strings.Cut(line, " ")
	if command != "/usr/local/bin/packets" {
		t.Fatalf("the unit starts %s", command)
	}
	cmd, _ := s.Command(strings.Fields(arguments)...)
	bounding := "--bounding-set=-all"
	for _, capability := range strings.Fields(setting("CapabilityBoundingSet")) {
		bounding += ",+" + strings.ToLower(strings.TrimPrefix(capability, "CAP_"))
	}
	p := &process{n: n, cmd: commandtest.Process(t, "setpriv", append([]string{"--no-new-privs",
		bounding}, cmd.Args...)...)}
	p.cmd.Env = cmd.Env
	pipe, err := p.cmd.StderrPipe()
	if err == nil {
		p.stderr = bufio.NewScanner(pipe)
		err = n.guarded.do(p.cmd.Start)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.says("1 entry in force")
	n.wants("192.0.2.66")
	p.ends(syscall.SIGTERM, exitYes)
	n.wants()
}

// The script that measures an interface says what came in, before the list is in force and with it.
func TestMeasuringScript(t *testing.T) {
	n, s := newWire(t), newShell(t)
	s.Write("deny.txt", "192.0.2.66\n")
	cmd, _ := s.Command()
	script := commandtest.Process(t, "../docs/recipes/measure-deny.sh", "eth0", s.Path("deny.txt"),
		"1", cmd.Path)
	script.Env = cmd.Env
	var out bytes.Buffer
	script.Stdout, script.Stderr = &out, &out
	if err := n.guarded.do(script.Start); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- script.Wait() }()
	for ended := false; !ended; {
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%v", err)
			}
			ended = true
		default:
			n.passes()
		}
	}
	for _, want := range []string{"packets/s", "\nbefore ", "\nwith ", "ns each in the program",
		"1 entry in force", "denied"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q: %s", want, &out)
		}
	}
	n.wants()
}

// A dry run says where the entries would be, and puts nothing in force.
func TestDenyDryRun(t *testing.T) {
	n, s := newWire(t), newShell(t)
	s.Write("deny.txt", "192.0.2.66\n10.0.0.0/13\n2001:db8::66\n2001:db8:1::/48\n")
	p := n.start(s, "deny eth0 --list @deny.txt --dry-run --json")
	p.ends(0, exitYes)
	s.Stdout = p.stdout.String()
	var plan deny.Report
	s.JSON(&plan)
	if len(plan.Lists) != 1 || len(p.said) > 0 {
		t.Fatalf("%+v; it says %q", plan, p.said)
	}
	if l := plan.Lists[0]; l.Entries != 4 || l.Ranges != 2 || l.Filter != 2 || l.Trie != 0 ||
		l.Bytes < 1000 || plan.Seconds != 0 {
		t.Errorf("%+v", plan)
	}
	n.wants()
	p = n.start(s, "deny eth0 --list @deny.txt --dry-run")
	p.ends(0, exitYes)
	if text := p.stdout.String(); !strings.Contains(text, "innocent, IPv4") {
		t.Errorf("it prints %s", text)
	}
}
