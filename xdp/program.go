package xdp

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"

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

	mu      sync.Mutex // of replacements
	inForce [lists]*Table
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
// another algorithm, also of the default, is a *[filter.SizingError]. Other errors are those of
// [deletable.New], or an *[Error], most often of the cause [Memory].
func (p *Program) NewTable(config deletable.Config) (*Table, error) {
	return newTable(p, config)
}

// Replace puts a table into a list, in place of the one before, or none where t is nil. It is one
// update for packets that are under way: a member of both tables is found all the time. When it
// returns, no packet is looked up in the old table, which may be closed. After an error the list is
// as it was: [ErrClosed], [ErrForeign], or an *[Error].
func (p *Program) Replace(list List, t *Table) error {
	if list >= lists {
		return fmt.Errorf("xdp: found %v, expected one below %d", list, lists)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.inForce[list]
	if t == nil {
		if err := p.remove(tables, uint32(list)); err != nil {
			return err
		}
	} else if err := p.enforce(list, t); err != nil {
		return err
	}
	p.inForce[list] = t
	p.forget(before)
	return nil
}

// enforce puts a table into a list. A packet finds the exact set by the table alone, so that one
// store puts both in force, and the set of the table before stays where it is.
func (p *Program) enforce(list List, t *Table) error {
	t.mu.Lock() // so that it is not closed meanwhile
	defer t.mu.Unlock()
	switch {
	case t.closed:
		return ErrClosed
	case t.program != p:
		return ErrForeign
	}
	if t.set != nil && !slices.Contains(p.inForce[:], t) {
		taken := func(other *Table) bool { return other != nil && other.place == t.place }
		t.place = 0
		for slices.ContainsFunc(p.inForce[:], taken) {
			t.place++
		}
		binary.NativeEndian.PutUint64(t.memory[placeAt:], uint64(t.place))
		if err := p.put(sets, t.place, t.set); err != nil {
			return err
		}
	}
	err := p.put(tables, uint32(list), t.blocks)
	if err != nil {
		p.forget(t)
	}
	return err
}

// forget removes the exact set of a table that no list has. If the kernel does not, no packet finds
// it, and another set will take its place.
func (p *Program) forget(t *Table) {
	if t != nil && t.set != nil && !slices.Contains(p.inForce[:], t) {
		_ = p.remove(sets, t.place)
	}
}

func (p *Program) put(outer string, key uint32, inner *ebpf.Map) error {
	m, err := p.mapOf(outer)
	if err != nil {
		return err
	}
	if err := m.Put(key, inner); err != nil {
		return unavailable(err)
	}
	return nil
}

func (p *Program) remove(outer string, key uint32) error {
	m, err := p.mapOf(outer)
	if err != nil {
		return err
	}
	if err := m.Delete(key); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
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
