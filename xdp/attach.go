package xdp

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
)

// Path says which code of the kernel runs a program at the hook [XDP].
type Path uint8

// The paths.
const (
	// AnyPath is the driver's where the driver has one for the frames of the interface, and the
	// generic one elsewhere.
	AnyPath Path = iota
	// Native is the driver's, before the kernel allocates anything for a packet.
	Native
	// Generic is behind the driver, on any driver, and slower.
	Generic
)

// String returns the name of the path.
func (p Path) String() string { return name(p, "any", "native", "generic") }

// Target says where a program is attached.
type Target struct {
	Interface string
	Path      Path // of the hook [XDP]

	// Pin is a path in a BPF file system, such as /sys/fs/bpf/NAME, at which the attachment
	// outlives the process. If it is there already, on the same interface, hook and path, the
	// program takes it over. It is "" for an attachment that ends with the process.
	Pin string
}

// attachments are all that are not closed, so that none ends because nothing refers to it.
var attachments sync.Map

// Attachment is a program in force at a hook of an interface. It keeps the program and its lists,
// also after their Close.
type Attachment struct {
	target  Target
	index   int
	program ebpf.ProgramID // in force
	took    bool
	link    link.Link
}

// Attach puts the program in force. The error is an *[Error]; then there is no attachment.
func (p *Program) Attach(target Target) (*Attachment, error) {
	if p.collection == nil {
		return nil, ErrClosed
	}
	device, err := net.InterfaceByName(target.Interface)
	if err != nil {
		return nil, noInterface(target.Interface, err)
	}
	if len(device.HardwareAddr) != 6 && device.Flags&net.FlagLoopback == 0 {
		return nil, &Error{Interface, fmt.Sprintf("interface %s, which has no Ethernet address",
			shown(target.Interface)), "one with frames of Ethernet", nil}
	}
	info, err := p.program.Info()
	if err != nil {
		return nil, unavailable(err)
	}
	id, _ := info.ID()
	a := &Attachment{target: target, index: device.Index, program: id}
	if err := alone(target.Pin, func() error { return a.attach(p) }); err != nil {
		return nil, err
	}
	attachments.Store(a, nil)
	return a, nil
}

// attach is [Program.Attach], alone at the pin.
func (a *Attachment) attach(p *Program) (err error) {
	if a.Pinned() {
		if taken, err := a.takeOver(p); taken || err != nil {
			return err
		}
	}
	a.link, err = p.linked(a.index, a.target.Path)
	if p.options.Hook == XDP && a.target.Path == AnyPath && err != nil &&
		!errors.Is(err, syscall.EBUSY) && !errors.Is(err, syscall.EEXIST) {
		// a driver with XDP can refuse it, as for large frames
		if generic, again := p.linked(a.index, Generic); again == nil {
			a.link, err = generic, nil
		}
	}
	if err != nil {
		return a.refused(p.options.Hook, err)
	}
	if a.Pinned() {
		if err := a.link.Pin(a.target.Pin); err != nil {
			_ = a.link.Close() // which ends it
			return noPin(a.target.Pin, err)
		}
	}
	return nil
}

// alone does something with a pin while no other process does, so that none takes over what another
// one is about to end.
func alone(pin string, act func() error) error {
	if pin == "" {
		return act()
	}
	folder, err := os.Open(filepath.Dir(pin))
	if err == nil {
		defer folder.Close()
		err = lock(folder)
	}
	if err != nil {
		return noPin(pin, err)
	}
	return act()
}

func noPin(path string, err error) error {
	if outOfFiles(err) {
		return unavailable(err)
	}
	return &Error{Pinned, fmt.Sprintf("that %s cannot be a pin: %s", shown(path), said(err)),
		"a path in a BPF file system, such as /sys/fs/bpf/NAME after mount -t bpf bpf /sys/fs/bpf",
		err}
}

// takeOver replaces the program of a pinned attachment, and reports whether there is one.
func (a *Attachment) takeOver(p *Program) (bool, error) {
	pinned, err := link.LoadPinnedLink(a.target.Pin, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, notPinned(a.target.Pin, err)
	}
	index, hook, err := place(pinned)
	if err == nil && index == 0 { // its interface vanished; another may have the name
		err = errors.Join(pinned.Unpin(), pinned.Close())
		return false, err
	}
	if err == nil && (index != a.index || hook != p.options.Hook) {
		err = &Error{Occupied, fmt.Sprintf("%s, pinned for interface %d at %v", shown(a.target.Pin),
			index, hook), fmt.Sprintf("one for interface %d at %v, or none: remove it first",
			a.index, p.options.Hook), nil}
	}
	if err == nil {
		err = a.samePlace(pinned, hook)
	}
	if err == nil {
		if err = pinned.Update(p.program); err != nil {
			err = a.refused(p.options.Hook, err)
		}
	}
	if err != nil {
		_ = pinned.Close() // it stays pinned
		return false, err
	}
	a.link, a.took = pinned, true
	return true, nil
}

