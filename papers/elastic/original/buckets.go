package original

// packed is slots of some bits each.
type packed struct {
	words []uint64
	width int
}

// newPacked returns n slots of 1 to 63 bits. There is a word behind them, so that a slot may be
// read from two.
func newPacked(n, width int) packed { return packed{make([]uint64, (n*width+63)/64+1), width} }

func (p *packed) get(slot int) uint64 {
	bit := slot * p.width
	word, shift := bit/64, bit%64
	return (p.words[word]>>shift | p.words[word+1]<<1<<(63-shift)) & (1<<p.width - 1)
}

func (p *packed) set(slot int, value uint64) {
	bit := slot * p.width
	word, shift := bit/64, bit%64
	change := p.get(slot) ^ value
	p.words[word] ^= change << shift
	p.words[word+1] ^= change >> 1 >> (63 - shift)
}

// buckets is the cooperative buckets of a Bloom filter of 2^log bits: the slow memory. An elastic
// fingerprint is the quotient of a hash number by 2^log, and lies in the bucket of the remainder. A
// slot has the fingerprint behind a bit that is set, which tells its length, and an empty one is 0.
// In a bucket of level 2 the number of the branch that the fingerprint came from is before it.
//
// A bucket of level 1 is full before its fingerprints go to level 2, also after deletes.
type buckets struct {
	log           int
	length        int // of a fingerprint
	size          int // slots of a bucket
	branches      int // buckets of level 1 for one of level 2; 0: there is no level 2
	base          int // the log that the filter was made with
	first, second packed
}

// newBuckets returns empty buckets of the filter's configuration.
func (c *Config) newBuckets(log int) *buckets {
	b := &buckets{log: log, length: c.Width - log, size: c.Bucket,
		branches: c.Branches, base: c.Log}
	b.first = newPacked(b.size<<log, b.length+1)
	if b.branches > 0 {
		b.second = newPacked(b.size*b.groups()<<(log-b.base), b.length+1+branchBits(b.branches))
	}
	return b
}

// branchBits is the paper's ceil(log2 k).
func branchBits(branches int) int {
	bits := 0
	for 1<<bits < branches {
		bits++
	}
	return bits
}

// groups returns the number of buckets of level 2 in a filter of the first size.
func (b *buckets) groups() int { return (1<<b.base + b.branches - 1) / b.branches }

// shared returns the bucket of level 2 of a bucket, and which of its branches that is. The paper
// has i / branches. Here that begins again at each multiple of the first size: so the buckets that
// share one before an expansion do so after it, and an expansion never overflows.
func (b *buckets) shared(bucket int) (group, branch int) {
	i := bucket & (1<<b.base - 1)
	return bucket>>b.base*b.groups() + i/b.branches, i % b.branches
}

// sharers returns the buckets, from first up to end, that share a bucket of level 2 with one.
func (b *buckets) sharers(bucket int) (first, end int) {
	if b.branches == 0 {
		return bucket, bucket + 1
	}
	_, branch := b.shared(bucket)
	first = bucket - branch
	return first, min(first+b.branches, (bucket>>b.base+1)<<b.base)
}

// slotsOf returns the slots of a bucket, of level 1 and of level 2, and what the values of a branch
// begin with there.
func (b *buckets) slotsOf(bucket int) (first, second int, tag uint64) {
	first = bucket * b.size
	if b.branches > 0 {
		group, branch := b.shared(bucket)
		second, tag = group*b.size, uint64(branch)<<(b.length+1)
	}
	return first, second, tag
}

// add stores the fingerprint of a hash number, and reports whether there was room.
func (b *buckets) add(number uint64) bool {
	first, second, tag := b.slotsOf(int(number & (1<<b.log - 1)))
	value := 1<<b.length | number>>b.log
	for slot := first; slot < first+b.size; slot++ {
		if b.first.get(slot) == 0 {
			b.first.set(slot, value)
			return true
		}
	}
	if b.branches > 0 {
		for slot := second; slot < second+b.size; slot++ {
			if b.second.get(slot) == 0 {
				b.second.set(slot, tag|value)
				return true
			}
		}
	}
	return false
}

// remove takes the fingerprint of a hash number away, and reports whether there was one. A
// fingerprint of level 2 comes back to level 1.
func (b *buckets) remove(number uint64) bool {
	first, second, tag := b.slotsOf(int(number & (1<<b.log - 1)))
	value := 1<<b.length | number>>b.log
	last := -1 // of the bucket's slots in level 2
	if b.branches > 0 {
		for slot := second; slot < second+b.size; slot++ {
			switch x := b.second.get(slot); {
			case x == tag|value:
				b.second.set(slot, 0)
				return true
			case x != 0 && x>>(b.length+1) == tag>>(b.length+1):
				last = slot
			}
		}
	}
	for slot := first; slot < first+b.size; slot++ {
		if b.first.get(slot) != value {
			continue
		}
		b.first.set(slot, 0)
		if last >= 0 {
			b.first.set(slot, b.second.get(last)^tag)
			b.second.set(last, 0)
		}
		return true
	}
	return false
}

// append appends the hash numbers of a bucket.
func (b *buckets) append(numbers []uint64, bucket int) []uint64 {
	first, second, tag := b.slotsOf(bucket)
	number := func(value uint64) uint64 { return (value^1<<b.length)<<b.log | uint64(bucket) }
	for slot := first; slot < first+b.size; slot++ {
		if x := b.first.get(slot); x != 0 {
			numbers = append(numbers, number(x))
		}
	}
	if b.branches > 0 {
		for slot := second; slot < second+b.size; slot++ {
			if x := b.second.get(slot); x != 0 && x>>(b.length+1) == tag>>(b.length+1) {
				numbers = append(numbers, number(x^tag))
			}
		}
	}
	return numbers
}

func (b *buckets) bytes() int { return 8 * (len(b.first.words) + len(b.second.words)) }
