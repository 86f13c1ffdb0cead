package denylist

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cilium/ebpf"
)

// object is c/deny.c, compiled.
//
//go:embed deny.o
var object []byte

// subject is a program that drops packets by its list, or a bare one.
type subject struct {
	name    string
	program *ebpf.Program
	memory  func() (uint64, error) // of the list; nil: it has none
	load    float64                // ns per member
	close   func()
	// of a list behind the driver: before its packets come, and after
	enter, leave func() error
}

// batch is the number of members in an update of a map.
const batch = 1 << 16

// comparator is a program of c/deny.c and the name of its map, without the version of IP.
type comparator struct {
	name, program string
	// entries per member that the map is made for
	entries int
	// keys of members; nil: the map takes values alone, one at a time
	keys func(f family, members []address) any
}

var comparators = []comparator{
	{"BPF hash", "hash", 1, plainKeys},
	{"BPF LRU hash", "lru", 1, plainKeys},
	{"BPF LPM trie", "lpm", 1, prefixKeys},
	{"BPF Bloom filter", "bloom", 1, nil},
	{"BPF Bloom filter, twice the size", "bloom", 2, nil},
}

// prefix is a key of an LPM trie.
type prefix[A [4]byte | address] struct {
	Bits    uint32
	Address A
}

func plainKeys(f family, members []address) any {
	if f == ipv6 {
		return members
	}
	keys := make([][4]byte, len(members))
	for i, a := range members {
		keys[i] = [4]byte(a[:4])
	}
	return keys
}

func prefixKeys(f family, members []address) any {
	if f == ipv6 {
		keys := make([]prefix[address], len(members))
		for i, a := range members {
			keys[i] = prefix[address]{128, a}
		}
		return keys
	}
	keys := make([]prefix[[4]byte], len(members))
	for i, a := range members {
		keys[i] = prefix[[4]byte]{32, [4]byte(a[:4])}
	}
	return keys
}

// bare are the programs without a list.
var bare = []struct{ name, program string }{{bareParse, "parse"}, {bareDrop, "drop"},
	{barePass, "pass"}}

// loadObject returns what is in the object.
func loadObject() (*ebpf.CollectionSpec, error) {
	return ebpf.LoadCollectionSpecFromReader(bytes.NewReader(object))
}

// program loads a program of the object with some of its maps.
func program(name string, maps map[string]uint32) (*ebpf.Collection, error) {
	all, err := loadObject()
	if err != nil {
		return nil, err
	}
	spec := &ebpf.CollectionSpec{
		Types: all.Types, ByteOrder: all.ByteOrder,
		Programs: map[string]*ebpf.ProgramSpec{name: all.Programs[name]},
		Maps:     map[string]*ebpf.MapSpec{},
	}
	for name, entries := range maps {
		spec.Maps[name] = all.Maps[name]
		spec.Maps[name].MaxEntries = max(entries, spec.Maps[name].MaxEntries)
	}
	return ebpf.NewCollection(spec)
}

// newBare returns a subject without a list.
func newBare(name, kind string) (*subject, error) {
	c, err := program(kind, map[string]uint32{"counts": 0})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &subject{name: name, program: c.Programs[kind], close: c.Close}, nil
}

// make returns a subject whose map has the members.
func (c comparator) make(f family, members []address) (*subject, error) {
	own, other := c.program+"4", c.program+"6"
	if f == ipv6 {
		own, other = other, own
	}
	entries := uint32(c.entries * len(members))
	loaded, err := program(c.program, map[string]uint32{"counts": 0, own: entries, other: 0})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	m := loaded.Maps[own]
	load, err := c.fill(m, f, members)
	if err != nil {
		loaded.Close()
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	return &subject{name: c.name, program: loaded.Programs[c.program], load: load,
		memory: func() (uint64, error) { return locked(m) },
		close:  loaded.Close}, nil
}

// fill inserts the members, and returns ns per member. Keys are made before the clock runs.
func (c comparator) fill(m *ebpf.Map, f family, members []address) (float64, error) {
	var took time.Duration
	for some := range slices.Chunk(members, batch) {
		var keys any
		if c.keys != nil {
			keys = c.keys(f, some)
		}
		start := time.Now()
		if c.keys != nil {
			if _, err := m.BatchUpdate(keys, make([]byte, len(some)), nil); err != nil {
				return 0, err
			}
		} else {
			for _, a := range some {
				if err := m.Put(nil, a[:m.ValueSize()]); err != nil {
					return 0, err
				}
			}
		}
		took += time.Since(start)
	}
	return float64(took.Nanoseconds()) / float64(len(members)), nil
}

// locked returns the memory of a map, by the kernel's own account.
func locked(m *ebpf.Map) (uint64, error) {
	info, err := m.Info()
	if err != nil {
		return 0, err
	}
	bytes, ok := info.Memlock()
	if !ok {
		return 0, errors.New("the kernel does not say how much memory a map takes")
	}
	return bytes, nil
}
