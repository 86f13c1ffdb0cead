package main

import "github.com/bloomlane/bloomlane/fallback"

// Delete's status is computed as a sum, so the generator depends on these values.
var _ = [1]struct{}{}[fallback.Absent|(fallback.Retained-1)|(fallback.Deleted-2)]

// remove is delete: it clears the bits of a present key whose region is not collided, and does
// nothing for an absent key. Under the contract of deletion every key is present, so the branch is
// predicted: docs/measurements/avogen.md has the times with and without it.
//
// The status is 0 for absent, plus 1 for present, plus 1 for a bit that was cleared. For a present
// key the last term is added to count.
func remove(m machine, k key, count word) (status word) {
	status = m.Zero()
	block, key := m.Load(k.block), k.mask(m)
	m.IfPresent(block, key, func() {
		left, freed := m.ClearFree(block, key)
		m.Store(k.block, left)
		m.AddFreed(freed, count, status)
		m.AddConst(status, 1)
	})
	return status
}

func removeBatch(m machine) {
	b := newBatch(m)
	out, count := m.Arg("status"), m.Zero()
	b.walk(b.n, func(h word) {
		status := remove(m, newKey(m, h), count)
		m.If(out, func() {
			m.StoreByte(m.At(out, 0), status)
			m.AddConst(out, 1)
		})
	})
	m.Return(count)
}

func init() {
	asmFolder.describe("delete", []operation{{
		contract: contract{
			name:  "DeleteBatch",
			takes: takesBatch.append(parameter{"status", goUint8.pointer()}),
			gives: goInt,
			doc: `deletes the hashes one after another. status[i] becomes 0 if hashes[i] was
absent, 1 if every bit of it was retained, and 2 if it was deleted. It returns the number
deleted.

status has n bytes, or is nil if only the count is wanted. It must not overlap hashes.`,
		},
		emit:   removeBatch,
		shapes: formats,
		method: `deletes the hashes, which must be members, and returns how many have the status
Deleted. status[i] becomes the status of hashes[i]. status may be nil; otherwise it has at least
one element per hash.`,
		phases: []string{phaseAddress, phasePrefetch, phaseMask, phaseTest, phaseFree, phaseStore},
		form:   keys(outStatus),
	}, {
		contract: contract{
			name:  "Delete",
			takes: takesOne,
			gives: goUint8,
			doc: `deletes the hash h and returns 0 if it was absent, 1 if every bit of it was
retained, and 2 if it was deleted.`,
		},
		emit: func(m machine) {
			m.Return(remove(m, single(m), m.Zero()))
		},
		shapes: formats,
		method: `deletes the hash h, which must be a member: the package comment has the contract
of deletion. If h is not present, the status is Absent and nothing changes.`,
		phases: []string{phaseAddress, phaseMask, phaseTest, phaseFree, phaseStore},
		form:   oneKey(goUint8),
	}})
}
