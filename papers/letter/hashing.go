package letter

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/family/dlbf"
	"github.com/bloomlane/bloomlane/papers/claim"
	"github.com/bloomlane/bloomlane/papers/trials"
)

// hashing puts the letter's explanation to the test: that observations are below theory because
// hash functions are not perfectly random.
func hashing(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	number := 4 * letterly
	if run.Short {
		number = letterly
	}
	s := shape(regions)
	random := mean(simulate(run, "perfect", s, members, perfect, 0, number), deletable)
	c := claim.Claim{
		Item: "imperfect hash functions",
		Where: `section IV: "explained by the assumption in Eq. 1 of ` +
			`perfectly random hash functions"`,
		Parameters: parameters(s, members), Unit: claim.Share, Trials: number,
	}
	c.Quantity, c.Reading = "deletable elements, less Eq. (1) as meant", "perfectly random cells"
	c.Published, c.Theory = claim.Rounded(0, 0.01),
		claim.By(exact, s.Deletability(members)-Equation1(s, members))
	c.Interval = random.Map(func(v float64) float64 { return v - Equation1(s, members) })
	c.Why = fmt.Sprintf("the difference exists without any hash function. Of its %.1f points, "+
		"%.1f come from the element's own throw, and the rest from regions that are not "+
		"independent",
		100*(Equation1(s, members)-s.Deletability(members)),
		100*(Equation1(s, members)-OwnThrow(s, members)))
	claims = append(claims, c)
	for _, way := range []struct {
		name string
		of   elements
	}{
		{"a random 64-bit hash, probed", hashed},
		{"double hashing: (a + i b) mod m'", doubly},
		{"FNV-1a of numbers in decimal, mod m'", weakly},
	} {
		c.Quantity, c.Reading = "deletable elements by a hash function, less those by perfectly "+
			"random cells", way.name
		c.Published, c.Theory = claim.Published{}, claim.Theory{}
		c.Interval = mean(simulate(run, way.name, s, members, way.of, 0, number),
			deletable).Less(random)
		claims = append(claims, c)
	}
	return claims, nil
}

// otherParameters are filters other than the letter's, for which it says the same.
func otherParameters(run *trials.Run) (claims []claim.Claim, _ []claim.Figure) {
	for _, p := range []struct {
		s dlbf.Shape
		n int
	}{
		// 91 cells are ten in all regions but the last
		{dlbf.Shape{Bits: 100, Regions: 9, Hashes: 4}, 10},
		{dlbf.Shape{Bits: 256, Regions: 32, Hashes: 5}, 22},
		{dlbf.Shape{Bits: 512, Regions: 64, Hashes: 7}, 32},
		{dlbf.Shape{Bits: 1000, Regions: 50, Hashes: 3}, 100},
		{dlbf.Shape{Bits: 4096, Regions: 256, Hashes: 7}, 256},
		{dlbf.Shape{Bits: 4096, Regions: 512, Hashes: 4}, 512},
	} {
		results := simulate(run, fmt.Sprint("other ", p), p.s, p.n, hashed, queries, letterly/10)
		c := claim.Claim{
			Item: "other parameters",
			Where: `section IV: "for other parameters … adherence to theory, ` +
				`with the above noted divergences"`,
			Parameters: parameters(p.s, p.n), Unit: claim.Share, Trials: letterly / 10,
			Reading: claim.Literal,
		}
		c.Quantity, c.Published = "deletable elements, less Eq. (1) as meant",
			claim.Trend(claim.Lower)
		c.Theory = claim.By(exact, p.s.Deletability(p.n)-Equation1(p.s, p.n))
		c.Interval = mean(results,
			func(t *trial) float64 { return t.deletable - Equation1(p.s, p.n) })
		claims = append(claims, c)
		c.Quantity, c.Published, c.Unit = "rate of false positives, as a multiple of Eq. (2)",
			claim.About(1), claim.Number
		c.Theory = claim.By("exact, by Bose et al.", occupied(p.s, p.n)/Equation2(p.s, p.n))
		c.Interval = mean(results, func(t *trial) float64 { return t.before / Equation2(p.s, p.n) })
		claims = append(claims, c)
	}
	return claims, nil
}
