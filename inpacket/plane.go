package inpacket

import (
	"fmt"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/internal/elementary"
)

// MaxTables is the largest number of tables. A header has one byte for the number of its table.
const MaxTables = 256

// DefaultTables is the number of tables if a [Config] has 0. It is LIPSIN's d.
const DefaultTables = 8

// Config has the settings of a control plane. The zero Config is valid.
type Config struct {
	// Key is the hash key. The zero Key stands for a new random key. Nodes that compute their own
	// elements need the same key.
	Key key.Key

	// Tables is the number of tables, and so of candidates for every header, from 1 to [MaxTables].
	// 0 stands for [DefaultTables].
	Tables int

	// FillLimit is the largest number of set bits of a header, in all lanes. 0 stands for all bits.
	// Program the nodes with the same limit, so that they reject fuller headers of unknown senders.
	FillLimit int

	// Deletable says that every element of a header must be deletable: no element may share all its
	// bits with others.
	Deletable bool

	// Plain makes LIPSIN's zFilters, which have no collision lane and no deletes. They need 256
	// bits.
	Plain bool
}

// Plane is a control plane: it knows identifiers, and makes headers from them. Make one with [New].
// Any number of goroutines may use it at the same time, except that Add needs it for itself.
type Plane[B Block] struct {
	config Config
	known  map[string]int // the place of an identifier in each table
	tables [][]B          // by table, a mask per known identifier
}

// New returns a control plane without identifiers, for headers of 256 or 512 bits. The error is a
// *[ConfigError].
func New[B Block](config Config) (*Plane[B], error) {
	all := fallback.Lanes * laneBits[B]()
	if config.Tables == 0 {
		config.Tables = DefaultTables
	}
	if config.FillLimit == 0 {
		config.FillLimit = all
	}
	switch {
	case config.Tables < 1 || config.Tables > MaxTables:
		return nil,
			&ConfigError{"Tables", config.Tables, fmt.Sprintf("1 to %d, or 0 for %d", MaxTables,
				DefaultTables)}
	case config.FillLimit < 1 || config.FillLimit > all:
		return nil,
			&ConfigError{"FillLimit", config.FillLimit, fmt.Sprintf("1 to %d, or 0 for all", all)}
	case config.Plain && all != 256:
		return nil, &ConfigError{"Plain", true, "false: a plain header has 256 bits"}
	case config.Plain && config.Deletable:
		return nil, &ConfigError{"Deletable", true, "false: nothing is deleted from a plain header"}
	}
	switch {
	case config.Key.IsUnknown():
		return nil, &ConfigError{"Key", config.Key, "a key, or none for a random one"}
	case config.Key.IsZero():
		config.Key = key.New()
	}
	if a := config.Key.Algorithm(); !a.MayBeSeen() {
		return nil, &ConfigError{"Key", a, "AES-PMAC: packets show parts of hashes"}
	}
	p := &Plane[B]{config: config, known: make(map[string]int), tables: make([][]B, config.Tables)}
	return p, nil
}

// Key returns the hash key of the control plane.
func (p *Plane[B]) Key() key.Key { return p.config.Key }

// Tables returns the number of tables.
func (p *Plane[B]) Tables() int { return p.config.Tables }

// FillLimit returns the fill limit, for programming the nodes.
func (p *Plane[B]) FillLimit() int { return p.config.FillLimit }

// Add adds identifiers. Afterwards they can be elements of a header, and Encode checks them for
// false matches. It skips identifiers that were added before. It keeps no reference to the slices.
func (p *Plane[B]) Add(identifiers ...[]byte) {
	for _, identifier := range identifiers {
		if _, ok := p.known[string(identifier)]; ok {
			continue
		}
		p.known[string(identifier)] = len(p.known)
		for table := range p.tables {
			p.tables[table] = append(p.tables[table], p.mask(p.Hash(identifier, table)))
		}
	}
}

// Hash returns the hash of an identifier in a table, from which its positions and its mask are
// made. It panics unless table is from 0 to Tables() - 1.
func (p *Plane[B]) Hash(identifier []byte, table int) uint64 {
	if table < 0 || table >= p.config.Tables {
		panic(fmt.Sprintf("inpacket: Hash: table %d of %d tables", table, p.config.Tables))
	}
	var buffer [64]byte
	return p.config.Key.Hash(append(append(buffer[:0], byte(table)), identifier...))
}

// Element returns the bits of an identifier in all tables, for the nodes. The identifier need not
// have been added.
func (p *Plane[B]) Element(identifier []byte) Element[B] {
	e := Element[B]{Masks: make([]B, p.config.Tables)}
	if !p.config.Plain {
		e.Positions = make([]uint64, p.config.Tables)
	}
	for table := range e.Masks {
		h := p.Hash(identifier, table)
		e.Masks[table] = p.mask(h)
		if !p.config.Plain {
			e.Positions[table] = positionsOf[B](h)
		}
	}
	return e
}

// mask returns the mask of a hash.
func (p *Plane[B]) mask(h uint64) B {
	if p.config.Plain {
		return plainMask[B](h)
	}
	return maskOf[B](h)
}

// plainBits is the number of bits per element of a plain header, LIPSIN's k.
const plainBits = 5

// plainMask returns the mask of a hash in a plain header. Its positions have eight bits each, from
// the top of fallback.Spread(h) downwards, and bit n of the header is bit n%32 of lane n/32. In one
// mask of 26 two of the bits are the same.
func plainMask[B Block](h uint64) (mask B) {
	g := fallback.Spread(h)
	for i := range plainBits {
		at := g >> (56 - 8*i) & 255
		setLane(&mask, int(at/32), lane(&mask, int(at/32))|1<<(at%32))
	}
	return mask
}

// FalseMatchRate returns the probability, from 0 to 1, that an identifier matches a header of n
// other elements by accident. It holds for headers that are not plain and that were not chosen
// among candidates. It is exact: docs/theory/inpacket.md has the formula.
func FalseMatchRate[B Block](n int) float64 {
	set := -elementary.Expm1(float64(n) * elementary.Log1p(-1/float64(laneBits[B]())))
	return elementary.Pow(set, fallback.K)
}
