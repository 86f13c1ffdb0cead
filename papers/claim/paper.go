package claim

import (
	"io"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/pivot"
)

// Paper is a document that can be reproduced.
type Paper struct {
	Name   string                        // on the command line, and in JSON
	Title  string                        // with authors, place and year
	Values []func(run *trials.Run) Value // in its order
}

// Figure is a picture, and the name of its file without the ending.
type Figure struct {
	Name    string
	Picture *chart.Picture
	Points  []Point
}

// Found is what a run finds of a paper: values with their verdicts, and figures.
type Found struct {
	Paper   string
	Values  []Value
	Figures []Figure
}

// Reproduce makes all values and figures, and judges them. It says how many there are before it
// begins, and calls what that returns after each. The trials of a paper are its own: papers may
// have the same names of them.
func (p *Paper) Reproduce(run *trials.Run, begin func(parts int) (done func())) (found Found) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // trials leave much, and live on little
	run = &trials.Run{Seed: run.Seed, Short: run.Short}
	found.Paper = p.Name
	done := begin(len(p.Values))
	for _, value := range p.Values {
		v := value(run)
		v.Document, v.Seed = p.Name, run.Seed
		v.Judge()
		found.Values = append(found.Values, v)
		if v.Panels != nil {
			found.Figures = append(found.Figures, v.draw())
		}
		done()
	}
	return found
}

// WriteSummary writes how many values of each paper have which verdict, as a table of Markdown.
func WriteSummary(w io.Writer, papers ...Found) error {
	table := pivot.Empty("paper")
	for _, paper := range papers {
		for _, verdict := range Verdicts {
			own := pivot.Where(paper.Values, func(v Value) bool { return v.Verdict == verdict })
			table.Set(string(verdict), strconv.Itoa(len(own)), paper.Paper)
		}
	}
	var text strings.Builder
	table.Markdown(&text)
	_, err := io.WriteString(w, text.String())
	return err
}
