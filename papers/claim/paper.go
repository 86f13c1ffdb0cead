package claim

import (
	"runtime/debug"

	"github.com/spf13/pflag"

	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
)

// Paper is a paper that can be reproduced: a table of its claims, its figures, and what they are
// about.
type Paper struct {
	Name  string // on the command line, and in JSON
	Title string // with authors, place and year

	Flags func(flags *pflag.FlagSet) // adds those that it has of its own; nil for none

	Table string // see [Rows]

	// Quantities returns what rows and figures are about. It is called after the flags were
	// parsed, and the error is that of their values.
	Quantities func(run *trials.Run) (Quantities, error)

	Figures func() []Plot

	// Findings is the text of the report, in Markdown: ${quantity; name=value: formula} is the
	// value of a formula, or the mean of "trials".
	Findings string

	Others []Point // what was measured elsewhere, for the figures
}

// Part returns claims, in the order of the report, and figures.
type Part func(run *trials.Run) ([]Claim, []Figure)

// Figure is a picture, and the name of its file without the ending.
type Figure struct {
	Name    string
	Picture *chart.Picture
	Points  []Point
}

// Found is what a run finds of a paper: claims with their verdicts, figures, and the text of the
// report.
type Found struct {
	Claims   []Claim
	Figures  []Figure
	Findings string
}

// Reproduce makes all claims and figures, see [Rows] and [Plot.Part], and judges them. It says how
// many parts there are before it begins, and calls what that returns after each. The trials of a
// paper are its own: papers may have the same names of them.
func (p *Paper) Reproduce(
	run *trials.Run,
	begin func(parts int) (done func()),
) (found Found, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // trials leave much, and live on little
	run = &trials.Run{Seed: run.Seed, Short: run.Short}
	quantities, err := p.Quantities(run)
	if err != nil {
		return Found{}, err
	}
	parts, err := Rows(p.Table, quantities)
	if err != nil {
		return Found{}, err
	}
	for _, figure := range p.Figures() {
		figure.others = p.Others
		parts = append(parts, figure.Part(quantities))
	}
	done := begin(len(parts))
	for _, part := range parts {
		claims, figures := part(run)
		for i := range claims {
			claims[i].Paper, claims[i].Seed = p.Name, run.Seed
			claims[i].Judge()
		}
		found.Claims, found.Figures = append(found.Claims, claims...),
			append(found.Figures, figures...)
		done()
	}
	findMeant(found.Claims)
	found.Findings = quantities.fill(run, p.Findings)
	return found, nil
}
