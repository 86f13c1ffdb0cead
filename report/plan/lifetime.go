package plan

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/internal/lists"
)

// LifetimeUsage is the help text of the flags --lifetime, which [ParseLifetime] reads.
const LifetimeUsage = "lifetime of the members: oldest, random, pareto:SHAPE, mixture:PART:RATIO " +
	"or @FILE"

// ParseLifetime returns the lifetime of a name, as [planning.ParseLifetime] does, or with @FILE
// that of the samples in a file: a lifetime a line, in any unit of time. With @- the file is stdin,
// unless that is nil.
func ParseLifetime(text string, stdin io.Reader) (planning.Lifetime, error) {
	file, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		return planning.ParseLifetime(text)
	}
	if file == "-" && stdin != nil {
		return observed("standard input", stdin)
	}
	f, err := os.Open(file)
	if err != nil {
		return planning.Lifetime{}, err
	}
	defer f.Close()
	return observed(file, f)
}

// observed returns the lifetime of samples, a line each.
func observed(name string, r io.Reader) (planning.Lifetime, error) {
	const most, mostBytes = 1_000_000, 1 << 16 // lines, and bytes of one
	var samples []float64
	lines := lists.New(mostBytes, lists.Form{Trim: true})
	lines.Reset(r, nil)
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return planning.Observed(samples)
		}
		if err != nil {
			return planning.Lifetime{}, fmt.Errorf("%s: line %d: %w", name, lines.Line, err)
		}
		if len(samples) == most {
			return planning.Lifetime{}, fmt.Errorf("%s: more than %d lifetimes", name, most)
		}
		sample, err := strconv.ParseFloat(string(line), 64)
		if err != nil {
			const most = 40
			return planning.Lifetime{}, fmt.Errorf("%s: line %d: found %q, expected a number", name,
				lines.Line, legible.Cut(string(line), most))
		}
		samples = append(samples, sample)
	}
}
