package xdp

// Count is a number of packets, and of their bytes.
type Count struct {
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"`
}

// Counts are what a program has done since it was loaded. Each packet is in one of the first six.
type Counts struct {
	Passed    Count `json:"passed"`
	Denied    Count `json:"denied"`    // and passed, in the mode [ReportOnly]
	Spared    Count `json:"spared"`    // fell but for the list [NeverDeny]
	Fragments Count `json:"fragments"` // that were not denied; the options say whether they fall
	Malformed Count `json:"malformed"` // that were not denied; the options say whether they fall
	Other     Count `json:"other"`     // no IP

	Learned   uint64 `json:"learned"`   // addresses that [Program.Learn] is told of
	Unlearned uint64 `json:"unlearned"` // and those of which it is not, because it is too slow
	// Cleared is the packets whose address the filter of the list [Deny] found, and its exact set
	// did not: the mode [Filter] would have denied them in error.
	Cleared uint64 `json:"cleared"`
}

// Packets returns the number of all packets.
func (c *Counts) Packets() uint64 {
	return c.Passed.Packets + c.Denied.Packets + c.Spared.Packets + c.Fragments.Packets +
		c.Malformed.Packets + c.Other.Packets
}

// Counts adds the counters of all CPUs up. Packets that pass meanwhile may be in it or not.
func (p *Program) Counts() (Counts, error) {
	m, err := p.mapOf(counters)
	if err != nil {
		return Counts{}, err
	}
	var c Counts
	learned, unlearned, cleared := Count{}, Count{}, Count{}
	for i, sum := range []*Count{&c.Passed, &c.Denied, &c.Spared, &c.Fragments, &c.Malformed,
		&c.Other, &learned, &unlearned, &cleared} { // as the program has them
		var each []Count
		if err := m.Lookup(uint32(i), &each); err != nil {
			return Counts{}, unavailable(err)
		}
		for _, one := range each {
			sum.Packets += one.Packets
			sum.Bytes += one.Bytes
		}
	}
	c.Learned, c.Unlearned, c.Cleared = learned.Packets, unlearned.Packets, cleared.Packets
	return c, nil
}

// Memory returns the bytes of kernel memory that the maps of the table take, as the kernel counts
// them.
func (t *Table) Memory() (bytes uint64, err error) {
	for _, m := range t.parts {
		info, err := m.Info()
		if err != nil {
			return 0, unavailable(err)
		}
		locked, _ := info.Memlock()
		bytes += locked
	}
	return bytes, nil
}
