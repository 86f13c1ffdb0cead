// Package file reads and writes the files of filters of every kind. A file has a header with the
// kind, its promises, settings, counters and checksums, and then the table as sections of 64-bit
// words. Use it to write a new kind of filter, or to look into a file without knowing its kind. To
// open a filter, use Open of the package of its kind, or of filter/kinds.
//
//	c, err := file.Open(path, file.VerifyLater) // maps the file: a large one opens at once
//	members, err := c.Int("members", 1, math.MaxInt)
//	blocks, err := c.WordsOf("blocks", 8, maxBlocks) // 8 words per block
//	err = c.Verify()                            // reads the whole file
//
// docs/format.md defines the layout byte by byte, for readers in other languages. There is one file
// for each [Contents], bit for bit.
//
// # Errors and damage
//
// Every error is an *[Error] that wraps one of the errors below, such as [ErrChecksum], or an error
// of the file system. [Read] and [Load] check every byte. [Open] checks the header, and the
// sections now, later or never, as [Verify] says. No reader trusts the numbers in a file: [Read]
// allocates at most twice the bytes that it gets and 1 MiB, whatever the header claims.
//
// # Memory and goroutines
//
// [Open] maps a file into memory, so it must not be written in place or cut while it is open. Save
// replaces a file whole, by a rename, and does not affect those who have the old one open. The
// words of the sections live as long as their [Contents] are reachable. [Load] and [Read] copy a
// file into memory.
//
// Any number of goroutines may read the same Contents at the same time. Set, SetFloat, KeepAlive
// and Verify need the Contents for themselves.
package file
