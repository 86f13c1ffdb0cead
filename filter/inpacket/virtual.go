package inpacket

// VirtualLink is one identifier for several links, which are a path or a tree: a packet whose header contains
// it goes over all of them. Every port of these links holds the virtual link's [Element] beside the link's own,
// and sends a copy if either matches. The identifier has to stay until it has been followed, so the ports of
// Through apply [OpQuery], and those of Last [OpDelete].
//
// A false match of a virtual link is followed to its end, and ports that only query do not stop a packet that
// comes in a circle, as a link that deletes itself does. So ask [Plane.Encode] for the virtual links that
// leave the packet's nodes too, also for those that begin elsewhere.
type VirtualLink struct {
	Identifier []byte
	Through    [][]byte // links that another of its links follows
	Last       [][]byte // links that none follows: one for a path, one a branch for a tree
}

// Replace returns the identifiers for a header that sends a packet over some links: a virtual link, in the
// order given, takes the place of its links if all of them are left. So put those of the most links first.
// One without a last link takes no place: nothing would delete it.
func Replace(links [][]byte, virtual []VirtualLink) [][]byte {
	left := make(map[string]bool, len(links))
	for _, link := range links {
		left[string(link)] = true
	}
	var identifiers [][]byte
	for i := range virtual {
		v := &virtual[i]
		if len(v.Last) == 0 || !all(left, v.Through) || !all(left, v.Last) {
			continue
		}
		identifiers = append(identifiers, v.Identifier)
		for _, members := range [][][]byte{v.Through, v.Last} {
			for _, link := range members {
				left[string(link)] = false
			}
		}
	}
	for _, link := range links {
		if left[string(link)] {
			identifiers = append(identifiers, link)
		}
	}
	return identifiers
}

// all reports whether all links are left.
func all(left map[string]bool, links [][]byte) bool {
	for _, link := range links {
		if !left[string(link)] {
			return false
		}
	}
	return true
}
