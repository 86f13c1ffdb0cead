// Package planning predicts the false-positive rate of tables of deletable blocks while their
// members come and go, and finds the smallest table that keeps a rate. Use it to choose a size
// before you make a filter, or to see how a rate will develop. The Config of package deletable uses
// it, so you do not need it for an ordinary filter.
//
//	plan := planning.Plan{Members: 1_000_000, Rate: 0.01, Turnovers: 5}
//	planned, err := plan.Solve()
//	fmt.Println(planned.Table.Bytes(), planned.End.Rate, planned.End.Deletability)
//
// [Plan] finds a table for a rate. [Table] describes a table and its history, and [Table.Predict]
// returns its expected rate and how many of its members can be deleted. [Lifetime] says how long
// members stay.
//
// # Terms
//
// A turnover is as many inserts as there are members: after T turnovers a table of M members has
// had M(1+T) inserts, and M members are in it. A member is deletable if its delete clears at least
// one bit. The others are retained: they stay present after their delete, as false positives. A
// re-insert is the insert of a member into a block that is refreshed.
//
// Rates are shares from 0 to 1, and means over hash keys. About half of all tables are above the
// mean; about 99 of 100 are below [Prediction.Rate99].
//
// # How exact the predictions are
//
// The predictions for fresh tables are exact means. Those for tables with turnovers come from a
// model, and tests compare them with simulations. Up to 32 bits per key and 30 turnovers, rates are
// within 3 %. The constants at [HeldMembers] have the whole range, and outside of it a prediction
// is marked as [Prediction.Extrapolated]. docs/theory/planning.md has the derivation and the
// comparisons.
//
// # Errors, goroutines
//
// Every error is an *[InputError], which names a field and what it may be, or a *[RateError] if no
// table keeps a rate. A prediction takes milliseconds, and up to some tenths of a second for
// hundreds of turnovers. It allocates no table. All functions may be called from several
// goroutines.
package planning
