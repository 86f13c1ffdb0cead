// Package parts builds a deletable filter in parts, each from the keys of an interval of hashes.
// Use it if the filter is larger than the memory of one program, or if its keys are read by many
// programs. Package interop/beam uses it to build filters on a cluster.
//
//	layout := parts.Layout{Blocks: blocks, PartBlocks: 1 << 14}
//	packer := parts.NewPacker(layout)                // in each program that reads keys
//	part, pack := packer.Add(hash)                   // send a full pack to the builder of its part
//	p := parts.New(layout.Range(part), k.Identity()) // in the builder of a part
//	err := p.InsertPack(pack)
//	f, err := parts.Join(config, all)                 // from all parts
//
// The block of a hash grows with the hash, so a [Layout] tells from a hash which part it belongs
// to. A [Packer] groups hashes by part in packs of up to [PackBytes]. A [Part] takes inserts and
// can be written to a file. [Join] makes one filter from all parts. With a layout of one part,
// every program can also insert its own keys into a Part of the whole table, and the Parts merge.
//
// # The same filter as from one program
//
// The filter is bit for bit the one that a single program makes by inserting the same keys, for any
// distribution of the keys over programs and any order. A table depends only on how often each hash
// was inserted: a data bit is set if an insert set it, and a region is collided if two inserts set
// one of its bits. A merge keeps that: its collisions are those of either table, and those between
// the two.
//
// So a key that is inserted twice counts as two members, in one program or in two. It collides with
// itself in all regions, and a delete of it is Retained: see the contract of package deletable. If
// keys occur more than once and will be deleted later, remove the duplicates first.
//
// A Layout may be used by many goroutines. A Packer and a Part may be used by one goroutine at a
// time.
package parts
