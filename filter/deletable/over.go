package deletable

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/base"
	"github.com/bloomlane/bloomlane/kernel"
)

// Over is [New] over memory of the caller, such as a BPF map that is mapped into the process. The
// filter uses words as its table, 8 for each of the Blocks of
// [Config.Shape], and copies nothing. They begin
// on a cache line, as Words of a [kernel.NewTable512] and pages do, and are all zeros: [Decode] is
// for words with a history. The error is a *[filter.SizingError].
//
// The words must stay as long as the filter is in use. Close does not touch them and does not wait:
// unmap them after the calls that run have returned. Whoever reads the words while the filter is
// written to may see a part of a write. Nobody else may write to them. Clone, Fold, Fresh and
// Rebuild make filters in memory of their own; UnmarshalBinary leaves the words as they are.
func Over(words []uint64, config Config) (*Filter, error) {
	nblocks, p, err := config.plan()
	if err != nil {
		return nil, err
	}
	if err := checkWords(words, nblocks*fallback.Lanes); err != nil {
		return nil, err
	}
	t := &table{blocks: kernel.TableOfWords(words), plan: p.named()}
	return base.Make(kind, t, config.Key)
}

// checkWords returns a *[filter.SizingError] unless words are n zeros from the start of a cache
// line.
func checkWords(words []uint64, n int) error {
	wrong := func(found, expected string) error {
		return &filter.SizingError{Kind: kindName, Field: "words", Found: found,
			Expected: expected}
	}
	if len(words) != n {
		return wrong(fmt.Sprintf("a slice of %d", len(words)), fmt.Sprintf("one of %d", n))
	}
	beyond := uintptr(unsafe.Pointer(unsafe.SliceData(words))) % uintptr(BlockBytes)
	if beyond != 0 {
		return wrong(fmt.Sprintf("a slice that begins %d bytes into a cache line", beyond),
			"one that begins on a cache line")
	}
	if i := slices.IndexFunc(words, func(word uint64) bool { return word != 0 }); i >= 0 {
		return wrong(fmt.Sprintf("a slice with %#x at %d", words[i], i), "zeros")
	}
	return nil
}
