package register

// Access says what may be done with a register.
type Access string

// The kinds of access.
const (
	ReadOnly  Access = "R"
	WriteOnly Access = "W" // a read is 0
	ReadWrite Access = "RW"
)

// Register is a register of 32 bits, or a row of them.
type Register struct {
	Name   string // in capitals
	Offset int    // of its first word in its window, in bytes
	Words  int
	Access Access
	Text   string // what it is
}

// Window is a part of the addresses that belongs to one module.
type Window struct {
	Name      string // in capitals
	Offset    int    // in bytes
	Module    string // of package hdl
	Text      string // what is in it
	Note      string // a sentence for the page, or none
	Registers []Register
}

// The values of the registers ID and VERSION.
const (
	IDValue      = 0x424c4d4c // "BLML"
	VersionValue = 1 << 16
)

const counters = "A counter has 48 bits, in two words. A read of the low word keeps the high one " +
	"of that moment for the next read of any high word of the window."

// WindowBytes is the size of a window.
const WindowBytes = 1 << 12

// Windows is the map. What a window has is at Window.Offset + Register.Offset. All else reads as 0,
// and its writes are refused.
var Windows = []Window{
	{"CONTROL", 0x0000, "bloomlane_control", "the engines' programming", "", []Register{
		{"ID", 0x000, 1, ReadOnly, "the letters BLML, the first in 31:24"},
		{"VERSION", 0x004, 1, ReadOnly,
			"of the map: 31:16 changes for what old programs cannot use, 15:0 for additions"},
		{"SHAPE", 0x008, 1, ReadOnly, "7:0 W; 15:8 log2 of the tables; 31:16 ports"},
		{"FORM", 0x00c, 1, ReadOnly,
			"7:0 words of the key; 8: elements of ports are stored positions"},
		{"COMMIT", 0x010, 1, WriteOnly,
			"takes what is written: bit 0 ELEMENT and OP; bit 1 PORT; bit 2 FILL_LIMIT and PLACE"},
		{"FILL_LIMIT", 0x014, 1, ReadWrite, "the most ones of a header, up to all of its bits"},
		{"PLACE", 0x018, 1, ReadWrite, "2:0 the place of the field"},
		{"OP", 0x01c, 1, ReadWrite, "1:0 the operation: query, insert, delete, pass"},
		{"PORT", 0x020, 1, WriteOnly,
			"stores ELEMENT, in the set that no header asks: 15:0 port; 23:16 table; 31 enable"},
		{"ELEMENT", 0x040, 16, ReadWrite,
			"a mask, or stored positions, the least significant word first"},
		{"KEY", 0x080, 16, WriteOnly, "the key of the table's hash; acts at once"},
	}},
	{"COUNT", 0x1000, "bloomlane_count", "counters of packets", counters, []Register{
		{"PACKETS", 0x000, 2, ReadOnly, "packets that left"},
		{"BYTES", 0x008, 2, ReadOnly, "their bytes"},
		{"SHORT", 0x010, 2, ReadOnly, "packets that ended before their field, or had none"},
		{"OVERFULL", 0x018, 2, ReadOnly, "packets with more ones than FILL_LIMIT"},
		{"ABSENT", 0x020, 2, ReadOnly, "packets without the element"},
		{"PRESENT", 0x028, 2, ReadOnly, "packets with the element, by a query or an insert"},
		{"RETAINED", 0x030, 2, ReadOnly, "packets with the element, which a delete retained"},
		{"DELETED", 0x038, 2, ReadOnly, "packets with the element, which was deleted"},
	}},
	{"PORT_COUNT", 0x2000, "bloomlane_counters", "counters of headers by port", counters,
		[]Register{
			{"PORT_HEADERS", 0x000, 1024, ReadOnly,
				"headers that named a port, at 8 times its number"},
		}},
	{"TABLE", 0x3000, "bloomlane_table_port", "load, dump and the banks of a table", "",
		[]Register{
			{"BANK", 0x000, 1, ReadWrite,
				"0: the bank that operations use; 1: inserts go into the other bank too; " +
					"2: a write of 1 empties the other bank; 3: read, operations are taken"},
			{"FLIPPED", 0x004, 1, ReadOnly, "reads of memory that found a flipped bit"},
			{"BLOCK", 0x008, 1, ReadWrite, "a block's number; bit 31: its bank; of blocks that there are"},
			{"TABLE_SHAPE", 0x00c, 1, ReadOnly, "7:0 W; 15:8 log2 of the blocks; 23:16 banks"},
			{"DATA", 0x040, 16, ReadWrite,
				"the block, W/4 words; BLOCK is the next one after the last; a write of a word " +
					"is refused if the first one was not written, or DATA was read since"},
		}},
	{"LIST", 0x4000, "bloomlane_list", "the deny list of a guard", "", []Register{
		{"LIST_KEY", 0x000, 4, WriteOnly,
			"the key's 16 bytes in order, the first in 31:24 of the first word; acts at once; a " +
				"reset forgets it, and no frame is let in until all are written"},
		{"LIST_ADDRESS", 0x010, 4, ReadWrite,
			"an address in network order; that of IPv4 is the first word"},
		{"LIST_OPERATION", 0x020, 1, ReadWrite,
			"written: does 1:0 (query, insert, delete) on the address, which is IPv6 if 2, and " +
				"answers when it is done; read: 1:0 the result; refused until the key is whole"},
		{"LIST_STATUS", 0x024, 1, ReadOnly,
			"0: the key is whole and the table is cleared"},
	}},
	{"GUARD_COUNT", 0x5000, "bloomlane_counters", "counters of a guard", counters, []Register{
		{"LISTED", 0x000, 2, ReadOnly, "frames that are dropped because their source is listed"},
		{"PASSED", 0x008, 2, ReadOnly, "frames that are neither listed nor bad"},
		{"BAD", 0x010, 2, ReadOnly, "frames that are bad, and not listed"},
		{"LOST", 0x018, 2, ReadOnly, "of the frames of PASSED, those that found no room"},
		{"YIELDED", 0x020, 2, ReadOnly,
			"frames that are dropped unseen, so that a host that waits is answered"},
	}},
}
