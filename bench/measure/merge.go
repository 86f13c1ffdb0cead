package measure

import (
	"errors"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/internal/dispatch"
	"github.com/bloomlane/bloomlane/internal/workload"
)

// mergeBytes is a slice of a merge; smaller tables are merged as often as that takes.
const mergeBytes = 256 << 10

// maxMergeBytes is the size of the largest tables that are merged: a merge takes two.
const maxMergeBytes = 1 << 30

// merges measures the merge of a table into another.
func (s Settings) merges(r *result.Run, width int, size int64, pages string) error {
	dst, release, err := newTable(width, size, pages)
	if err != nil {
		return err
	}
	src, releaseToo, err := newTable(width, size, pages)
	if err != nil {
		return errors.Join(err, release())
	}
	for _, g := range merges(width, pages, dst, src) {
		s.time(r, g)
	}
	return errors.Join(release(), releaseToo())
}

// merges fills tables with random blocks and returns the groups of merging them: every
// implementation beside dst |= src, which is the floor; and a copy by Go's runtime, which moves the
// same memory less the read of dst.
func merges(width int, pages string, dst, src table) (all []group) {
	hash := make([]uint64, 1)
	for which, table := range []table{dst, src} {
		add := table.methods()[insert]
		for i := range table.nblocks() {
			hash[0] = workload.Mix(uint64(i)<<1 | uint64(which))
			add(hash)
		}
	}
	part := min(mergeBytes, dst.bytes()) // that are merged at once
	blocks, repeats := int(part*int64(dst.nblocks())/dst.bytes()), int(mergeBytes/part)
	parts := make([]uint64, dst.bytes()/part) // their numbers are the keys
	for i := range parts {
		parts[i] = uint64(i)
	}
	add := func(operation string, subjects ...subject) {
		all = append(all, group{
			Conditions: result.Conditions{
				Form: result.FormBatch, BlockBits: width, Pages: pages, Bytes: dst.bytes(),
				Cores: 1, Unit: "block",
			},
			phases: []phase{{operation: operation, keys: parts}}, subjects: subjects,
			slice: 1, turn: 1, units: blocks * repeats,
		})
	}
	subjectOf := func(
		operation string,
		kind result.Kind,
		name string,
		run func(dst, src table),
	) subject {
		var to, from table // made before the time begins
		return subject{
			kind: kind, name: name,
			warm: func(number []uint64) {
				at := int(number[0]) * blocks
				to, from = dst.part(at, at+blocks), src.part(at, at+blocks)
				if 2*dst.bytes() <= warmBytes {
					run(to, from)
				}
			},
			do: operations{operation: func([]uint64) int {
				for range repeats {
					run(to, from)
				}
				return 0
			}},
		}
	}
	var subjects []subject
	for _, set := range assembly() {
		subjects = append(subjects, subjectOf("merge", result.Floor, set.name, dst.or(&set)))
	}
	for _, im := range dispatch.Implementations() {
		subjects = append(subjects, subjectOf("merge", result.Implementation, im.String(),
			dst.merge(im)))
	}
	add("merge", subjects...)
	move := func(dst, src table) { copy(dst.memory(), src.memory()) }
	add("copy", subjectOf("copy", result.Floor, "copy", move))
	return all
}
