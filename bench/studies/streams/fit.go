package streams

import (
	"fmt"

	"github.com/bloomlane/bloomlane/bench/peer"
	"github.com/bloomlane/bloomlane/bench/peer/library"
)

// fit returns a peer's filter in the largest size of its own that takes no more than the bits per
// member, or nil where even the smallest does.
func fit(p *peer.Peer, members, bits int) (peer.Inserter, error) {
	for size := float64(bits); size > 0; size -= 0.5 {
		if p.Size(members, size)*8 > int64(members)*int64(bits) {
			continue
		}
		f, err := p.Begin(members, size).Finish()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		if 8*int64(f.State().Bytes) <= int64(members)*int64(bits) {
			return f.(peer.Inserter), nil
		}
	}
	return nil, nil
}

// deleting returns the other libraries' filters that delete.
func deleting() (peers []peer.Peer) {
	for _, p := range library.All() {
		if p.Deletes {
			peers = append(peers, p)
		}
	}
	return peers
}
