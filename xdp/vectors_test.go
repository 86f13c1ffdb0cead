package xdp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/kernel/vectors"
)

// operations loads testdata/operations.c, with a table of this many blocks.
func operations(tb testing.TB, nblocks int) *ebpf.Collection {
	tb.Helper()
	load(tb, Options{}) // or skip
	spec := specOf(tb, compile(tb, "testdata/operations.c"))
	spec.Maps["blocks"].MaxEntries = uint32(nblocks)
	collection, err := ebpf.NewCollection(spec)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(collection.Close)
	return collection
}

// target is the operations in BPF as a target of package vectors. It has one machine.
type target struct {
	tb         testing.TB
	collection *ebpf.Collection
	blockBits  int
	nblocks    int
	memory     []byte
}

func (m *target) Name() string { return "BPF" }

func (m *target) Group() int { return 1 }

func (m *target) New(blockBits, nblocks int) (vectors.Machine, error) {
	if m.collection != nil {
		return nil, errors.New("a second machine")
	}
	m.collection = operations(m.tb, nblocks)
	m.blockBits, m.nblocks = blockBits, nblocks
	var err error
	m.memory, err = mapped(m.collection.Maps["blocks"], nblocks*64)
	m.tb.Cleanup(func() { _ = unmap(m.memory) })
	return m, err
}

func (m *target) Apply(records []vectors.Record, results []vectors.Result) error {
	for i, r := range records {
		packet := binary.LittleEndian.AppendUint64(nil, r.H)
		packet = binary.LittleEndian.AppendUint64(packet, uint64(m.nblocks))
		for _, lane := range r.Mask {
			if m.blockBits == 256 {
				packet = binary.LittleEndian.AppendUint32(packet, uint32(lane))
			} else {
				packet = binary.LittleEndian.AppendUint64(packet, lane)
			}
		}
		packet = append(packet, make([]byte, 80-len(packet))...)
		operation := r.Op
		if operation == vectors.Match { // of a mask that is the hash's
			operation = vectors.Query
		}
		program := m.collection.Programs[fmt.Sprint(operation, m.blockBits)]
		got, err := program.Run(&ebpf.RunOptions{Data: packet})
		if err != nil {
			return err
		}
		all := map[vectors.Op][]vectors.Result{
			vectors.Query:  {vectors.Absent, vectors.Present},
			vectors.Insert: {vectors.Absent, vectors.Present},
			vectors.Delete: {vectors.Absent, vectors.Retained, vectors.Deleted},
			vectors.Merge:  {vectors.Merged},
		}[operation]
		if int(got) >= len(all) {
			return fmt.Errorf("%s returns %d", operation, got)
		}
		results[i] = all[got]
	}
	return nil
}

func (m *target) Block(i int) (vectors.Block, error) {
	var b vectors.Block
	for lane := range b {
		if m.blockBits == 256 {
			b[lane] = uint64(binary.NativeEndian.Uint32(m.memory[64*i+4*lane:]))
		} else {
			b[lane] = binary.NativeEndian.Uint64(m.memory[64*i+8*lane:])
		}
	}
	return b, nil
}

// The operations of both block sizes agree with the definition in BPF, bit for bit.
func TestVectors(t *testing.T) {
	for _, blockBits := range []int{512, 256} {
		for _, nblocks := range []int{1, 250} {
			config := vectors.Config{BlockBits: blockBits, NBlocks: nblocks, Records: 5000,
				Seed: 35}
			var file bytes.Buffer
			tally, err := vectors.Make(&file, config)
			if err != nil {
				t.Fatal(err)
			}
			if retained := tally[vectors.Delete][vectors.Retained]; retained < 20 {
				t.Errorf("%+v: %d deletes are retained, want more", config, retained)
			}
			n, err := vectors.Check(&file, &target{tb: t})
			if n != config.Records || err != nil {
				t.Errorf("%+v: %d records, %v", config, n, err)
			}
		}
	}
}

// A difference in the run is found.
func TestVectorsDiffer(t *testing.T) {
	var file bytes.Buffer
	if _, err := vectors.Make(&file, vectors.Config{BlockBits: 512, NBlocks: 3, Records: 50,
		Seed: 1}); err != nil {
		t.Fatal(err)
	}
	m := &target{tb: t}
	changed := bytes.Replace(file.Bytes(), []byte(`"result":"absent"`), []byte(
		`"result":"present"`), 1)
	var difference *vectors.Difference
	if _, err := vectors.Check(bytes.NewReader(changed), m); !errors.As(err, &difference) {
		t.Errorf("a changed result: %v", err)
	}
}

// Hashes in BPF are those of the key in Go, for the lengths of keys of prefixes and others.
func TestSipHash(t *testing.T) {
	collection := operations(t, 1)
	rng := rand.New(rand.NewPCG(35, 2))
	for _, length := range []int{0, 4, 5, 8, 16, 17, 31} {
		program := collection.Programs[fmt.Sprint("siphash", length)]
		for i := range 200 {
			packet := make([]byte, 16+length)
			for at := range packet {
				packet[at] = byte(rng.Uint32())
			}
			switch i {
			case 0:
				clear(packet)
			case 1:
				copy(packet, bytes.Repeat([]byte{0xff}, len(packet)))
			}
			k, err := key.FromBytes(append([]byte("sip13:"), packet[:16]...))
			if err != nil {
				t.Fatal(err)
			}
			out := make([]byte, len(packet))
			run := ebpf.RunOptions{Data: packet, DataOut: out}
			if got, err := program.Run(&run); got != 0 || err != nil {
				t.Fatalf("%d bytes: %d, %v", length, got, err)
			}
			hash := binary.LittleEndian.Uint64(out)
			if want := k.Hash(packet[16:]); hash != want {
				t.Fatalf("the hash of %d bytes is %#x, want %#x", length, hash, want)
			}
		}
	}
}
