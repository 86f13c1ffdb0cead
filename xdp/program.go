package xdp

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"net/netip"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/rlimit"

	"github.com/bloomlane/bloomlane/filter/deletable"
)

// object is program/program.c, compiled.
//
//go:embed program/program.o
var object []byte

// Names in the object.
const (
	tables   = "tables"
	sets     = "sets"
	counters = "counters"
	learned  = "learned"
)

// Program is a program in the kernel, with its lists. Make one with [Load].
type Program struct {
	options    Options
	program    *ebpf.Program
	collection *ebpf.Collection
	// what the maps of tables are like
	blocks, set *ebpf.MapSpec
}

// Load loads a program into the kernel. It runs where [Program.Attach] attaches it. The error is an
// *[Error] or a *[LengthsError].
func Load(options Options) (*Program, error) {
	used := "drop"
	if options.Hook != XDP {
		used = "classify"
	}
	return loaded(object, used, options)
}

// loaded loads a program of an object, by its name there.
func loaded(object []byte, used string, options Options) (*Program, error) {
	checked, err := options.Lengths.checked()
	if err != nil {
		return nil, err
	}
	options.Lengths = checked
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
	if err != nil {
		return nil, unavailable(err)
	}
	for name := range spec.Programs {
		if name != used {
			delete(spec.Programs, name)
		}
	}
	for name, value := range map[string]any{
		"report":         number(options.Mode == ReportOnly),
		"exact":          number(options.Mode == Exact),
		"learn":          number(options.Learn),
		"of_destination": number(options.Side == Destination),
		"drop_fragments": number(options.DropFragments),
		"drop_malformed": number(options.DropMalformed),
		"lengths4":       lengthsOf(checked.IPv4, netip.IPv4Unspecified()),
		"lengths6":       lengthsOf(checked.IPv6, netip.IPv6Unspecified()),
	} {
		variable := spec.Variables[name]
		if variable == nil {
			return nil, fmt.Errorf("xdp: the object has no %s", name)
		}
		if err := variable.Set(value); err != nil {
			return nil, fmt.Errorf("xdp: %s: %w", name, err)
		}
	}
	p := &Program{options: options, blocks: spec.Maps[tables].InnerMap}
	if options.Mode == Exact {
		p.set = spec.Maps[sets].InnerMap
	}
	if err := rlimit.RemoveMemlock(); err != nil { // does nothing from Linux 5.11 on
		return nil, unavailable(err)
	}
	if p.collection, err = ebpf.NewCollection(spec); err != nil {
		return nil, unavailable(err)
	}
	p.program = p.collection.Programs[used]
	return p, nil
}

// number returns a flag as the program has it.
func number(flag bool) uint32 {
	if flag {
		return 1
	}
	return 0
}

// Options returns what the program was loaded for, with its prefix lengths.
func (p *Program) Options() Options { return p.options }

// Kernel returns the program of the kernel, for those who run it on packets of their own
// (BPF_PROG_TEST_RUN). It ends with [Program.Close].
func (p *Program) Kernel() *ebpf.Program { return p.program }

// NewTable returns an empty table for the prefixes that the program looks up. It is in no list
// until [Program.Replace]. The zero Key of config stands for a random key of SipHash-1-3; one of
// another algorithm is a *[filter.SizingError]. Other errors are those of [deletable.New], or an
// *[Error], most often of the cause [Memory].
func (p *Program) NewTable(config deletable.Config) (*Table, error) {
	return newTable(p.blocks, p.set, config, p.options.Lengths)
}

// Replace puts a table into a list, in place of the one before, or none where t is nil. It is one
// update for packets that are under way: a member of both tables is found all the time. When it
// returns, no packet is looked up in the old table, which may be closed.
func (p *Program) Replace(list List, t *Table) error {
	if list >= lists {
		return fmt.Errorf("xdp: found %v, expected one below %d", list, lists)
	}
	if t == nil {
		return errors.Join(p.remove(tables, list), p.remove(sets, list))
	}
	t.mu.Lock() // so that it is not closed meanwhile
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	if (t.set == nil) != (p.set == nil) {
		return fmt.Errorf("xdp: found a table of a program in another mode, expected one in the "+
			"mode %v", p.options.Mode)
	}
	// A member of both tables is in either set, so that the order is no matter.
	if t.set != nil {
		if err := p.put(sets, list, t.set); err != nil {
			return err
		}
	}
	return p.put(tables, list, t.blocks)
}

func (p *Program) put(outer string, list List, inner *ebpf.Map) error {
	m, err := p.mapOf(outer)
	if err != nil {
		return err
	}
	if err := m.Put(uint32(list), inner); err != nil {
		return unavailable(err)
	}
	return nil
}

func (p *Program) remove(outer string, list List) error {
	m, err := p.mapOf(outer)
	if err != nil {
		return err
	}
	if err := m.Delete(uint32(list)); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return unavailable(err)
	}
	return nil
}

func (p *Program) mapOf(name string) (*ebpf.Map, error) {
	if p.collection == nil {
		return nil, ErrClosed
	}
	return p.collection.Maps[name], nil
}

// Close gives up what the process holds of the program. What is attached stays attached until its
// [Attachment] ends.
func (p *Program) Close() error {
	if p.collection != nil {
		p.collection.Close()
		p.collection = nil
	}
	return nil
}
