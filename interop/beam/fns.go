package bloombeam

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	// registers the file system for paths without a scheme
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/parts"
)

// The names of files.
const (
	partPrefix      = "part-"
	temporaryPrefix = "unfinished-"
)

// The counters of a pipeline's result, in the namespace bloomlane. Runners do not count failed
// bundles.
var (
	keysCounter   = beam.NewCounter("bloomlane", "keys")
	packsCounter  = beam.NewCounter("bloomlane", "packs")
	mergesCounter = beam.NewCounter("bloomlane", "merges") // merges of two parts with keys
	partsCounter  = beam.NewCounter("bloomlane", "parts")
)

func init() {
	register.DoFn3x1[context.Context, []byte, func(int64, []byte), error](&packFn[[]byte]{})
	register.DoFn3x1[context.Context, string, func(int64, []byte), error](&packFn[string]{})
	register.DoFn3x1[context.Context, uint64, func(int64, []byte), error](&packFn[uint64]{})
	register.DoFn2x0[[]byte, func(int64, []byte)](&emptyFn{})
	register.DoFn4x1[context.Context, int64, func(*[]byte) bool, func(string), error](&insertFn{})
	register.DoFn4x1[context.Context, int64, *parts.Part, func(string), error](&writeFn{})
	register.DoFn3x1[context.Context, int, func(*string) bool, error](&sweepFn{})
	register.Emitter2[int64, []byte]()
	register.Emitter1[string]()
	register.Iter1[[]byte]()
	register.Iter1[string]()
	beam.RegisterType(reflect.TypeFor[combineFn]())
	beam.RegisterCoder(reflect.TypeFor[*parts.Part](), encodePart, decodePart)
}

func encodePart(p *parts.Part) ([]byte, error) { return p.AppendBinary(nil) }

func decodePart(b []byte) (*parts.Part, error) {
	p := new(parts.Part)
	return p, p.UnmarshalBinary(b)
}

// target is what the workers know about a build. The pipeline carries it to them as JSON, which is
// not secret.
type target struct {
	To     string
	Layout parts.Layout
	Key    key.Identity
}

// packFn makes packs from keys. It hashes them as package filter does.
type packFn[K []byte | string | uint64] struct {
	target
	KeyFile string

	hash   func(K) uint64
	packer *parts.Packer
	keys   int64
}

// Setup reads the key, once per instance of the function and not per bundle.
func (f *packFn[K]) Setup(ctx context.Context) error {
	k, err := readKey(ctx, f.KeyFile, f.Key)
	if err != nil {
		return err
	}
	switch hash := any(&f.hash).(type) {
	case *func([]byte) uint64:
		*hash = k.Hash
	case *func(string) uint64:
		*hash = func(s string) uint64 { return k.Hash([]byte(s)) }
	case *func(uint64) uint64:
		*hash = k.HashUint64
	}
	return nil
}

// StartBundle drops what a failed bundle has left.
func (f *packFn[K]) StartBundle(_ func(int64, []byte)) {
	f.packer, f.keys = parts.NewPacker(f.Layout), 0
}

func (f *packFn[K]) ProcessElement(ctx context.Context, k K, emit func(int64, []byte)) error {
	f.keys++
	if part, pack := f.packer.Add(f.hash(k)); pack != nil {
		packsCounter.Inc(ctx, 1)
		emit(int64(part), pack)
	}
	return nil
}

func (f *packFn[K]) FinishBundle(ctx context.Context, emit func(int64, []byte)) {
	for part, pack := range f.packer.Rest() {
		packsCounter.Inc(ctx, 1)
		emit(int64(part), pack)
	}
	keysCounter.Inc(ctx, f.keys)
}

// readKey reads a key from a file. Its errors do not quote the content of the file.
func readKey(ctx context.Context, name string, want key.Identity) (key.Key, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return key.Key{}, err
	}
	defer fs.Close()
	text, err := filesystem.Read(ctx, fs, name)
	if err != nil {
		return key.Key{}, file.At("read", name, err)
	}
	k, err := key.Parse(strings.TrimSpace(string(text)))
	if err != nil {
		return key.Key{}, file.At("read", name, err)
	}
	if k.Identity() != want {
		return key.Key{}, file.At("read", name, file.Wrong(file.ErrWrongKey, "a "+k.String(),
			"a "+want.String()))
	}
	return k, nil
}

// emptyFn makes an empty pack for every part.
type emptyFn struct{ target }

func (f *emptyFn) ProcessElement(_ []byte, emit func(int64, []byte)) {
	for part := range f.Layout.Parts() {
		emit(int64(part), nil)
	}
}

// combineFn inserts packs into parts, and merges the parts of bundles.
type combineFn struct{ target }

func (f *combineFn) CreateAccumulator() *parts.Part {
	return parts.New(f.Layout.Range(0), f.Key)
}

func (f *combineFn) AddInput(p *parts.Part, pack []byte) (*parts.Part, error) {
	return p, p.InsertPack(pack)
}

func (f *combineFn) MergeAccumulators(ctx context.Context, p, q *parts.Part) (*parts.Part, error) {
	if p.Inserts() == 0 {
		return q, nil
	}
	if q.Inserts() > 0 {
		mergesCounter.Inc(ctx, 1)
	}
	return p, p.Merge(q)
}

// insertFn builds and writes a part.
type insertFn struct{ target }

func (f *insertFn) ProcessElement(
	ctx context.Context,
	part int64,
	packs func(*[]byte) bool,
	emit func(string),
) error {
	p := parts.New(f.Layout.Range(int(part)), f.Key)
	for pack := []byte(nil); packs(&pack); {
		if err := p.InsertPack(pack); err != nil {
			return err
		}
	}
	return f.write(ctx, int(part), p, emit)
}

// writeFn writes a part.
type writeFn struct{ target }

func (f *writeFn) ProcessElement(
	ctx context.Context,
	part int64,
	p *parts.Part,
	emit func(string),
) error {
	return f.write(ctx, int(part), p, emit)
}

// write writes a part and emits its name. Two attempts at one bundle may run at the same time, so
// each has a temporary name of its own. It does not matter which attempt renames its file last.
func (t *target) write(ctx context.Context, part int, p *parts.Part, emit func(string)) error {
	fs, err := filesystem.New(ctx, t.To)
	if err != nil {
		return err
	}
	defer fs.Close()
	name := fmt.Sprintf("%s%05d-of-%05d.blm", partPrefix, part, t.Layout.Parts())
	temporary := join(t.To, temporaryPrefix+rand.Text()+"-"+name)
	name = join(t.To, name)
	w, err := fs.OpenWrite(ctx, temporary)
	if err != nil {
		return file.At("write", temporary, err)
	}
	_, err = p.WriteTo(w)
	if closed := w.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return file.At("write", temporary, err)
	}
	if err := filesystem.Rename(ctx, fs, temporary, name); err != nil {
		return file.At("rename", temporary, err)
	}
	partsCounter.Inc(ctx, 1)
	emit(name)
	return nil
}

// sweepFn removes temporary files. It runs after all parts are written.
type sweepFn struct{ To string }

func (f *sweepFn) ProcessElement(ctx context.Context, _ int, _ func(*string) bool) error {
	system, err := filesystem.New(ctx, f.To)
	if err != nil {
		return err
	}
	defer system.Close()
	remover, ok := system.(filesystem.Remover)
	if !ok {
		return nil // then Rename used a Renamer
	}
	left, err := list(ctx, f.To, temporaryPrefix)
	if err != nil {
		return err
	}
	for _, name := range left {
		// another attempt may have removed it
		if err := remover.Remove(ctx, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
