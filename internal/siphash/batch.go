//go:build (amd64 || arm64) && !purego

package siphash

import (
	"github.com/bloomlane/bloomlane/internal/batch"
	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// This file cuts a batch into calls of assembly, which calls_amd64.go and calls_arm64.go make. As
// in package kernel, a function with Call in its name makes one of them and is not inlined: a
// goroutine stops for a garbage collection where it enters such a function.
const (
	// callKeys and callBytes are the number of keys of one width in a call, and of their bytes: a
	// call takes less than 20 µs.
	callKeys  = 1024
	callBytes = 32 << 10
)

// linedGroup is the number of keys of which the assembly for keys of 4, 8 and 16 bytes takes a
// multiple.
const linedGroup = 16

// BatchOn is Batch on one implementation: for comparisons.
func (k *Key) BatchOn(im dispatch.Implementation, keys batch.Keys, hashes []uint64) {
	if !inAssembly(im) || len(hashes) < batch.Group {
		k.singly(keys, hashes)
		return
	}
	b := batch.NewBuffer()
	defer b.Free()
	if width, ok := keys.Width(); ok && scheduled(width) {
		c, group := k.constants, batch.Group
		c[8], c[9] = uint64(width), uint64(width)
		if width == 4 || width == 8 || width == 16 {
			group = linedGroup
		}
		for g := b.Groups(keys, hashes, group, min(callKeys, callBytes/width)); g.Next(); {
			fixedCall(im, &c, width, &g)
		}
		return
	}
	for c := b.Calls(lengths, keys, hashes); c.Next(); {
		if key, alone := c.Alone(); alone {
			c.Put(k.Sum64(key))
		} else {
			mixedCall(im, &k.constants, &c)
		}
	}
}

// scheduled reports whether there is assembly for the keys of a width: for those of 4 bytes, and of
// one word or more.
func scheduled(width int) bool { return width == 4 || width >= 8 && width <= batch.Longest }

// lengths are the classes of keys by their whole words.
var lengths = batch.NewLengths(8, wholeWords)

func wholeWords(size int) int { return size / 8 }
