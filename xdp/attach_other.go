//go:build !linux

package xdp

import (
	"os"

	"github.com/cilium/ebpf/link"
)

func lock(*os.File) error { return nil }

func (p *Program) linked(int, Path) (link.Link, error) { return nil, errSystem }

func place(link.Link) (int, Hook, error) { return 0, 0, unavailable(errSystem) }

func pathOf(link.Link, int, Hook) (Path, bool, error) { return 0, false, errSystem }
