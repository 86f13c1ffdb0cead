package planning

// pattern is a way in which positions of a key share columns: the sizes of the groups of positions
// that lie in one column, largest first.
type pattern struct{ groups []int }

// patterns are all patterns: one for each partition of the number of lanes into a sum.
var patterns = [15]pattern(partitions(lanes, lanes, nil))

// partitions returns the partitions of left into parts of at most most, each appended to groups.
func partitions(left, most int, groups []int) (all []pattern) {
	if left == 0 {
		return []pattern{{append([]int(nil), groups...)}}
	}
	for size := min(left, most); size > 0; size-- {
		all = append(all, partitions(left-size, size, append(groups, size))...)
	}
	return all
}

// probability returns the probability of the pattern, if each position lies in one of w columns.
func (p *pattern) probability(w float64) float64 {
	probability, position, alike := 1.0, 0, 1.0
	for i, size := range p.groups {
		if alike++; i == 0 || p.groups[i-1] != size {
			alike = 1
		}
		// The number of columns that are left, and the number of ways to put positions into groups.
		probability *= (w - float64(i)) / alike
		for j := range size {
			position++
			probability *= float64(position) / float64(j+1) / w
		}
	}
	return probability
}

// overPatterns returns the expected product, over the columns of a random key, of value[g], where g
// is how many positions of the key lie in the column. probability has the probabilities of the
// patterns.
func overPatterns(probability *[len(patterns)]float64, value *[lanes + 1]float64) (sum float64) {
	for i := range patterns {
		product := probability[i]
		for _, size := range patterns[i].groups {
			product *= value[size]
		}
		sum += product
	}
	return sum
}
