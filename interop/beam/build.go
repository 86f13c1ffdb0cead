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
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/parts"
)

// PartBlocks is the default number of blocks per part of a [Build], which is 64 MiB.
const PartBlocks = 1 << 20

// MaxCombined is the largest number of blocks for [Build.Combine], which is 1 GiB. A table is one
// message of a runner, and messages have at most 2 GiB.
const MaxCombined = 1 << 24

// Build describes a filter to be built. Use the same Build for the pipeline and for Open.
type Build struct {
	// Filter is the config of the filter. Its Key is required, and stays in this process.
	Filter deletable.Config

	// KeyFile is the path of a file with the key, which every worker reads: its text, as Key.Secret
	// returns it. A key of key.SipHash13 is refused, because packs show hashes. The file is on a
	// file system that Beam knows, or at the same path on every worker.
	KeyFile string

	// To is the folder for the parts, on a file system that Beam knows. It must have no parts of
	// another build.
	To string

	// PartBlocks is the number of blocks per part of [Build.Partition]. 0 stands for the constant
	// [PartBlocks]. A worker that builds a part has it in memory, and a worker that reads keys
	// needs up to 32 KiB per part.
	PartBlocks int
}

// ErrParts says that the folder already has parts, which could mix with those of this build.
var ErrParts = errors.New("the folder has parts of another build")

// Combine adds transforms to a pipeline that build the filter of keys in tables that merge. keys is
// a PCollection of []byte, string or uint64. The error is a *[filter.SizingError], an error of the
// file system, or wraps [ErrParts]. Errors of workers are errors of the pipeline.
func (b *Build) Combine(ctx context.Context, s beam.Scope, keys beam.PCollection) error {
	size, err := b.Filter.Shape()
	if err != nil {
		return err
	}
	if size.Blocks > MaxCombined {
		return wrong("Filter", size.String(),
			fmt.Sprintf("at most %d, or Partition", MaxCombined))
	}
	s = s.Scope("bloombeam.Combine")
	layout := parts.Layout{Blocks: size.Blocks, PartBlocks: size.Blocks}
	t, packs, err := b.packs(ctx, s, keys, layout)
	if err != nil {
		return err
	}
	merged := beam.CombinePerKey(s, &combineFn{t}, packs)
	sweep(s, b.To, beam.ParDo(s, &writeFn{t}, merged))
	return nil
}

// Partition adds transforms to a pipeline that build the filter of keys part by part. Its argument
// and its errors are those of Combine.
func (b *Build) Partition(ctx context.Context, s beam.Scope, keys beam.PCollection) error {
	size, err := b.Filter.Shape()
	if err != nil {
		return err
	}
	l := parts.Layout{Blocks: size.Blocks, PartBlocks: b.PartBlocks}
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
func (b *Build) packs(
	ctx context.Context,
	s beam.Scope,
	keys beam.PCollection,
	l parts.Layout,
) (target, beam.PCollection, error) {
	t, none := target{To: b.To, Layout: l}, beam.PCollection{}
	if b.Filter.Key.IsZero() {
		return t, none, wrong("Filter.Key", "none", "the key that is in KeyFile")
	}
	if a := b.Filter.Key.Algorithm(); !a.MayBeSeen() {
		return t, none, wrong("Filter.Key", "a key of "+a.String(),
			"one of "+key.AESPMAC.String()+", because packs show hashes")
	}
	t.Key = b.Filter.Key.Identity()
	packer, known := packers[keys.Type().Type()]
	if !known {
		return t, none, wrong("keys", keys.Type(), "[]byte, string or uint64")
	}
	if b.KeyFile == "" {
		return t, none, wrong("KeyFile", "none", "a path")
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

// packers has, by the type of keys, the DoFn that makes packs.
var packers = map[reflect.Type]func(t target, keyFile string) any{
	reflect.TypeFor[[]byte](): func(t target, keyFile string) any {
		return &packFn[[]byte]{target: t, KeyFile: keyFile}
	},
	reflect.TypeFor[string](): func(t target, keyFile string) any {
		return &packFn[string]{target: t, KeyFile: keyFile}
	},
	reflect.TypeFor[uint64](): func(t target, keyFile string) any {
		return &packFn[uint64]{target: t, KeyFile: keyFile}
	},
}

// sweep removes the temporary files of failed bundles from a folder, after all parts are written.
func sweep(s beam.Scope, to string, written beam.PCollection) {
	beam.ParDo0(s, &sweepFn{to}, beam.GroupByKey(s, beam.AddFixedKey(s, written)))
}

// Open returns the filter from the parts in the folder, after the pipeline has run. It needs the
// memory of the filter and of one part. Save the filter: package deletable opens that file without
// Beam. The error is an error of [parts.Join] or of the file system, or a *[filter.SizingError] where
// To is empty.
func (b *Build) Open(ctx context.Context) (*deletable.Filter, error) {
	names, err := list(ctx, b.To, partPrefix)
	if err != nil {
		return nil, err
	}
	return parts.Join(b.Filter, read(ctx, b.To, names))
}

// read yields the parts from files of a folder.
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
	if folder == "" {
		return nil, wrong("To", "none", "a path")
	}
	fs, err := filesystem.New(ctx, folder)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	return fs.List(ctx, join(folder, prefix+"*"))
}

// join joins paths. path.Join would remove a slash of gs://.
func join(folder, name string) string {
	if folder[len(folder)-1] == '/' {
		return folder + name
	}
	return folder + "/" + name
}

func wrong(field string, found any, expected string) error {
	return &filter.SizingError{Kind: "beam", Field: field, Found: found, Expected: expected}
}
