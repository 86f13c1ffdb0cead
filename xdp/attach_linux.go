package xdp

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"syscall"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// lock waits until no other open file of a folder has its lock, which ends with the file.
func lock(folder *os.File) error {
	for {
		if err := unix.Flock(int(folder.Fd()), unix.LOCK_EX); err != unix.EINTR {
			return err
		}
	}
}

// linked attaches the program to the interface of an index.
func (p *Program) linked(index int, path Path) (link.Link, error) {
	if p.options.Hook != XDP {
		return link.AttachTCX(link.TCXOptions{Program: p.program, Interface: index,
			Attach: p.options.Hook.attachType()})
	}
	flags := map[Path]link.XDPAttachFlags{Native: link.XDPDriverMode,
		Generic: link.XDPGenericMode}[path]
	return link.AttachXDP(link.XDPOptions{Program: p.program, Interface: index, Flags: flags})
}

// place returns the interface and the hook of a link. The interface is 0 if it vanished.
func place(l link.Link) (index int, hook Hook, err error) {
	info, err := l.Info()
	if err != nil {
		return 0, 0, fmt.Errorf("xdp: %w", err)
	}
	if at := info.XDP(); at != nil {
		return int(at.Ifindex), XDP, nil
	}
	if tcx := info.TCX(); tcx != nil {
		hook := Ingress
		if ebpf.AttachType(tcx.AttachType) == ebpf.AttachTCXEgress {
			hook = Egress
		}
		return int(tcx.Ifindex), hook, nil
	}
	return 0, 0, &Error{Pinned, fmt.Sprintf("a link of type %d", info.Type), "one of XDP or of " +
		"traffic control", nil}
}

// attachType returns the kernel's name of a hook of traffic control.
func (h Hook) attachType() ebpf.AttachType {
	if h == Egress {
		return ebpf.AttachTCXEgress
	}
	return ebpf.AttachTCXIngress
}

// pathOf returns the path of a link at a hook of the interface that has an index in the network
// namespace of this thread, and whether the link is there.
func pathOf(l link.Link, index int, hook Hook) (path Path, here bool, err error) {
	info, err := l.Info()
	if err != nil {
		return 0, false, err
	}
	if hook != XDP {
		found, err := link.QueryPrograms(link.QueryOptions{Target: index,
			Attach: hook.attachType()})
		if err != nil {
			return 0, false, err
		}
		return AnyPath, slices.ContainsFunc(found.Programs, func(p link.AttachedProgram) bool {
			id, _ := p.LinkID()
			return id == info.ID
		}), nil
	}
	ids, err := programs(index)
	for path, id := range ids {
		if id == info.Program {
			return path, true, nil
		}
	}
	return 0, false, err
}

// programs returns the programs at the hook XDP of the interface that has an index, which
// rtnetlink(7) says.
func programs(index int) (map[Path]ebpf.ProgramID, error) {
	answer, err := syscall.NetlinkRIB(unix.RTM_GETLINK, unix.AF_UNSPEC)
	if err != nil {
		return nil, err
	}
	messages, err := syscall.ParseNetlinkMessage(answer)
	if err != nil {
		return nil, err
	}
	ids := map[Path]ebpf.ProgramID{}
	for i := range messages {
		m := &messages[i]
		if m.Header.Type != unix.RTM_NEWLINK || len(m.Data) < unix.SizeofIfInfomsg ||
			int(binary.NativeEndian.Uint32(m.Data[4:])) != index {
			continue
		}
		attributes, err := syscall.ParseNetlinkRouteAttr(m)
		if err != nil {
			return nil, err
		}
		for _, a := range attributes {
			if a.Attr.Type&^unix.NLA_F_NESTED == unix.IFLA_XDP {
				addPrograms(ids, a.Value)
			}
		}
	}
	return ids, nil
}

// addPrograms adds the programs that the attributes in IFLA_XDP name.
func addPrograms(ids map[Path]ebpf.ProgramID, attributes []byte) {
	paths := map[uint16]Path{unix.IFLA_XDP_DRV_PROG_ID: Native, unix.IFLA_XDP_SKB_PROG_ID: Generic}
	for len(attributes) >= unix.SizeofRtAttr {
		size := int(binary.NativeEndian.Uint16(attributes))
		if size < unix.SizeofRtAttr || size > len(attributes) {
			return
		}
		kind, value := binary.NativeEndian.Uint16(attributes[2:]), attributes[4:size]
		if path, ok := paths[kind]; ok && len(value) == 4 {
			ids[path] = ebpf.ProgramID(binary.NativeEndian.Uint32(value))
		}
		const align = unix.RTA_ALIGNTO
		attributes = attributes[min(len(attributes), (size+align-1)/align*align):]
	}
}
