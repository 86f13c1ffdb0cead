package workload

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/filter/planning"
)

// LifetimeUsage is the help text of every command's flag that [ParseLifetime] reads.
const LifetimeUsage = "lifetime of the members: oldest, random, pareto:SHAPE, mixture:PART:RATIO or @FILE"

// ParseLifetime returns the lifetime of a name, as [planning.ParseLifetime] does, or with @FILE that of the samples
// in a file: a lifetime a line, in any unit of time.
func ParseLifetime(text string) (planning.Lifetime, error) {
	file, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		return planning.ParseLifetime(text)
	}
	samples, err := readLifetimes(file)
	if err != nil {
		return planning.Lifetime{}, err
	}
	return planning.Observed(samples)
}

// readLifetimes reads a lifetime a line.
func readLifetimes(name string) ([]float64, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	const most = 1_000_000 // lines, and no line is longer than the scanner's buffer
	var samples []float64
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if len(samples) == most {
			return nil, fmt.Errorf("%s: more than %d lifetimes", name, most)
		}
		sample, err := strconv.ParseFloat(strings.TrimSpace(lines.Text()), 64)
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: expected a number: %w", name, len(samples)+1, err)
		}
		samples = append(samples, sample)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: line %d: %w", name, len(samples)+1, err)
	}
	return samples, nil
}
