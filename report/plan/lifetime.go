package plan

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/internal/legible"
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
	const most = 1_000_000 // lines, and no line is longer than the scanner's buffer
	var samples []float64
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if len(samples) == most {
			return planning.Lifetime{}, fmt.Errorf("%s: more than %d lifetimes", name, most)
		}
		text := strings.TrimSpace(lines.Text())
		sample, err := strconv.ParseFloat(text, 64)
		if err != nil {
			const most = 40
			return planning.Lifetime{}, fmt.Errorf("%s: line %d: found %q, expected a number", name,
				len(samples)+1, legible.Cut(text, most))
		}
		samples = append(samples, sample)
	}
	if err := lines.Err(); err != nil {
		return planning.Lifetime{}, fmt.Errorf("%s: line %d: %w", name, len(samples)+1, err)
	}
	return planning.Observed(samples)
}
