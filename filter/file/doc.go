// Package file is the container that filters of every kind are kept in, version 3: a header with
// the kind, what was asked for, the counters and a checksum of each piece, and then the sections,
// which are words of 64 bits.
//
// # Layout
//
// Every number is little-endian. A file is
//
//	offset  bytes
//	     0      8  the magic bytes 89 "BLM" 0d 0a 1a 0a
//	     8      4  the version, 3: it fixes all that follows
//	    12      4  H, the bytes of the header, a multiple of 4096 up to 2^30
//	    16      8  the bytes of the file
//	    24      8  the fingerprint of the hash key, 0 where there is none; the key itself is not in the file
//	    32     16  the kind, a name of a-z, 0-9 and -, and zeros
//	    48      8  the promises of the kind, a bit each
//	    56      4  A, the number of attributes, up to 64
//	    60      4  S, the number of sections, up to 256
//	    64   A*24  the attributes: a name of 16 bytes as above, and a value of 8; their names ascend
//	    ..   S*32  the sections: a name of 16 bytes, a number of words of 8, and the offset of the first of 8;
//	               no two have one name
//	    ..   P*4   the CRC-32C of each piece of each section, in their order
//	    ..         zeros
//	   H-4      4  the CRC-32C of all the header before
//
// and the sections' words, each section at the next multiple of 4096 bytes, with zeros between. A
// piece is 1 MiB of a section, or what is left at its end. So a section is mapped as it is, a piece
// is checked by itself, and a piece of another file is found out, because the header has this
// file's checksums.
//
// As in PNG the magic bytes are no text, and break when a transfer converts line ends. What is not
// said is an error: names out of order, anything but zeros in between, bytes behind the end, an H
// that is larger than it has to be. A float64 is its IEEE 754 bits.
package file
