// Command example builds a filter of the lines of text files: docs/beam.md follows it. It takes the
// flags of Beam's runners too.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/key"
	bloombeam "github.com/bloomlane/bloomlane/interop/beam"
)

var (
	keys      = flag.String("keys", "", "text files of keys, a line each: a glob")
	members   = flag.Int("members", 0, "how many keys to plan for")
	bits      = flag.Float64("bits_per_key", 16, "bits for each of them")
	keyFile   = flag.String("key_file", "", "the hash key, at this path on every worker too")
	to        = flag.String("to", "", "the folder of the parts")
	partition = flag.Bool("partition", false,
		"build part by part, for tables that do not fit a worker")
	output = flag.String("filter", "", "the filter's file")
)

func main() {
	flag.Parse()
	beam.Init() // does not return in a worker
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "example:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context) error {
	text, err := os.ReadFile(*keyFile)
	if err != nil {
		return err
	}
	hashKey, err := key.Parse(strings.TrimSpace(string(text)))
	if err != nil {
		return err
	}
	build := &bloombeam.Build{
		Filter:  deletable.Config{Members: *members, BitsPerKey: *bits, Key: hashKey},
		KeyFile: *keyFile,
		To:      *to,
	}
	p, s := beam.NewPipelineWithRoot()
	add := build.Combine
	if *partition {
		add = build.Partition
	}
	if err := add(ctx, s, textio.Read(s, *keys)); err != nil {
		return err
	}
	if err := beamx.Run(ctx, p); err != nil {
		return err
	}
	f, err := build.Open(ctx)
	if err != nil {
		return err
	}
	fmt.Println(f.Inserts(), "inserts")
	return f.Save(*output)
}
