package claim

import (
	"cmp"
	"io/fs"
	"runtime/debug"

	"github.com/bloomlane/bloomlane/papers/trials"
	"github.com/bloomlane/bloomlane/report/chart"
)

// Paper is a paper that can be reproduced: a table of its claims, its figures, and what they are
// about.
type Paper struct {
	Name  string // on the command line, and in JSON
	Title string // with authors, place and year

	// Files are claims.tsv and figures.tsv, if there are figures: see [Rows] and [Paper.figures];
	// and findings.md, the text of the report, in Markdown: ${quantity; name=value: formula} is the
	// value of a formula, or the mean of "trials".
	Files fs.FS

	// Quantities returns what rows and figures are about, or why there are none.
	Quantities func(run *trials.Run) (Quantities, error)

	Lists map[string][]float64 // of values along axes, which the table of figures names

	// Values are those of a document, in its order. They stand instead of files and quantities.
	Values []func(run *trials.Run) Value
}

// The tables of a paper.
const (
	claimsFile   = "claims.tsv"
	figuresFile  = "figures.tsv"
	findingsFile = "findings.md"
)

// text returns the text of a file; nothing if there is none.
func text(files fs.FS, name string) string {
	content, _ := fs.ReadFile(files, name)
	return string(content)
}

// Part returns claims, in the order of the report, and figures, or the error of the row that cannot
// be evaluated.
type Part func(run *trials.Run) ([]Claim, []Figure, error)

// Figure is a picture, and the name of its file without the ending.
type Figure struct {
	Name    string
	Picture *chart.Picture
	Points  []Point
}

// Found is what a run finds of a paper: values or claims with their verdicts, figures, and the text
// of the report.
type Found struct {
	Paper    string
	Values   []Value
	Claims   []Claim
	Figures  []Figure
	Findings string
}

// Reproduce makes all claims and figures, see [Rows] and [Paper.figures], and judges them. It says
// how many parts there are before it begins, and calls what that returns after each. The trials of
// a paper are its own: papers may have the same names of them.
func (p *Paper) Reproduce(
	run *trials.Run,
	begin func(parts int) (done func()),
) (found Found, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // trials leave much, and live on little
	run = &trials.Run{Seed: run.Seed, Short: run.Short}
	if p.Values != nil {
		return p.values(run, begin), nil
	}
	found.Paper = p.Name
	quantities, err := p.Quantities(run)
	if err != nil {
		return Found{}, err
	}
	defer func() { err = inside(p.Name, err) }()
	parts, err := Rows(text(p.Files, claimsFile), quantities)
	figures, otherErr := p.figures(quantities)
	if err = cmp.Or(err, otherErr); err != nil {
		return Found{}, err
	}
	parts = append(parts, figures...)
	done := begin(len(parts))
	for _, part := range parts {
		claims, figures, err := part(run)
		if err != nil {
			return Found{}, err
		}
		for i := range claims {
			claims[i].Paper, claims[i].Seed = p.Name, run.Seed
			claims[i].Judge()
		}
		found.Claims, found.Figures = append(found.Claims, claims...),
			append(found.Figures, figures...)
		done()
	}
	findMeant(found.Claims)
	err = guard(func() (err error) {
		found.Findings, err = quantities.fill(run, text(p.Files, findingsFile))
		return err
	})
	return found, inside(findingsFile, err)
}
