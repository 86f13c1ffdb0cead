package xdp

import (
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"unsafe"

	"github.com/cilium/ebpf"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
)

// MaxOthers is the number of prefixes that a [Table] has room for beside its ranges and its filter:
// those of lengths that the program does not look up there.
const MaxOthers = 1 << 16

// Table is the prefixes of a list, in memory that the process shares with the kernel. Those of IPv4
// are ranges, which are exact. Those of IPv6 whose lengths the program looks up are in a deletable
// filter, and in the mode [Exact] in an exact set too. All others are in a trie of the kernel, which
// is exact. Make one with [Program.NewTable].
//
// The contract of deletion is that of package deletable: insert each member once, and delete only
// members. Any number of goroutines may use a table, one of which writes at a time: the others
// wait.
type Table struct {
	program *Program
	filter  *deletable.Filter
	parts   map[string]*ebpf.Map // by the maps that they belong to
	blocks  []byte
	ranges  *ranges
	memory  []byte                // of ranges, nil before the first one
	others  map[netip.Prefix]bool // in the trie
	place   uint32                // in the program, 0 unless a list has the table

	mu     sync.Mutex // of writers
	closed bool
}

// ErrClosed is the error of a [Table] or a [Program] after its Close.
var ErrClosed = errors.New("xdp: closed")

// ErrNoPrefix is the error of a [Table] for a prefix that is not valid.
var ErrNoPrefix = errors.New("xdp: found no prefix, expected one of IPv4 or IPv6")

// ErrForeign is the error of [Program.Replace] for a table of another program, which may have
// another mode or other prefix lengths.
var ErrForeign = errors.New("xdp: found a table of another program, expected one of this program")

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
	t = &Table{program: p, parts: map[string]*ebpf.Map{}, ranges: &ranges{},
		others: map[netip.Prefix]bool{}}
	defer func() {
		if err != nil {
			_ = t.Close() // the first error counts
			t = nil
		}
	}()
	bytes := shape.Bytes() + deletable.BlockBytes // the header
	size := fmt.Sprintf("a table of %d blocks, of %d bytes", shape.Blocks, bytes)
	t.parts[tables], t.blocks, err = p.newPart(tables, shape.Blocks+1, bytes, size)
	if err != nil {
		return t, err
	}
	words := wordsOf(t.blocks)
	const header = deletable.BlockBytes / 8
	if t.filter, err = deletable.Over(words[header:], config); err != nil {
		return t, err
	}
	words[0] = uint64(shape.Blocks)
	words[1], words[2] = sipWords(config.Key)
	if p.options.Mode != Exact {
		return t, nil
	}
	// room for twice the plan: an element takes memory when it comes
	members := int(min(2*uint64(config.Members)+1024, 1<<31))
	heads := 16 << bits.Len32(uint32(members-1)) // a power of two of buckets
	size = fmt.Sprintf("an exact set of %d members, of %d bytes", config.Members, heads)
	t.parts[sets], _, err = p.newPart(sets, members, heads, size)
	return t, err
}

// newPart makes a map for a part of a table, and returns its memory if it is mapped. Size says what
// it is.
func (p *Program) newPart(
	outer string, entries, bytes int, size string,
) (m *ebpf.Map, memory []byte, err error) {
	if err := fits(uint64(bytes), size); err != nil {
		return nil, nil, err
	}
	spec := p.parts[outer].Copy()
	spec.MaxEntries = uint32(entries)
	if m, err = ebpf.NewMap(spec); err != nil {
		return nil, nil, notMade(err, size)
	}
	if spec.Type == ebpf.Array {
		if memory, err = mapped(m, bytes); err != nil {
			_ = m.Close()
			return nil, nil, notMade(err, size)
		}
	}
	return m, memory, nil
}

// wordsOf returns memory of maps as words.
func wordsOf(memory []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/8)
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
		errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.ENOSPC) {
		return &Error{Memory, what, "a map that the kernel has memory for", err}
	}
	return unavailable(err)
}