// samePlace returns an error unless a pinned link is at the interface of this network namespace, of
// which others have interfaces of the same index, and on the path of the target.
func (a *Attachment) samePlace(pinned link.Link, hook Hook) error {
	path, here, err := pathOf(pinned, a.index, hook)
	switch {
	case err != nil:
		return unavailable(err)
	case !here:
		return &Error{Occupied, shown(a.target.Pin) + ", pinned in another network namespace",
			"a pin of its own for each namespace", nil}
	case hook == XDP && a.target.Path != AnyPath && a.target.Path != path:
		return &Error{Occupied, fmt.Sprintf("%s, pinned on the path %v", shown(a.target.Pin), path),
			fmt.Sprintf("one on the path %v, or none: remove it first", a.target.Path), nil}
	}
	return nil
}

// refused turns an error of attaching into an *[Error].
func (a *Attachment) refused(hook Hook, err error) error {
	place := "interface " + shown(a.target.Interface)
	switch {
	case errors.Is(err, syscall.ENODEV), errors.Is(err, syscall.ENOLINK):
		return noInterface(a.target.Interface, err)
	case errors.Is(err, syscall.EBUSY), errors.Is(err, syscall.EEXIST):
		return &Error{Occupied, place + " with another XDP program",
			"one without: remove its pin, or, if it is no link, ip link set dev NAME xdp off", err}
	case errors.Is(err, syscall.EPERM), outOfFiles(err),
		hook == XDP && errors.Is(err, ebpf.ErrNotSupported):
		return unavailable(err)
	case hook == XDP && (errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ERANGE)):
		return &Error{Interface, fmt.Sprintf("%s without the path %v", place, a.target.Path),
			fmt.Sprintf("the path %v, or a driver with XDP for its frames", Generic), err}
	case hook != XDP && !errors.Is(err, syscall.EINVAL):
		return &Error{Kernel, fmt.Sprintf("%s that says: %s", system(), said(err)),
			"Linux 6.6 or later, or the hook XDP", err}
	}
	return &Error{Interface, fmt.Sprintf("%s that says: %s", place, said(err)),
		"one that takes the program", err}
}

func noInterface(name string, err error) error {
	if outOfFiles(err) { // it was not looked for
		return unavailable(err)
	}
	return &Error{Interface, "no interface " + shown(name), "the name of one", err}
}

func notPinned(path string, err error) error {
	if outOfFiles(err) {
		return unavailable(err)
	}
	return &Error{Pinned, fmt.Sprintf("that %s is no pin: %s", shown(path), said(err)),
		"an attachment that was pinned there, or nothing", err}
}

// Check returns nil while the attachment is in force, and an *[Error] of the cause [Interface]
// after the interface has vanished, or of the cause [Pinned] after another process has taken a
// pinned attachment over.
func (a *Attachment) Check() error {
	index, _, err := place(a.link)
	if err != nil {
		return err
	}
	taken, err := a.taken()
	if err != nil {
		return err
	}
	if taken {
		return &Error{Pinned, fmt.Sprintf("that another process took over what is pinned at %s",
			shown(a.target.Pin)), "one process for a pin", nil}
	}
	if index == 0 {
		return &Error{Interface, fmt.Sprintf("that interface %s vanished",
			shown(a.target.Interface)), "that it stays", nil}
	}
	return nil
}

// TookOver reports whether the attachment was pinned before, and took the place of its program.
func (a *Attachment) TookOver() bool { return a.took }

// Pinned reports whether the attachment outlives the process.
func (a *Attachment) Pinned() bool { return a.target.Pin != "" }

// Close gives the attachment up: the program is no longer in force, unless it is pinned.
func (a *Attachment) Close() error {
	attachments.Delete(a)
	return a.link.Close()
}

// taken reports whether another process has taken a pinned attachment over.
func (a *Attachment) taken() (bool, error) {
	info, err := a.link.Info()
	if err != nil {
		return false, fmt.Errorf("xdp: %w", err)
	}
	return a.Pinned() && info.Program != a.program, nil
}

// Detach ends the attachment, also a pinned one, whose path it removes, unless another process has
// taken it over, or has pinned another one there.
func (a *Attachment) Detach() error {
	err := alone(a.target.Pin, func() error {
		taken, err := a.taken()
		if err != nil || !a.Pinned() || taken {
			return err
		}
		there, err := link.LoadPinnedLink(a.target.Pin, nil)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer there.Close()
		own, err := a.link.Info()
		other, otherErr := there.Info()
		if err = errors.Join(err, otherErr); err != nil || own.ID != other.ID {
			return err
		}
		return a.link.Unpin()
	})
	return errors.Join(err, a.Close())
}

// Remove ends a pinned attachment, whoever made it. With the attachment go the program and its
// tables, unless a process still has them. The error is an *[Error] of the cause [Pinned].
func Remove(pin string) error { return alone(pin, func() error { return remove(pin) }) }

func remove(pin string) error {
	pinned, err := link.LoadPinnedLink(pin, nil)
	if err != nil {
		return notPinned(pin, err)
	}
	if _, _, err := place(pinned); err != nil {
		_ = pinned.Close()
		return err
	}
	if err := os.Remove(pin); err != nil {
		return errors.Join(notPinned(pin, err), pinned.Close())
	}
	return pinned.Close()
}
