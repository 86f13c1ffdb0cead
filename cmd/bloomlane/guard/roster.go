package guard

import "net/netip"

// roster lists different sources in the order in which they are first seen, up to a limit.
type roster struct {
	limit    int
	seen     map[netip.Addr]struct{}
	sources  []netip.Addr
	unlisted int // packets of sources that found no room
}

func newRoster(limit int) *roster { return &roster{limit: limit, seen: map[netip.Addr]struct{}{}} }

// add lists a source unless it is listed, or there is no room, and reports whether it is now.
func (r *roster) add(source netip.Addr) bool {
	if _, listed := r.seen[source]; listed {
		return true
	}
	if len(r.sources) == r.limit {
		return false
	}
	r.seen[source] = struct{}{}
	r.sources = append(r.sources, source)
	return true
}

// note lists the sources of a batch.
func (r *roster) note(batch *Batch) {
	for i := range batch.Len() {
		if source, _ := batch.Packet(i); source.IsValid() && !r.add(source) {
			r.unlisted++
		}
	}
}
