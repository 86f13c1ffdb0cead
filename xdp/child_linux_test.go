package xdp

import (
	"bufio"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/filter/deletable"
)

// childVariable is what a process that a test starts does, in words.
const childVariable = "BLOOMLANE_XDP_CHILD"

func TestMain(m *testing.M) {
	words := strings.Fields(os.Getenv(childVariable))
	if len(words) == 0 {
		os.Exit(m.Run())
	}
	if err := child(words); err != nil {
		var lacking *Error
		if errors.As(err, &lacking) {
			fmt.Printf("%v: ", lacking.Cause)
		}
		fmt.Println(err)
	}
}

// child does what the words say:
//
//	unprivileged                       loads a program as nobody
//	refused COMMAND ERRNO INTERFACE    loads and attaches where the kernel refuses a command of BPF
//	limited FILES INTERFACE            loads and attaches under a limit of open files
//	attached INTERFACE [PIN]           denies 192.0.2.1, says so, and stays
func child(words []string) error {
	command, path, pin := words[0], near, ""
	switch command {
	case "unprivileged":
		if err := syscall.Setuid(65534); err != nil {
			return err
		}
	case "refused":
		var number, errno int
		if _, err := fmt.Sscan(strings.Join(words[1:3], " "), &number, &errno); err != nil {
			return err
		}
		if err := refuse(number, errno); err != nil {
			return err
		}
		path = words[3]
	case "limited":
		files, err := strconv.ParseUint(words[1], 10, 64)
		if err == nil {
			err = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: files, Max: files})
		}
		if err != nil {
			return err
		}
		path = words[2]
	case "attached":
		path = words[1]
		if len(words) > 2 {
			pin = words[2]
		}
	}
	p, err := Load(Options{})
	if err != nil {
		return err
	}
	t, err := p.NewTable(deletable.Config{Members: 10, Rate: 0.001})
	if err == nil {
		err = t.Insert(prefix("192.0.2.1"))
	}
	if err == nil {
		err = p.Replace(Deny, t)
	}
	if err != nil {
		return err
	}
	if _, err = p.Attach(Target{Interface: path, Pin: pin}); err != nil {
		return err
	}
	fmt.Println("attached")
	_, _ = os.Stdin.Read(make([]byte, 1)) // until it is killed
	return nil
}

// refuse makes the kernel answer a command of BPF with an error, or all of them where the command
// is negative, in all threads of the process.
func refuse(command, errno int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	const load, jump, ret = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS,
		unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	filter := []unix.SockFilter{
		{Code: load, K: 0}, // the number of the system call
		{Code: jump, K: unix.SYS_BPF, Jf: 3},
		{Code: load, K: 16}, // its first argument
		{Code: jump, K: uint32(command), Jf: 1},
		{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: ret, K: unix.SECCOMP_RET_ALLOW},
	}
	if command < 0 {
		filter = append(filter[:2:2], filter[4], filter[5])
		filter[1].Jf = 1
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, err := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if err != 0 {
		return err
	}
	return nil
}

// start starts a child, and returns the first line that it says.
func start(t *testing.T, words ...string) (line string, kill func()) {
	t.Helper()
	itself := exec.Command(os.Args[0], "-test.run=^$")
	itself.Env = append(os.Environ(), childVariable+"="+strings.Join(words, " "))
	itself.Stderr = os.Stderr
	in, err := itself.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := itself.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := itself.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	kill = func() {
		if !ended {
			ended = true
			_ = itself.Process.Kill()
			_ = itself.Wait() // it was killed
			_ = in.Close()
		}
	}
	t.Cleanup(kill)
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n"), kill
}

// What the machine lacks is said in one line, with its cause.
func TestRefused(t *testing.T) {
	isolate(t)
	const everything, mapCreate, linkCreate = "-1", "0", "28"
	number := func(e syscall.Errno) string { return fmt.Sprint(int(e)) }
	for _, test := range []struct {
		words string
		want  Cause
		says  string
	}{
		{"unprivileged", Privilege, "CAP_BPF"},
		{"refused " + everything + " " + number(unix.ENOSYS), Support, "without BPF"},
		{"refused " + everything + " " + number(unix.EPERM), Privilege, "root"},
		{"refused " + mapCreate + " " + number(unix.EINVAL), Kernel, "Linux 6.1"},
		{"refused " + mapCreate + " " + number(unix.ENOMEM), Memory, "memory"},
		{"refused " + linkCreate + " " + number(unix.EINVAL), Kernel, "Linux 6.1"},
		{"refused " + linkCreate + " " + number(unix.ENODEV), Interface, near},
		{"refused " + linkCreate + " " + number(unix.EOPNOTSUPP), Interface, "path"},
	} {
		line, kill := start(t, append(strings.Fields(test.words), near)...)
		kill()
		if !strings.HasPrefix(line, test.want.String()+": xdp: found ") ||
			!strings.Contains(line, test.says) || len(line) > 400 {
			t.Errorf("%s: %q, want %v and %q", test.words, line, test.want, test.says)
		}
	}
}

// Where too few files may be open, that is what is said, wherever it is met. With the first number
// that is enough the program is attached.
func TestTooManyFiles(t *testing.T) {
	isolate(t)
	const least, most = 8, 40 // as the error says
	for files := least; ; files++ {
		line, kill := start(t, "limited", strconv.Itoa(files), near)
		kill()
		if line == "attached" {
			if files == least {
				t.Error("the smallest limit is enough, want a smaller one")
			}
			return
		}
		if files == most || line != "files: xdp: found too many open files, expected a limit of "+
			"some 40 files: ulimit -n" {
			t.Fatalf("with %d files: %s", files, line)
		}
	}
}

// denies reports whether the near interface drops packets of an address.
func denies(from, to port, address string) bool {
	return !pass(from, to, [][]byte{frame(addr(address), netip.IPv4Unspecified())})[0]
}
