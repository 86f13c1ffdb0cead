// Package table loads, dumps and rebuilds the table of package hdl, bloomlane_table, from a host:
// a [Device] reaches its registers through a [register.Bus], such as a mapped PCI resource.
//
// The blocks are those of package kernel: a table that kernel made of the hashes of the same fields
// under the same key is the table that the hardware would have made, bit by bit. The keys are of
// [github.com/bloomlane/bloomlane/hdl/toeplitz], or with HASH = 1 and in bloomlane_guard of
// key.SipHash13 of package filter/key, which is not its default. Package inpacket writes the key of
// bloomlane_table, with
// [github.com/bloomlane/bloomlane/inpacket.Device.SetKey]. That of bloomlane_guard is written to
// [register.ListKey], after the blocks.
package table
