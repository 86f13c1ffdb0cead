package workload

// Mix is a step of SplitMix64's counter and its finalizer: a bijection, whose values of
// neighbouring numbers have no pattern. Keys that are to be the same for all filters are made by
// it.
func Mix(x uint64) uint64 {
	x += Step
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Step is the step of SplitMix64's counter: Mix(i*Step) is the generator's i-th number, from a seed
// of 0.
const Step = 0x9e3779b97f4a7c15
