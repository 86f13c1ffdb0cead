package result

// Contest is the timings of one group, in the order of the run.
type Contest struct {
	Group
	Timings []Timing
}

// Contests returns the groups of the run in the order in which they first appear.
func (r *Run) Contests() (all []Contest) {
	at := map[Group]int{}
	for _, t := range r.Timings {
		i, ok := at[t.Group]
		if !ok {
			i = len(all)
			at[t.Group] = i
			all = append(all, Contest{Group: t.Group})
		}
		all[i].Timings = append(all[i].Timings, t)
	}
	return all
}

// Of returns the timings of one kind.
func (c Contest) Of(kind Kind) (of []Timing) {
	for _, t := range c.Timings {
		if t.Kind == kind {
			of = append(of, t)
		}
	}
	return of
}

// Fastest returns the timing of a kind that has the lowest Least, and false where there is none.
func (c Contest) Fastest(kind Kind) (fastest Timing, ok bool) {
	for _, t := range c.Of(kind) {
		if !ok || t.Least < fastest.Least {
			fastest, ok = t, true
		}
	}
	return fastest, ok
}

// Parallel tells whether several cores ran the loop at once.
func (g Group) Parallel() bool { return g.Cores > 1 }
