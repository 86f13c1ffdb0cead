package xdp

import (
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"sync"
	"syscall"
	"unsafe"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
)

// Table is a deletable filter of prefixes in memory that it shares with the kernel, and in the mode
// [Exact] an exact set of them in the kernel. Make one with [Program.NewTable].
//
// The contract of deletion is that of package deletable: insert each member once, and delete only
// members. Any number of goroutines may use a table, one of which writes at a time: the others
// wait.
type Table struct {
	program *Program
	filter  *deletable.Filter
	blocks  *ebpf.Map
	memory  []byte
	set     *ebpf.Map // nil without the mode Exact
	place   uint32    // of the set in the program, while a list has the table

	mu     sync.Mutex // of writers
	closed bool
}

// ErrClosed is the error of a [Table] or a [Program] after its Close.
var ErrClosed = errors.New("xdp: closed")

// ErrForeign is the error of [Program.Replace] for a table of another program, which may have
// another mode or other prefix lengths.
var ErrForeign = errors.New("xdp: found a table of another program, expected one of this program")

// placeAt is where the memory of a table has the place of its set.
const placeAt = 3 * 8

// memory is what the system and the control groups have, which tests change.
var memory = available

func newTable(p *Program, config deletable.Config) (t *Table, err error) {
	if config.Key.IsZero() {
		config.Key = key.SipHash13.New()
	}
	if config.Key.IsUnknown() || config.Key.Algorithm() != key.SipHash13 {
		return nil, &filter.SizingError{Kind: "xdp", Field: "Key", Found: config.Key.String(),
			Expected: "a key of SipHash-1-3, as bloomlane build --hash siphash-1-3 makes"}
	}
	shape, err := config.Shape()
	if err != nil {
		return nil, err
	}
	t = &Table{program: p}
	defer func() {
		if err != nil {
			_ = t.Close() // the first error counts
			t = nil
		}
	}()
	blocks := p.blocks.Copy()
	blocks.MaxEntries = uint32(shape.Blocks) + 1 // the header
	bytes := shape.Bytes() + deletable.BlockBytes
	size := fmt.Sprintf("a table of %d blocks, of %d bytes", shape.Blocks, bytes)
	if err = fits(uint64(bytes), size); err != nil {
		return t, err
	}
	if t.blocks, err = ebpf.NewMap(blocks); err != nil {
		return t, notMade(err, size)
	}
	if t.memory, err = mapped(t.blocks, bytes); err != nil {
		return t, notMade(err, size)
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(t.memory))), bytes/8)
	const header = deletable.BlockBytes / 8
	if t.filter, err = deletable.Over(words[header:], config); err != nil {
		return t, err
	}
	words[0] = uint64(shape.Blocks)
	words[1], words[2] = sipWords(config.Key) // and words[3], at placeAt, is the place of the set
	if p.set == nil {
		return t, nil
	}
	set := p.set.Copy()
	// room for twice the plan: an element takes memory when it comes
	set.MaxEntries = uint32(min(2*uint64(config.Members)+1024, 1<<31))
	heads := uint64(16) << bits.Len32(set.MaxEntries-1) // a power of two of buckets
	size = fmt.Sprintf("an exact set of %d members, of %d bytes", config.Members, heads)
	if err = fits(heads, size); err != nil {
		return t, err
	}
	if t.set, err = ebpf.NewMap(set); err != nil {
		return t, notMade(err, size)
	}
	return t, nil
}

// fits returns an error for a map beyond the memory: the kernel itself would try for long, and take
// memory from others.
func fits(bytes uint64, what string) error {
	if room := memory(); bytes > room {
		return &Error{Memory, what, fmt.Sprintf("at most %d, which the system has", room), nil}
	}
	return nil
}

// notMade is [unavailable] for a map, of which what says the size.
func notMade(err error, what string) error {
	if errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.E2BIG) ||
		errors.Is(err, syscall.EAGAIN) {
		return &Error{Memory, what, "a map that the kernel has memory for", err}
	}
	return unavailable(err)
}

// check returns an error unless the program looks prefixes of this length up.
func (t *Table) check(prefixes ...netip.Prefix) error {
	if t.closed {
		return ErrClosed
	}
	lengths := t.program.options.Lengths
	for _, p := range prefixes {
		if !p.IsValid() || !lengths.has(p) {
			return &PrefixError{Found: p, Lengths: lengths}
		}
	}
	return nil
}

