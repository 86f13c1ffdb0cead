package xdp

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

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
	tables    = "tables"
	sets      = "sets"
	tries     = "tries"
	pages     = "pages"
	variables = ".bss" // which has the places of lists alone
	counters  = "counters"
	learned   = "learned"
)

// Program is a program in the kernel, with its lists. Make one with [Load].
type Program struct {
	options    Options
	program    *ebpf.Program
	collection *ebpf.Collection
	places     []byte                   // of the lists in the maps of their parts, as the program has them
	parts      map[string]*ebpf.MapSpec // what the maps of tables are like

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
		"filter4":        number(options.FilterIPv4),
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
	p := &Program{options: options, parts: map[string]*ebpf.MapSpec{}}
	for _, outer := range []string{tables, sets, tries, pages} {
		p.parts[outer] = spec.Maps[outer].InnerMap
	}
	if err := rlimit.RemoveMemlock(); err != nil { // does nothing from Linux 5.11 on
		return nil, unavailable(err)
	}
	if p.collection, err = ebpf.NewCollection(spec); err != nil {
		return nil, unavailable(err)
	}
	p.program = p.collection.Programs[used]
	if p.places, err = mapped(p.collection.Maps[variables], 4*int(lists)); err != nil {
		p.collection.Close()
		return nil, unavailable(err)
	}
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
	if p.collection == nil {
		return ErrClosed
	}
	before, place := p.inForce[list], uint32(0)
	if t != nil {
		t.mu.Lock() // so that it is not closed meanwhile
		defer t.mu.Unlock()
		if err := p.enforce(t); err != nil {
			return err
		}
		place = t.place
	}
	p.store(list, place)
	p.inForce[list] = t
	if t != nil {
		// The kernel waits for the packets that may have read the place before.
		if err := p.put(tables, place, t.parts[tables]); err != nil {
			p.inForce[list] = before
			p.store(list, before.at()) // packets may have read the place of t: its parts stay there
			return err
		}
	}
	if before != nil && before != t {
		before.mu.Lock()
		defer before.mu.Unlock()
		p.forget(before)
	}
	return nil
}

// store is the one store that puts a list in force.
func (p *Program) store(list List, place uint32) {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&p.places[4*list])), place)
}

// enforce gives a table a place that no list has, unless it has one.
func (p *Program) enforce(t *Table) error {
	switch {
	case t.closed:
		return ErrClosed
	case t.program != p:
		return ErrForeign
	case slices.Contains(p.inForce[:], t):
		return nil
	}
	t.place = 1
	for slices.ContainsFunc(p.inForce[:], func(other *Table) bool { return other.at() == t.place }) {
		t.place++
	}
	for outer, part := range t.parts {
		if err := p.put(outer, t.place, part); err != nil {
			p.forget(t)
			return err
		}
	}
	return nil
}

// at returns the place of a table: 0 for no table.
func (t *Table) at() uint32 {
	if t == nil {
		return 0
	}
	return t.place
}

// forget takes the parts of a table that no list has from their place, after packets may have read
// them. If the kernel does not, no packet finds them, and others will take their place.
func (p *Program) forget(t *Table) {
	if !slices.Contains(p.inForce[:], t) {
		for outer := range t.parts {
			_ = p.remove(outer, t.place)
		}
		t.place = 0
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
	if p.collection == nil {
		return nil
	}
	p.collection.Close()
	p.collection = nil
	return unmap(p.places)
}
