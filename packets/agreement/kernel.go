package agreement

import (
	"bytes"
	"fmt"
	"net/netip"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/kernel"
	"github.com/bloomlane/bloomlane/xdp"
)

// kernelCode is the packet program, which the kernel runs on frames without an interface.
type kernelCode struct {
	program *xdp.Program
	table   *xdp.Table
}

// kernelMachine is the program for options, with a filter for IPv4, as others have it. Where the
// machine lacks what it needs, the error is an *[xdp.Error].
func kernelMachine(options xdp.Options) machine {
	return machine{"Linux kernel (XDP)", func(s *scenario) (executor, error) {
		f, err := deletable.Read(bytes.NewReader(s.file), s.config.Key)
		if err != nil {
			return nil, err
		}
		options.FilterIPv4 = true
		k := &kernelCode{}
		if k.program, err = xdp.Load(options); err != nil {
			return nil, err
		}
		if k.table, err = k.program.NewTable(s.config); err == nil {
			// Merged into an empty table, a filter's blocks are as they were.
			if err = k.table.Filter().Merge(f); err == nil {
				err = k.program.Replace(xdp.Deny, k.table)
			}
		}
		if err != nil {
			_ = k.close() // the first error counts
			return nil, err
		}
		return k, nil
	}}
}

func (k *kernelCode) judge(frames [][]byte, dropped []bool) error {
	const drop, pass = 1, 2 // XDP_DROP, XDP_PASS
	for i, frame := range frames {
		verdict, err := k.program.Kernel().Run(&ebpf.RunOptions{Data: frame})
		if err != nil {
			return err
		}
		if verdict != drop && verdict != pass {
			return fmt.Errorf("agreement: the program returns %d, expected %d or %d", verdict, drop,
				pass)
		}
		dropped[i] = verdict == drop
	}
	return nil
}

func (k *kernelCode) change(insert bool, addresses []netip.Addr, results []uint8) error {
	for i, a := range addresses {
		prefix := netip.PrefixFrom(a, a.BitLen())
		if !insert {
			status, err := k.table.Delete(prefix)
			if err != nil {
				return err
			}
			results[i] = uint8(status)
			continue
		}
		results[i] = 0
		if k.table.Query(prefix) {
			results[i] = 1
		}
		if err := k.table.Insert(prefix); err != nil {
			return err
		}
	}
	return nil
}

// The process and the kernel share the memory of the table.
func (k *kernelCode) blocks(table kernel.Table512) error {
	copy(table, k.table.Filter().CloneTable())
	return nil
}

func (k *kernelCode) cost(frames [][]byte) (Cost, error) {
	// Before and after each run of repeats the kernel waits for all its cores.
	const sample, repeats = 32, 2000
	total := 0.0
	n := min(sample, len(frames))
	for i := range n {
		frame := frames[i*len(frames)/n]
		_, took, err := k.program.Kernel().Benchmark(frame, repeats, nil)
		if err != nil {
			return Cost{}, err
		}
		total += float64(took.Nanoseconds())
	}
	return Cost{PerPacket: total / float64(n), Unit: "ns",
		What: fmt.Sprintf("test runs of %d packets, %d times each", n, repeats)}, nil
}

func (k *kernelCode) close() (err error) {
	if k.table != nil {
		err = k.table.Close()
	}
	if closed := k.program.Close(); err == nil {
		err = closed
	}
	return err
}
