//go:build pebble

package sstable

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/bloomlane/bloomlane/filter/plain"
)

// Policy is a [pebble.FilterPolicy]: the bits per key of the tables' filters, and their hash key.
type Policy plain.Config

// Name implements [pebble.FilterPolicy]. Pebble asks no filter that was written under another name.
func (p Policy) Name() string { return fmt.Sprintf("bloomlane.blocked.%x", p.Key.Fingerprint()) }

// NewWriter implements [pebble.FilterPolicy].
func (p Policy) NewWriter(pebble.FilterType) pebble.FilterWriter {
	return &Writer{Config: plain.Config{BitsPerKey: p.BitsPerKey, Blocked: true, Key: p.Key}}
}

// MayContain implements [pebble.FilterPolicy].
func (p Policy) MayContain(_ pebble.FilterType, filter, key []byte) bool {
	return mayContain(p.Key, filter, key)
}
