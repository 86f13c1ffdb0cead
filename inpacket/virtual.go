package inpacket

// VirtualLink is one identifier for several links that form a path or a tree. A packet whose header
// contains it goes over all of them. Every port of these links holds the [Element] of the virtual
// link in addition to that of the link, and sends a copy if either matches. The identifier has to
// stay in the header until the packet has passed all links. So the ports of Through apply
// [OpQuery], and those of Last apply [OpDelete].
//
// A packet follows a false match of a virtual link to its end. A link that deletes itself stops a
// packet that returns in a loop, but a port that only queries does not. So the identifiers that you
// pass to [Plane.Encode] as asked must include the virtual links that leave the nodes of the
// packet, also those that begin at another node.
type VirtualLink struct {
	Identifier []byte
	Through    [][]byte // links that are followed by another link of this virtual link
	Last       [][]byte // links at the ends: one for a path, one per branch for a tree
}

// Replace returns the identifiers for a header that sends a packet over links. It tries the virtual
// links in order: one replaces its links if all of them are in links and none has been replaced. So
// put the virtual links with the most links first. It skips a virtual link without a last link,
// because nothing would delete it.
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