// split returns prefixes by where they are, and which of all they are. The error is that of a
// closed table, or of a prefix that is none.
func (t *Table) split(prefixes []netip.Prefix) (
	of [parts][]netip.Prefix, which [parts][]int, err error,
) {
	if t.closed {
		return of, which, ErrClosed
	}
	for i, p := range prefixes {
		if !p.IsValid() {
			return of, which, ErrNoPrefix
		}
		p, part := p.Masked(), t.program.options.PartOf(p)
		of[part], which[part] = append(of[part], p), append(which[part], i)
	}
	return of, which, nil
}

// Insert inserts a prefix, which must be no member. Its packets are denied as soon as the memory of
// other CPUs has it, which is some nanoseconds after Insert returns at the latest. The error is
// [ErrNoPrefix], or an *[Error] if a part of the table takes no more.
func (t *Table) Insert(p netip.Prefix) error { return t.InsertBatch([]netip.Prefix{p}) }

// InsertBatch inserts prefixes, all different and no members, or none of them: if one is not valid,
// or if a part of the table takes no more.
func (t *Table) InsertBatch(prefixes []netip.Prefix) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	of, _, err := t.split(prefixes)
	if err != nil {
		return err
	}
	if err = t.insertExact(of[InFilter]); err != nil {
		return err
	}
	tried := 0
	if t.parts[tries] == nil && len(of[InTrie]) > 0 {
		var m *ebpf.Map
		if m, _, err = t.program.newPart(tries, MaxOthers, 0, "a trie"); err == nil {
			err = t.enforce(tries, m)
		}
	}
	trie := t.parts[tries]
	for ; err == nil && tried < len(of[InTrie]); tried++ {
		if err = trie.Put(trieKeyOf(of[InTrie][tried]), uint32(1)); err != nil {
			err = notMade(err, fmt.Sprintf("a trie that is full, of %d prefixes", MaxOthers))
			break
		}
		t.others[of[InTrie][tried]] = true
	}
	if err == nil {
		_, err = t.changeRanges(of[InRanges], true)
	}
	if err != nil { // none was there before
		for _, p := range of[InTrie][:tried] {
			_ = trie.Delete(trieKeyOf(p))
			delete(t.others, p)
		}
		for _, p := range of[InFilter] {
			if t.parts[sets] != nil {
				_ = t.parts[sets].Delete(hashedOf(p))
			}
		}
		return err
	}
	_, err = t.filter.InsertHashBatch(t.hashes(of[InFilter]), nil)
	return err
}

// insertExact inserts prefixes into the exact set, if there is one, or none of them.
func (t *Table) insertExact(prefixes []netip.Prefix) error {
	set := t.parts[sets]
	if set == nil || len(prefixes) == 0 {
		return nil
	}
	keys, values := make([]hashed, len(prefixes)), make([]uint8, len(prefixes))
	for i, p := range prefixes {
		keys[i] = hashedOf(p)
	}
	n, err := set.BatchUpdate(keys, values, nil)
	if err == nil {
		return nil
	}
	for _, h := range keys[:n] {
		_ = set.Delete(h) // it was not there before
	}
	return notMade(err, fmt.Sprintf("an exact set that is full, of %d", set.MaxEntries()))
}

// changeRanges makes prefixes of IPv4 members, or no members, all of them or none. It reports which
// were not so before.
func (t *Table) changeRanges(prefixes []netip.Prefix, members bool) (did []bool, err error) {
	r := t.ranges
	did = make([]bool, len(prefixes))
	var changed []int
	for i, p := range prefixes {
		if did[i] = r.has(p) != members; did[i] {
			changed = r.change(p, changed)
		}
	}
	slices.Sort(changed)
	if changed = slices.Compact(changed); len(changed) == 0 {
		return did, nil
	}
	made, ok := r.prepare(changed)
	if !ok && len(r.gone) > 0 && t.wait() == nil {
		r.release(r.gone...)
		r.gone = r.gone[:0]
		made, ok = r.prepare(changed)
	}
	if ok {
		r.commit(made)
		return did, nil
	}
	if err = t.moveRanges(); err != nil {
		for i, p := range prefixes {
			if did[i] {
				r.change(p, nil)
			}
		}
	}
	return did, err
}

