package bloombeam

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/parts"
)

// PartBlocks is the number of blocks of a part where a [Build] has none: 64 MiB.
const PartBlocks = 1 << 20

// MaxCombined is the largest number of blocks of [Build.Combine]: 1 GiB. A table is one message of
// a runner, and these are up to 2 GiB.
const MaxCombined = 1 << 24

// Build is a filter to be built.
type Build struct {
	// Filter is what the filter is for. Its Key, which is required, stays in this process.
	Filter deletable.Config

	// KeyFile is where the workers find the key: a file of its 64 hex digits, as Key.Hex has them,
	// on any file system of Beam's, or at the same path on every worker.
	KeyFile string

	// To is the folder of the parts, on any file system of Beam's. It has no parts of another
	// build.
	To string

	// PartBlocks is the number of blocks of a part that [Build.Partition] makes; 0 stands for
	// [PartBlocks]. Who builds a part has it in memory, and who reads keys has 32 KiB for each
	// part.
	PartBlocks int
}

// ErrParts is the error of a build whose folder has parts already: they could mix.
var ErrParts = errors.New("the folder has parts of another build")

// Combine adds to a pipeline what builds the filter of keys in tables that merge. Its error is a
// *[filter.SizingError], that of the file system, or wraps [ErrParts].
func (b *Build) Combine(ctx context.Context, s beam.Scope, keys beam.PCollection) error {
	blocks, err := b.Filter.Blocks()
	if err != nil {
		return err
	}
	if blocks > MaxCombined {
		return wrong("Filter", fmt.Sprintf("%d blocks", blocks),
			fmt.Sprintf("at most %d, or Partition", MaxCombined))
	}
	s = s.Scope("bloombeam.Combine")
	t, packs, err := b.packs(ctx, s, keys, parts.Layout{Blocks: blocks, PartBlocks: blocks})
	if err != nil {
		return err
	}
	merged := beam.CombinePerKey(s, &combineFn{t}, packs)
	sweep(s, b.To, beam.ParDo(s, &writeFn{t}, merged))
	return nil
}

// Partition adds to a pipeline what builds the filter of keys part by part. Its error is that of
// Combine.
func (b *Build) Partition(ctx context.Context, s beam.Scope, keys beam.PCollection) error {
	blocks, err := b.Filter.Blocks()
	if err != nil {
		return err
	}
	l := parts.Layout{Blocks: blocks, PartBlocks: b.PartBlocks}
	switch {
	case b.PartBlocks < 0:
		return wrong("PartBlocks", b.PartBlocks, "at least 1, or 0 for the default")
	case b.PartBlocks == 0:
		l.PartBlocks = PartBlocks
	}
	s = s.Scope("bloombeam.Partition")
	t, packs, err := b.packs(ctx, s, keys, l)
	if err != nil {
		return err
	}
	sweep(s, b.To, beam.ParDo(s, &insertFn{t}, beam.GroupByKey(s, packs)))
	return nil
}

// packs returns the packs of keys by part, with an empty one for every part, so that each part is
// built.
func (b *Build) packs(ctx context.Context, s beam.Scope, keys beam.PCollection,
	l parts.Layout) (target, beam.PCollection, error) {
	t, none := target{To: b.To, Layout: l}, beam.PCollection{}
	if b.Filter.Key.IsZero() {
		return t, none, wrong("Filter.Key", "none", "the key that is in KeyFile")
	}
	t.Fingerprint = b.Filter.Key.Fingerprint()
	packer, known := packers[keys.Type().Type()]
	if !known {
		return t, none, wrong("keys", keys.Type(), "[]byte, string or uint64")
	}
	for field, name := range map[string]string{"KeyFile": b.KeyFile, "To": b.To} {
		if name == "" {
			return t, none, wrong(field, "none", "a path")
		}
	}
	if found, err := list(ctx, b.To, partPrefix); err != nil || len(found) > 0 {
		if err == nil {
			err = fmt.Errorf("%w: %s and %d more", ErrParts, found[0], len(found)-1)
		}
		return t, none, err
	}
	keys = beam.WindowInto(s, window.NewGlobalWindows(), keys)
	return t, beam.Flatten(s,
		beam.ParDo(s, packer(t, b.KeyFile), keys),
		beam.ParDo(s, &emptyFn{t}, beam.Impulse(s))), nil
}

// packers has the DoFn that makes packs of each type of keys.
var packers = map[reflect.Type]func(t target, keyFile string) any{
	reflect.TypeFor[[]byte](): func(t target,
		keyFile string) any {
		return &packFn[[]byte]{target: t, KeyFile: keyFile}
	},
	reflect.TypeFor[string](): func(t target,
		keyFile string) any {
		return &packFn[string]{target: t, KeyFile: keyFile}
	},
	reflect.TypeFor[uint64](): func(t target,
		keyFile string) any {
		return &packFn[uint64]{target: t, KeyFile: keyFile}
	},
}

// sweep removes the temporary files that failed bundles left in a folder when all parts are
// written.
func sweep(s beam.Scope, to string, written beam.PCollection) {
	beam.ParDo0(s, &sweepFn{to}, beam.GroupByKey(s, beam.AddFixedKey(s, written)))
}

// Open returns the filter that was built. It takes the memory of the filter and of a part. Save it:
// package deletable opens that file, without Beam. The error is that of [parts.Join], or of the
// file system.
func (b *Build) Open(ctx context.Context) (*deletable.Filter, error) {
	names, err := list(ctx, b.To, partPrefix)
	if err != nil {
		return nil, err
	}
	return parts.Join(b.Filter, read(ctx, b.To, names))
}

// read yields the parts in files of a folder.
func read(ctx context.Context, folder string, names []string) iter.Seq2[*parts.Part, error] {
	return func(yield func(*parts.Part, error) bool) {
		for _, name := range names {
			p, err := readPart(ctx, folder, name)
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

func readPart(ctx context.Context, folder, name string) (*parts.Part, error) {
	fs, err := filesystem.New(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	r, err := fs.OpenRead(ctx, name)
	if err != nil {
		return nil, file.At("open", name, err)
	}
	defer r.Close()
	c, err := file.Read(r)
	if err != nil {
		return nil, file.At("open", name, err)
	}
	p, err := parts.Decode(c)
	if err != nil {
		return nil, file.At("open", name, err)
	}
	return p, nil
}

// list returns the names of a folder's files with a prefix.
func list(ctx context.Context, folder, prefix string) ([]string, error) {
	fs, err := filesystem.New(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	return fs.List(ctx, join(folder, prefix+"*"))
}

// join is path.Join, but for the two slashes of gs://.
func join(folder, name string) string {
	if folder[len(folder)-1] == '/' {
		return folder + name
	}
	return folder + "/" + name
}

func wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: "beam", Field: field, Found: found, Expected: expected}
}
