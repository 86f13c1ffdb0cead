package claim

import (
	"github.com/spf13/pflag"

	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
)

// Paper is a paper that can be reproduced.
type Paper struct {
	Name  string // on the command line, and in JSON
	Title string // with authors, place and year

	Flags func(flags *pflag.FlagSet) // adds those that it has of its own; nil for none

	// Parts returns what is done, one after another, each a small piece of the run's time. It is
	// called after the flags were parsed, and the error is that of their values.
	Parts func() ([]Part, error)
}

// Part returns claims, in the order of the report, and figures.
type Part func(run *trials.Run) ([]Claim, []Figure)

// Figure is a picture, and the name of its file without the ending.
type Figure struct {
	Name    string
	Picture *chart.Picture
}

// Reproduce runs all parts, and judges their claims. It calls done after each part. The trials of a
// paper are its own: papers may have the same names of them.
func (p *Paper) Reproduce(
	run *trials.Run,
	parts []Part,
	done func(),
) (claims []Claim, figures []Figure) {
	run = &trials.Run{Seed: run.Seed, Short: run.Short}
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
	return claims, figures
}