// moveRanges puts ranges in force in new memory, which has room for some more.
func (t *Table) moveRanges() error {
	compiled, next := t.ranges.compiled()
	const more = 16 // the part of the fragments for which there is room besides
	n := max(2, int(next+(next-pageWords)/more)/pageWords+1)
	if n > mostPages {
		return &Error{Memory, fmt.Sprintf("ranges of %d pages", n),
			fmt.Sprintf("at most %d", mostPages), nil}
	}
	bytes := n * pageBytes
	m, memory, err := t.program.newPart(pages, n, bytes, fmt.Sprintf("ranges of %d bytes", bytes))
	if err != nil {
		return err
	}
	copy(wordsOf(memory), compiled)
	if err := t.enforce(pages, m); err != nil {
		return errors.Join(err, unmap(memory))
	}
	if t.memory != nil {
		_ = unmap(t.memory) // an error would say that it stays
	}
	t.memory = memory
	t.ranges.moved(wordsOf(memory), next)
	return nil
}

// enforce puts a part of the table in the place of the one before, also for packets.
func (t *Table) enforce(outer string, m *ebpf.Map) error {
	if t.place != 0 {
		if err := t.program.put(outer, t.place, m); err != nil {
			return errors.Join(err, m.Close())
		}
	}
	if before := t.parts[outer]; before != nil {
		_ = before.Close() // an error would say that it stays
	}
	t.parts[outer] = m
	return nil
}

// wait returns when no packet reads what the table had before.
func (t *Table) wait() error {
	if t.place == 0 {
		return nil
	}
	return t.program.put(tables, t.place, t.parts[tables])
}

// Delete deletes a prefix, which must be a member. One that is no member is [filter.Absent], and
// nothing changes, unless it is in a filter without an exact set.
func (t *Table) Delete(p netip.Prefix) (filter.Status, error) {
	status := []filter.Status{filter.Absent}
	_, err := t.DeleteBatch([]netip.Prefix{p}, status)
	return status[0], err
}

// DeleteBatch deletes prefixes, which must be members, as [Table.Delete] does, and returns how many
// have the status Deleted. status[i] becomes the status of prefixes[i], unless status is nil. If
// one of them is not valid, it deletes none.
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
	of, which, err := t.split(prefixes)
	if err != nil {
		return 0, err
	}
	say := func(i int, result filter.Status) {
		if result == filter.Deleted {
			deleted++
		}
		if status != nil {
			status[i] = result
		}
	}
	did, err := t.changeRanges(of[InRanges], false)
	if err != nil {
		return 0, err
	}
	for i, done := range did {
		say(which[InRanges][i], map[bool]filter.Status{false: filter.Absent, true: filter.Deleted}[done])
	}
	// exactly deletes a prefix from a map, and reports whether it was there.
	exactly := func(m *ebpf.Map, key any) (filter.Status, error) {
		switch err := m.Delete(key); {
		case err == nil:
			return filter.Deleted, nil
		case errors.Is(err, ebpf.ErrKeyNotExist):
			return filter.Absent, nil
		default:
			return filter.Absent, unavailable(err)
		}
	}
	for i, p := range of[InTrie] {
		result := filter.Absent
		if t.others[p] {
			if result, err = exactly(t.parts[tries], trieKeyOf(p)); err != nil {
				return deleted, err
			}
			delete(t.others, p)
		}
		say(which[InTrie][i], result)
	}
	hashes := t.hashes(of[InFilter])
	for i, p := range of[InFilter] {
		result := filter.Deleted
		if set := t.parts[sets]; set != nil {
			if result, err = exactly(set, hashedOf(p)); err != nil {
				return deleted, err
			}
		}
		if result == filter.Deleted {
			result = t.filter.DeleteHash(hashes[i])
		}
		say(which[InFilter][i], result)
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

// Query reports whether the table has a prefix, or its filter finds it. It is for the prefix as it
// was inserted, and not for an address below it.
func (t *Table) Query(p netip.Prefix) bool {
	switch t.program.options.PartOf(p) {
	case InFilter:
		return t.filter.Query(AppendKey(nil, p))
	case InTrie:
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.others[p.Masked()]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ranges.has(p)
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
	for _, memory := range [][]byte{t.blocks, t.memory} {
		if memory != nil {
			errs = append(errs, unmap(memory))
		}
	}
	for _, m := range t.parts {
		errs = append(errs, m.Close())
	}
	return errors.Join(errs...)
}
