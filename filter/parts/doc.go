// Package parts builds a deletable filter that is larger than the memory of who builds it, or whose
// keys come to many programs: in parts, each the blocks of an interval of hashes. Package
// interop/beam does it on a cluster.
//
// The block of a hash grows with the hash, so a [Layout] tells from a hash alone which part has it.
// Whoever reads keys groups their hashes by part in packs of up to [PackBytes], with a [Packer];
// whoever has the packs of a part inserts them and writes the part to a file; and [Join] makes one
// filter of all files. A layout of one part is the other way to build: every program inserts what
// it reads into a table of its own, and the tables merge.
//
// # The filter is that of one process
//
// However the keys are spread, in whatever order, the filter equals bit for bit the one that a
// single process makes by inserting each key once for each time that it comes. A table depends only
// on how often each hash was inserted: a data bit is set where an insert sets it, and a region is
// collided where two inserts set one of its bits. A merge keeps that: its collisions are those of
// either table and those between the two.
//
// So a key that comes twice counts as two members, in one program or in two. It collides with
// itself in all regions, and can never be deleted: see the contract of package deletable. Where
// keys come more than once and are to be deleted later, make them distinct first.
package parts
