package challenge

import (
	"fmt"

	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/report/chart"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// figures is the one that answers the exercise's question. A variant of the good set is a row of
// variants, and so a curve here.
func figures() []claim.Plot {
	var churn, byMemory []claim.Curve
	for _, v := range variants {
		name := v.name
		switch {
		case v.grows:
			name += ", in more memory"
		case v.name == twofold:
			name += ", which loses members"
		}
		c := claim.Curve{Name: name,
			Quantity:   "non-members that are found while sources come and go",
			Parameters: claim.Parameters{"filter": v.name, "P": standard}}
		if v.name == counted {
			c.Theory = formula
		}
		churn = append(churn, c)
		c.Parameters = claim.Parameters{"filter": v.name}
		byMemory = append(byMemory, c)
	}
	var logs []float64
	for log := 24.0; log <= 36; log += 1. / 16 {
		logs = append(logs, log)
	}
	const blocked = "innocent sources that are bad in the end"
	const modulo = "rate with hashes of 32 bits"
	return []claim.Plot{{
		Name: "answer", Where: "line 76",
		Title:   "Which deletable filter should a firewall use? (What is not drawn was not found.)",
		Columns: 2, Width: 360, Height: 250, Panels: []claim.Panel{
			{Title: fmt.Sprintf("good set, %.1f bits per source", memory(standard)),
				X: "turnovers", Y: "non-members found", By: "turnovers", Log: true,
				At: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, Curves: churn},
			{Title: "good set, in the end", X: "bits per source", Y: "non-members found",
				By: "P", At: falseRates, To: memory, Log: true, Curves: byMemory},
			{Title: "innocents blocked, by P of the bad set and of the sequences", X: "P",
				Y: "innocent sources", By: "P", At: falseRates, Log: true,
				Curves: []claim.Curve{
					{Name: "by both sets, synthetic trace", Quantity: blocked, Theory: meanField,
						Parameters: claim.Parameters{"trace": "synthetic"}},
					{Name: "by both sets, real capture", Quantity: blocked,
						Parameters: claim.Parameters{"trace": "capture"}},
					{Name: "by the bad set alone (formula)", Quantity: blocked, Computed: true,
						Theory:     "by the bad set alone",
						Parameters: claim.Parameters{"trace": "synthetic"}},
				},
				Look: func(p *chart.Panel) { chart.Logarithmic(quantity.Number, &p.X) }},
			{Title: "32-bit hashes modulo m, at P = 0.001 (formula)", X: "log2 m", Y: "rate",
				By: "log m", At: logs, Log: true, Curves: []claim.Curve{
					{Name: "the document's hashes", Quantity: modulo, Computed: true,
						Theory: "the document's hashes"},
					{Name: "the document's formula", Quantity: modulo, Computed: true,
						Theory: "the document's formula"},
				}},
		},
	}}
}
