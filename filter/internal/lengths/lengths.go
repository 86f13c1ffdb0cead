// Package lengths is for operations on batches: they panic, before anything is written, if a slice
// is too short for the answers.
package lengths

import (
	"fmt"

	"github.com/bloomlane/bloomlane/kernel"
)

// Words returns the number of words that the answers for n keys need, at one bit per key.
func Words(n int) int { return n/64 + (n%64+63)/64 }

// RequirePresent panics if present is not nil and too short for the answers for n keys. op names
// the operation in the message.
func RequirePresent(op string, n int, present []uint64) {
	if need := Words(n); present != nil && len(present) < need {
		panic(fmt.Sprintf("filter: %s: present has %d words, %d keys need %d", op,
			len(present), n, need))
	}
}

// RequireStatus panics if status is not nil and has fewer than n elements.
func RequireStatus(op string, n int, status []kernel.Status) {
	if status != nil && len(status) < n {
		panic(fmt.Sprintf("filter: %s: status has %d elements, %d keys need %d", op,
			len(status), n, n))
	}
}

// RequireCounts panics if counts has fewer than n elements.
func RequireCounts(op string, n int, counts []uint64) {
	if len(counts) < n {
		panic(fmt.Sprintf("filter: %s: %d counts for %d keys, expected one per key", op,
			len(counts), n))
	}
}
