package bloombeam

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

func init() {
	register.DoFn2x0[[]byte, func(uint64)](&countFn{})
	register.DoFn2x0[uint64, func(int64, []byte)](&elementFn{})
}

// countFn makes keys.
type countFn struct{ Keys int }

func (f *countFn) ProcessElement(_ []byte, emit func(uint64)) {
	for i := range f.Keys {
		emit(uint64(i))
	}
}

// elementFn makes an element per hash, which here is the key.
type elementFn struct{ target }

func (f *elementFn) ProcessElement(k uint64, emit func(int64, []byte)) {
	hash := testKey.HashUint64(k)
	emit(int64(f.Layout.Of(hash)), binary.LittleEndian.AppendUint64(nil, hash))
}

// The gain by packs: a build by Partition, and the same build with an element per hash.
func BenchmarkPartition(b *testing.B) {
	const keys = 1 << 17
	for _, packs := range []bool{true, false} {
		b.Run(fmt.Sprintf("packs=%t", packs), func(b *testing.B) {
			for b.Loop() {
				folder := b.TempDir()
				build := newBuild(b, folder, "")
				build.Filter.Members, build.PartBlocks = keys, 1024
				p, s := beam.NewPipelineWithRoot()
				source := beam.ParDo(s, &countFn{keys}, beam.Impulse(s))
				if packs {
					if err := build.Partition(context.Background(), s, source); err != nil {
						b.Fatal(err)
					}
				} else {
					size, err := build.Filter.Shape()
					if err != nil {
						b.Fatal(err)
					}
					t := target{To: filepath.Join(folder, "parts"),
						Key: testKey.Identity()}
					t.Layout.Blocks, t.Layout.PartBlocks = size.Blocks, 1024
					beam.ParDo(s, &insertFn{t},
						beam.GroupByKey(s, beam.ParDo(s, &elementFn{t}, source)))
				}
				*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "loopback", ""
				if _, err := prism.Execute(context.Background(), p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/keys, "ns/key")
		})
	}
}
