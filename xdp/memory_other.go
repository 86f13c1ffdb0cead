//go:build !linux

package xdp

import (
	"errors"
	"math"
	"runtime"

	"github.com/cilium/ebpf"
)

// errSystem is the error of systems without BPF maps that are mapped.
var errSystem = errors.New("no BPF maps here")

// system returns the name of the system.
func system() string { return runtime.GOOS }

func mapped(*ebpf.Map, int) ([]byte, error) { return nil, errSystem }

func unmap([]byte) error { return errSystem }

func available() uint64 { return math.MaxUint64 }
