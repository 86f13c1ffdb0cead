package xdp

import (
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
)

// linked attaches the program to the interface of an index.
func (p *Program) linked(index int, path Path) (link.Link, error) {
	if p.options.Hook != XDP {
		attach := ebpf.AttachTCXIngress
		if p.options.Hook == Egress {
			attach = ebpf.AttachTCXEgress
		}
		return link.AttachTCX(link.TCXOptions{Program: p.program, Interface: index, Attach: attach})
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
	if at := info.TCX(); at != nil {
		hook := Ingress
		if ebpf.AttachType(at.AttachType) == ebpf.AttachTCXEgress {
			hook = Egress
		}
		return int(at.Ifindex), hook, nil
	}
	return 0, 0, &Error{Pinned, fmt.Sprintf("a link of type %d", info.Type), "one of XDP or of " +
		"traffic control", nil}
}
