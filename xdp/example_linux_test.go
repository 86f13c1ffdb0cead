package xdp

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
)

// fill loads a program of others, such as program/example.c, with a filter of some members over the
// memory of its map.
func fill(spec *ebpf.CollectionSpec, config deletable.Config) (
	*ebpf.Collection, *deletable.Filter, error,
) {
	config.Key = key.SipHash13.New()
	shape, err := config.Shape()
	if err != nil {
		return nil, nil, err
	}
	spec.Maps["table"].MaxEntries = uint32(shape.Blocks) + 1
	collection, err := ebpf.NewCollection(spec)
	if err != nil {
		return nil, nil, err
	}
	bytes, err := unix.Mmap(collection.Maps["table"].FD(), 0, shape.Bytes()+deletable.BlockBytes,
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(bytes))), len(bytes)/8)
	filter, err := deletable.Over(words[deletable.BlockBytes/8:], config)
	if err != nil {
		return nil, nil, err
	}
	secret := config.Key.Bytes() // behind its tag
	words[1] = binary.LittleEndian.Uint64(secret[len(secret)-16:])
	words[2] = binary.LittleEndian.Uint64(secret[len(secret)-8:])
	words[0] = uint64(shape.Blocks) // last: before it the program finds nothing
	return collection, filter, nil
}

// A program of others that is made as the example is denies what Go inserts into its map, until Go
// deletes it.
func TestExample(t *testing.T) {
	load(t, Options{}) // or skip
	collection, filter, err := fill(specOf(t, compile(t, "program/example.c")),
		deletable.Config{Members: 1000, Rate: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	defer collection.Close()
	drops := func(a netip.Addr) bool {
		verdict, err := collection.Programs["example"].Run(&ebpf.RunOptions{
			Data: frame(a, netip.IPv4Unspecified())})
		if err != nil {
			t.Fatal(err)
		}
		return verdict == 1 // XDP_DROP
	}
	for i := range 1000 {
		a := addr(fmt.Sprintf("10.0.%d.%d", i/256, i%256))
		if drops(a) {
			t.Fatalf("%v is denied before it is inserted", a)
		}
		if _, err := filter.Insert(a.AsSlice()); err != nil {
			t.Fatal(err)
		}
		if !drops(a) {
			t.Fatalf("%v is not denied", a)
		}
		if i%2 == 0 && filter.Delete(a.AsSlice()) == deletable.Deleted && drops(a) {
			t.Errorf("%v is denied after it is deleted", a)
		}
	}
}
