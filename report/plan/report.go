package plan

import (
	"fmt"
	"slices"

	"github.com/bloomlane/bloomlane/filter/planning"
	"github.com/bloomlane/bloomlane/report/pivot"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// Point is a table after a number of turnovers, as predicted.
type Point struct {
	BitsPerKey   float64 `json:"bits_per_key"`
	Turnovers    float64 `json:"turnovers"`
	Rate         float64 `json:"rate"`    // the mean over hash keys
	Rate99       float64 `json:"rate_99"` // that about 99 of 100 tables are below
	Deletability float64 `json:"deletability"`

	// Extrapolated is whether no test holds predictions like this one to simulations.
	Extrapolated bool `json:"extrapolated,omitempty"`
}

// Report is a planned table and its surroundings.
type Report struct {
	Members   int     `json:"members"`
	Rate      float64 `json:"rate,omitempty"`       // asked for
	BytesMost int     `json:"bytes_most,omitempty"` // allowed
	Turnovers float64 `json:"turnovers"`
	Reinserts float64 `json:"reinserts,omitempty"` // per insert, forever
	Lifetime  string  `json:"lifetime"`
	BlockBits int     `json:"block_bits"`

	Blocks     int     `json:"blocks"`
	Bytes      int     `json:"bytes"`
	BitsPerKey float64 `json:"bits_per_key"`
	Keeps      bool    `json:"keeps_rate"` // or this is the largest table that is allowed

	Start Point   `json:"start"`
	End   Point   `json:"end"`
	Over  []Point `json:"over_turnovers"`    // of the planned table
	Sizes []Point `json:"over_bits_per_key"` // each fresh, and at the end

	Cheaper []Other  `json:"cheaper,omitempty"`
	ForEver *ForEver `json:"for_ever,omitempty"`

	planned planning.Planned
}

// sizes are the bits per key that a report has besides those of the planned table.
var sizes = []float64{8, 10, 12, 16, 20, 24, 32}

// New makes the report of a plan and the table that it was solved by.
func New(p *planning.Plan, planned planning.Planned) (*Report, error) {
	t := &planned.Table
	r := &Report{
		Members: p.Members, Rate: p.Rate, BytesMost: p.Bytes, Turnovers: p.Turnovers,
		Reinserts: p.Reinserts,
		Lifetime:  p.Lifetime.String(), BlockBits: t.BlockBits,
		Blocks: t.Blocks, Bytes: t.Bytes(), BitsPerKey: t.BitsPerKey(),
		Keeps:   p.Rate == 0 || planned.End.Rate <= p.Rate,
		planned: planned,
	}
	last := r.last()
	const parts = 8
	for i := range parts + 1 {
		point, err := predict(*t, last*float64(i)/parts)
		if err != nil {
			return nil, err
		}
		r.Over = append(r.Over, point)
		if last == 0 {
			break
		}
	}
	r.Start, r.End = r.Over[0], r.Over[len(r.Over)-1]
	for _, size := range sizes {
		table := *t
		blocks, err := planning.BlocksFor(t.BlockBits, t.Members, size)
		if err != nil {
			break // they are too many members for tables of that size
		}
		table.Blocks = blocks
		for _, at := range slices.Compact([]float64{0, last}) {
			point, err := predict(table, at)
			if err != nil {
				return nil, err
			}
			r.Sizes = append(r.Sizes, point)
		}
	}
	r.Cheaper = r.cheaper()
	if p.Reinserts > 0 {
		var err error
		if r.ForEver, err = r.forEver(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// last returns the turnovers that the report's points end with. Without a
// limit, it is twice what the steady state needs, from where on nothing changes.
func (r *Report) last() float64 {
	if r.Reinserts > 0 {
		return min(2/r.Reinserts, planning.MaxTurnovers)
	}
	return r.Turnovers
}

// span says for how long.
func (r *Report) span() string {
	if r.Reinserts > 0 {
		return "forever with " + reinserts(r.Reinserts)
	}
	return quantity.Part(r.Turnovers, "turnover")
}

// predict returns a table after a number of turnovers.
func predict(table planning.Table, turnovers float64) (Point, error) {
	table.Turnovers = turnovers
	p, err := table.Predict()
	return Point{
		BitsPerKey: table.BitsPerKey(), Turnovers: turnovers,
		Rate: p.Rate, Rate99: p.Rate99, Deletability: p.Deletability, Extrapolated: p.Extrapolated,
	}, err
}

// String returns the report for people.
func (r *Report) String() string { return pivot.Text(r.tables()...) }

// tables are the report for people: the table and its predictions, and these over turnovers and
// over bits per key.
func (r *Report) tables() []*pivot.Table {
	end, when, others := "to the end", "at the end", "other sizes, fresh and at the end"
	if r.ForEver != nil {
		end, when, others = "forever", "forever", "other sizes, fresh and forever"
	}
	asked := fmt.Sprintf("%s at most", quantity.CountOf(r.BytesMost, "byte"))
	if r.Rate > 0 {
		asked = fmt.Sprintf("false-positive rate of %g at most, in the mean over hash keys, %s",
			r.Rate, end)
	}
	rows := [][]string{{"asked for", asked}, {"table", fmt.Sprintf(
		"%s, %s, %.1f bits per key", quantity.CountOf(r.Blocks, "block"),
		quantity.CountOf(r.Bytes, "byte"), r.BitsPerKey)}}
	if !r.Keeps {
		rows = append(rows,
			[]string{"", "the largest that is allowed, and it does NOT keep the rate"})
	}
	rows = append(rows, []string{"at start", r.Start.String()}, []string{when, r.End.String()})
	if r.End.Extrapolated {
		upTo := fmt.Sprintf("%d turnovers, or %d bits per key and %d turnovers",
			planning.HeldTurnovers, planning.HeldBitsPerKeyWide, planning.HeldTurnoversWide)
		if r.ForEver != nil {
			upTo = fmt.Sprintf("from %g re-inserts on, or %d bits per key and from %g on, in %d "+
				"blocks or more", planning.HeldReinserts, planning.HeldBitsPerKeyWide,
				planning.HeldReinsertsWide, planning.HeldBlocks)
		}
		rows = append(rows, []string{"", fmt.Sprintf("EXTRAPOLATED: predictions are held to "+
			"simulations from %d members on, up to %d bits per key", planning.HeldMembers,
			planning.HeldBitsPerKey)}, []string{"", "and " + upTo})
	}
	for _, other := range r.Cheaper {
		rows = append(rows, []string{"cheaper", other.String()})
	}
	var forever []*pivot.Table
	if r.ForEver != nil {
		rows = append(rows, r.ForEver.short(r)...)
		forever = r.ForEver.tables()
	}
	first := pivot.Lines(rows).Titled(fmt.Sprintf("%s, blocks of %d bits, %s, lifetime %s",
		quantity.CountOf(r.Members, "member"), r.BlockBits, r.span(), r.Lifetime), "")
	sizes := table(others, r.Sizes)
	sizes.About = `
A turnover is as many inserts as there are members. Deletability is the share of the
members that a delete makes invisible.`
	return slices.Concat([]*pivot.Table{first}, forever,
		[]*pivot.Table{table("this table, over turnovers", r.Over), sizes})
}

// String says what is predicted.
func (p *Point) String() string {
	return fmt.Sprintf("rate %s, with 99 %% of hash keys below %s; deletability %s %%",
		rate(p.Rate), rate(p.Rate99), percent(p.Deletability))
}

// table has points in columns.
func table(title string, points []Point) *pivot.Table {
	t := pivot.Rows("bits per key|turnovers|rate|deletability, %", points, func(p Point) []string {
		return []string{fmt.Sprintf("%.1f", p.BitsPerKey), fmt.Sprintf("%.4g", p.Turnovers),
			rate(p.Rate), percent(p.Deletability)}
	})
	t.Labels = 0
	return t.Titled(title, "")
}

// reinserts says how many there are per insert.
func reinserts(n float64) string { return quantity.Part(n, "re-insert") + " per insert" }

func rate(r float64) string { return fmt.Sprintf("%.3g", r) }

func percent(part float64) string { return fmt.Sprintf("%.1f", 100*part) }
