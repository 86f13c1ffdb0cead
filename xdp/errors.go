package xdp

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/internal/legible"
)

// Cause is what the machine lacks or refuses.
type Cause uint8

// The causes.
const (
	// Privilege is that the process may not use BPF, or may not attach programs.
	Privilege Cause = iota
	// Support is that the system has no BPF: another system, or a kernel without it.
	Support
	// Kernel is that the kernel is too old for what the options need.
	Kernel
	// Memory is that a map is larger than the kernel gives: its memory, the limit of the control
	// group, or RLIMIT_MEMLOCK on kernels before 5.11.
	Memory
	// Interface is that there is no such interface, that it vanished, or that it has no frames of
	// Ethernet or no such hook.
	Interface
	// Occupied is that another program is there already.
	Occupied
	// Pinned is that a path cannot be used as a pin.
	Pinned
	// Files is that the process, or the system, may open no more files: RLIMIT_NOFILE.
	Files
)

// String returns the name of the cause.
func (c Cause) String() string {
	return name(c, "privilege", "support", "kernel", "memory", "interface", "occupied", "pinned",
		"files")
}

// Error is what keeps a program or a table from being loaded or attached.
type Error struct {
	Cause           Cause
	Found, Expected string
	Err             error // of the kernel, or nil
}

// Error says what was found and what was expected, in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("xdp: found %s, expected %s", e.Found, e.Expected)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// LengthsError says that a program cannot look these lengths of prefixes up.
type LengthsError struct {
	Version int // 4 or 6
	Found   []int
}

// Error says which lengths there are and how many there may be.
func (e *LengthsError) Error() string {
	bits := 32
	if e.Version == 6 {
		bits = 128
	}
	const text = "xdp: found IPv%d prefix lengths %v, expected at most %d of 0 to %d, each once"
	return fmt.Sprintf(text, e.Version, e.Found, MaxLengths, bits)
}

// unavailable turns an error of loading into an *[Error].
func unavailable(err error) error {
	var refused *ebpf.VerifierError
	wanted := "Linux 6.1 or later"
	if err == nil {
		return nil
	}
	err = cause(err)
	switch {
	case errors.Is(err, syscall.ENOSYS) || errors.Is(err, errSystem):
		return &Error{Support, system() + " without BPF", wanted, err}
	case outOfFiles(err):
		return &Error{Files, "too many open files", "a limit of some 40 files: ulimit -n", err}
	case errors.Is(err, syscall.EPERM):
		return &Error{Privilege, "a process that may not use BPF", "root, or the capabilities " +
			"CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON", err}
	case errors.Is(err, syscall.ENOMEM):
		return &Error{Memory, "no memory for the program's maps", "some 300 KiB", err}
	case errors.As(err, &refused) && errors.Is(err, syscall.EACCES):
		return &Error{Kernel, fmt.Sprintf("%s that refuses the program: %s", system(),
			said(refused.Cause)), wanted + ", and the capability CAP_PERFMON", err}
	case errors.As(err, &refused):
		return &Error{Kernel, fmt.Sprintf("%s that refuses the program: %s", system(),
			said(refused.Cause)), wanted, err}
	}
	return &Error{Kernel, fmt.Sprintf("%s that says: %s", system(), said(err)), wanted, err}
}

// cause returns why the kernel refused something: the error of a map that every kernel with BPF
// makes, or of holding as many files as a program needs, if that is refused too. Without files the
// library says that the kernel lacks what it could not try.
func cause(err error) error {
	simplest, refused := ebpf.NewMap(&ebpf.MapSpec{Type: ebpf.Array, KeySize: 4, ValueSize: 4,
		MaxEntries: 1})
	if refused == nil {
		defer simplest.Close() // it has nothing
		const files = 20
		for range files {
			var another *os.File
			if another, refused = os.Open(os.DevNull); refused != nil {
				break
			}
			defer another.Close()
		}
	}
	for _, refusal := range []error{syscall.ENOSYS, syscall.EPERM, syscall.ENOMEM, syscall.EMFILE,
		syscall.ENFILE} {
		if errors.Is(refused, refusal) {
			return refused
		}
	}
	return err
}

// outOfFiles reports whether no more files may be opened.
func outOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// shown returns what others chose as it may stand in a message.
func shown(text string) string {
	const most = 80
	return legible.Cut(legible.Escape(text), most)
}

// said returns what the kernel says, in one line.
func said(err error) string {
	const most = 150
	return legible.Cut(legible.Escape(err.Error()), most)
}