// Insert inserts a prefix, which must be no member. Its packets are denied as soon as the memory of
// other CPUs has it, which is some nanoseconds after Insert returns at the latest. The error is a
// *[PrefixError], or an *[Error] if the exact set takes no more.
func (t *Table) Insert(p netip.Prefix) error { return t.InsertBatch([]netip.Prefix{p}) }

// InsertBatch inserts prefixes, all different and no members, or none of them: if one is none that
// the program looks up, or if the exact set takes no more.
func (t *Table) InsertBatch(prefixes []netip.Prefix) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.check(prefixes...); err != nil {
		return err
	}
	if t.set != nil && len(prefixes) > 0 {
		keys, values := make([]hashed, len(prefixes)), make([]uint8, len(prefixes))
		for i, p := range prefixes {
			keys[i] = hashedOf(p)
		}
		if n, err := t.set.BatchUpdate(keys, values, nil); err != nil {
			for _, h := range keys[:n] {
				_ = t.set.Delete(h) // it was not there before
			}
			return notMade(err, fmt.Sprintf("an exact set that is full, of %d", t.set.MaxEntries()))
		}
	}
	_, err := t.filter.InsertHashBatch(t.hashes(prefixes), nil)
	return err
}

// Delete deletes a prefix, which must be a member. Where there is an exact set, one that is no
// member is [filter.Absent], and nothing changes.
func (t *Table) Delete(p netip.Prefix) (filter.Status, error) {
	status := []filter.Status{filter.Absent}
	_, err := t.DeleteBatch([]netip.Prefix{p}, status)
	return status[0], err
}

// DeleteBatch deletes prefixes, which must be members, as [Table.Delete] does, and returns how many
// have the status Deleted. status[i] becomes the status of prefixes[i], unless status is nil. If
// one of them is none that the program looks up, it deletes none.
func (t *Table) DeleteBatch(
	prefixes []netip.Prefix,
	status []filter.Status,
) (deleted int, err error) {
	if status != nil && len(status) < len(prefixes) {
		panic(fmt.Sprintf("xdp: DeleteBatch: room for %d statuses, expected %d", len(status),
			len(prefixes)))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.check(prefixes...); err != nil {
		return 0, err
	}
	hashes := t.hashes(prefixes)
	if t.set == nil {
		return t.filter.DeleteHashBatch(hashes, status), nil
	}
	for i, p := range prefixes {
		result := filter.Absent
		err := t.set.Delete(hashedOf(p))
		if err == nil {
			if result = t.filter.DeleteHash(hashes[i]); result == filter.Deleted {
				deleted++
			}
		} else if !errors.Is(err, ebpf.ErrKeyNotExist) {
			return deleted, unavailable(err)
		}
		if status != nil {
			status[i] = result
		}
	}
	return deleted, nil
}

// hashes returns the hashes of prefixes under the key of the table. Keys of one length are hashed
// at once.
func (t *Table) hashes(prefixes []netip.Prefix) []uint64 {
	hashes := make([]uint64, len(prefixes))
	k := t.filter.Key()
	for start := 0; start < len(prefixes); {
		data := AppendKey(nil, prefixes[start])
		width, end := len(data), start+1
		for ; end < len(prefixes); end++ {
			before := len(data)
			if data = AppendKey(data, prefixes[end]); len(data)-before != width {
				data = data[:before]
				break
			}
		}
		k.HashFixedBatch(data, width, hashes[start:end])
		start = end
	}
	return hashes
}

// Query reports whether the filter finds a prefix. It is for the prefix as it was inserted: an
// address below it is another key.
func (t *Table) Query(p netip.Prefix) bool {
	return t.filter.Query(AppendKey(nil, p))
}

// Filter returns the filter, whose keys are those of [AppendKey], for its batches, its health and
// its files. Its queries are for any goroutine. Its inserts, deletes and refreshes must not run
// beside those of the table or each other, and do not reach an exact set.
func (t *Table) Filter() *deletable.Filter { return t.filter }

// Close gives the memory back, except for what the kernel still needs: while a program uses the
// table, that is all of it. No call on the table or its filter may run meanwhile.
func (t *Table) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	if t.filter != nil {
		_ = t.filter.Close() // of memory that it does not own
	}
	var errs []error
	if t.memory != nil {
		errs = append(errs, unmap(t.memory))
	}
	for _, m := range []*ebpf.Map{t.blocks, t.set} {
		if m != nil {
			errs = append(errs, m.Close())
		}
	}
	return errors.Join(errs...)
}
