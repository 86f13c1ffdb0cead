package claim

import (
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

	Table string // see [Paper.Parts]

	// Quantities returns what rows and figures are about. It is called after the flags were
	// parsed, and the error is that of their values.
	Quantities func(run *trials.Run) (Quantities, error)

	Figures func() []Plot

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

// Parts returns what a run does, one after another: see [Rows] and [Plot.Part].
func (p *Paper) Parts(run *trials.Run) ([]Part, error) {
	quantities, err := p.Quantities(run)
	if err != nil {
		return nil, err
	}
	parts, err := Rows(p.Table, quantities)
	for _, figure := range p.Figures() {
		figure.others = p.Others
		parts = append(parts, figure.Part(quantities))
	}
	return parts, err
}

// Reproduce runs all parts, and judges their claims. It says how many parts there are before it
// begins, and calls what that returns after each. The trials of a paper are its own: papers may
// have the same names of them.
func (p *Paper) Reproduce(
	run *trials.Run,
	begin func(parts int) (done func()),
) (claims []Claim, figures []Figure, err error) {
	run = &trials.Run{Seed: run.Seed, Short: run.Short}
	parts, err := p.Parts(run)
	if err != nil {
		return nil, nil, err
	}
	done := begin(len(parts))
	for _, part := range parts {
		found, drawn := part(run)
		for i := range found {
			found[i].Paper, found[i].Seed = p.Name, run.Seed
			found[i].Judge()
		}
		claims, figures = append(claims, found...), append(figures, drawn...)
		done()
	}
	findMeant(claims)
	return claims, figures, nil
}
