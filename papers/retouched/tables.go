package retouched

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// published is tables I to IV: of each algorithm and β the means of 15 runs, and half their
// intervals of 95 %. The fourth column is |B| + |B'|, and the last |A'|.
var published = map[retouched.Algorithm][8]row{
	random.Algorithm: {
		{188, 1.31, 434, 13.74, 622, 13.84, 231, 3.01},
		{375, 1.84, 842, 21.84, 1217, 22.85, 450, 7.75},
		{932, 9.94, 1934, 37.83, 2826, 46.21, 1070, 10.05},
		{1872, 17.22, 3306, 67.83, 5178, 83.27, 1954, 20.02},
		{4692, 26.11, 5441, 61.11, 10133, 83.45, 3858, 21.14},
		{9396, 78.88, 5324, 67.09, 14720, 143.22, 5684, 36.78},
		{14063, 109.61, 3151, 36.92, 17214, 144.08, 6715, 30.44},
		{18806, 157.31, 0, 0, 18806, 157.31, 7367, 23.93},
	},
	minimumFN.Algorithm: {
		{188, 1.09, 431, 15.27, 619, 16.11, 183, 1.82},
		{377, 2.75, 854, 18.14, 1231, 19.39, 362, 3.77},
		{939, 7.67, 1942, 28.77, 2881, 33.57, 857, 9.82},
		{1877, 12.79, 3303, 65.26, 5180, 76.46, 1577, 14.92},
		{4667, 35.36, 5338, 72.65, 10045, 105.28, 3143, 19.83},
		{9365, 44.51, 5330, 52.09, 14695, 92.01, 4754, 24.27},
		{14039, 85.94, 3128, 37.98, 17167, 119.53, 5710, 21.64},
		{18705, 173.76, 0, 0, 18705, 173.76, 6407, 36.02},
	},
	maximumFP.Algorithm: {
		{187, 0.93, 769, 9.97, 956, 10.28, 226, 5.11},
		{375, 1.82, 1458, 19.33, 1833, 20.05, 447, 8.96},
		{935, 6.36, 3154, 52.89, 4089, 58.78, 1025, 12.08},
		{1882, 16.55, 5188, 74.87, 7070, 89.71, 1838, 20.53},
		{4697, 34.52, 7466, 85.07, 12163, 114.96, 3420, 28.49},
		{9396, 86.71, 6605, 98.04, 16001, 182.14, 4870, 29.84},
		{14032, 99.42, 3670, 28.61, 17702, 125.24, 5674, 26.34},
		{18664, 138.13, 0, 0, 18664, 138.13, 6202, 22.09},
	},
	ratio.Algorithm: {
		{188, 1.51, 735, 13.89, 923, 14.63, 188, 1.58},
		{374, 3.25, 1372, 20.05, 1746, 30.58, 363, 4.01},
		{939, 6.92, 3035, 40.83, 3974, 45.43, 844, 5.73},
		{1863, 13.95, 4860, 67.65, 6723, 78.71, 1498, 13.71},
		{4703, 28.72, 7261, 68.39, 11964, 94.59, 2895, 15.99},
		{9394, 80.17, 6444, 70.86, 15838, 149.01, 4229, 25.95},
		{14057, 126.61, 3625, 38.28, 17682, 162.64, 5021, 27.54},
		{18683, 151.08, 0, 0, 18683, 151.08, 5581, 24.08},
	},
}

// row is a row of a table: a mean and half its interval for each column.
type row [8]float64

// columns are those of the tables.
var columns = []struct {
	name string
	of   func(outcome) float64
}{{"|B|", keys}, {"|B'|", beside}, {"|B| + |B'|", removed}, {"|A'|", lost}}

// chiOf is the χ of a table's own numbers, which has all false positives in its last row.
func chiOf(s selection, i int) float64 {
	t := published[s.Algorithm]
	return t[i][4] / t[len(t)-1][0] / t[i][6] * members
}

// grid is the trials of all β.
type grid [len(betas)][]trial

// simulate runs the trials of one β.
func (g *grid) simulate(i int) claim.Part {
	return func(run *trials.Run) ([]claim.Claim, []claim.Figure) {
		g[i] = simulate(run, betas[i])
		return nil, nil
	}
}

func percent(share float64) string { return fmt.Sprintf("%g %%", 100*share) }

// readings are the ways to understand an algorithm, and what each is called.
func readings(s selection) (all []selection, names []string) {
	if !s.countsKeys() {
		return []selection{s}, []string{claim.Literal}
	}
	return []selection{s.asPrinted(), s}, []string{"v_B counts B, as printed", "v_B counts FP"}
}

// tables compares each cell of tables I to IV with the one that is measured here.
func (g *grid) tables(*trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	for n, s := range standard {
		name := []string{"I", "II", "III", "IV"}[n]
		t := newText(fmt.Sprintf("table %s: %v", name, s), runs)
		all, names := readings(s)
		for i, beta := range betas {
			t.at(i)
			cells := published[s.Algorithm][i]
			for r, s := range all {
				for c, column := range columns {
					t.Reading, t.Theory = names[r], claim.Theory{}
					if c == 0 { // the same in both readings
						t.Reading, t.Theory = claim.Literal, claim.By("β (N - n) times Eq. (5)",
							beta*(universe-members)*shape.Rate())
						if r > 0 {
							continue
						}
					}
					cell, half := cells[2*c], cells[2*c+1]
					p := claim.Published{Value: &cell, Least: new(cell - half),
						Most: new(cell + half)}
					found := mean(g[i], s, column.of)
					why := fmt.Sprintf("%.1f standard errors apart: of 128 cells 6 are beyond 2",
						apart(p, found))
					if s.countsKeys() && !s.all {
						why = fmt.Sprintf(
							"a cleared bit removes %.2f false positives, and %.2f if v_B "+
								"counts FP; a bit of Random removes %.2f",
							g.value(i, s, perBit),
							g.value(i, all[1], perBit), g.value(i, random, perBit))
					}
					t.says(fmt.Sprintf("table %s, β = %s", name, percent(beta)), column.name,
						p, found, why)
				}
			}
		}
		claims = append(claims, t.claims...)
	}
	return claims, nil
}

func perBit(o outcome) float64 { return o.removed / o.reset }

// apart is how many standard errors a mean is from the published one, of which half an interval is
// as many of ours.
func apart(p claim.Published, i claim.Interval) float64 {
	half := math.Hypot(*i.High-*i.Measured, *p.Most-*p.Value)
	return math.Abs(*i.Measured-*p.Value) / half * distuv.StudentsT{Sigma: 1,
		Nu: runs - 1}.Quantile(0.975)
}

// sums adds the printed columns up.
func (g *grid) sums(*trials.Run) ([]claim.Claim, []claim.Figure) {
	t := newText("tables I to IV: sums", 0)
	for _, s := range standard {
		right, why := 0.0, ""
		for i, r := range published[s.Algorithm] {
			if r[0]+r[2] == r[4] {
				right++
				continue
			}
			why += fmt.Sprintf("at β = %s the sum of %g and %g is printed as %g, and is %g: here "+
				"they are %.0f, %.0f and %.0f",
				percent(betas[i]), r[0], r[2], r[4], r[0]+r[2], g.value(i, s, keys),
				g.value(i, s, beside),
				g.value(i, s, removed))
		}
		t.Parameters = map[string]any{"table": s.String()}
		t.says("column |B| + |B'|", "rows in which |B| and |B'| add up",
			claim.Rounded(float64(len(betas)), 0),
			claim.Exact(right), why)
	}
	return t.claims, nil
}
