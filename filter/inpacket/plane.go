package inpacket

import (
	"fmt"
	"math"

	"github.com/bloomlane/bloomlane/fallback"
	"github.com/bloomlane/bloomlane/filter/key"
)

// MaxTables is the largest number of tables: a header has a byte for the number of its own.
const MaxTables = 256

// DefaultTables is the number of tables where a [Config] leaves it open: LIPSIN's d.
const DefaultTables = 8

// Config says what a control plane is for.
type Config struct {
	// Key is the hash key; the zero Key means a new random one. Nodes that make their elements
	// themselves need the same.
	Key key.Key

	// Tables is d, the number of tables and so of candidates for every header, 1 to [MaxTables];
	// 0 means [DefaultTables].
	Tables int

	// FillLimit is the largest number of bits, of all lanes, that a header may have set; 0 means
	// all of them. Nodes are programmed with the same limit, which headers of unknown senders must
	// keep too.
	FillLimit int

	// Deletable asks for headers from which every element can be deleted: none will be retained
	// because all its bits are shared with others.
	Deletable bool

	// Plain asks for LIPSIN's zFilters, which have no collision lane and no deletion.
	Plain bool
}

// Plane is a control plane: it knows identifiers, and makes headers of them. Any number of
// goroutines may use one that nobody adds identifiers to.
type Plane[B Block] struct {
	config Config
	known  map[string]int // the place of an identifier in each table
	tables [][]B          // a mask for every known identifier
}

// New returns a control plane that knows no identifiers. Its error is a *[ConfigError].
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
	if config.Key.IsZero() {
		config.Key = key.New()
	}
	p := &Plane[B]{config: config, known: make(map[string]int), tables: make([][]B, config.Tables)}
	return p, nil
}

// Key returns the hash key.
func (p *Plane[B]) Key() key.Key { return p.config.Key }

// Tables returns d, the number of tables.
func (p *Plane[B]) Tables() int { return p.config.Tables }

// FillLimit returns the fill limit, which the nodes' is the same as.
func (p *Plane[B]) FillLimit() int { return p.config.FillLimit }

// Known returns the number of identifiers that were added.
func (p *Plane[B]) Known() int { return len(p.known) }

// Add makes identifiers known: they can be elements of a header, and are asked for false matches.
// Those that are known already stay so.
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

// Hash returns the hash of an identifier in a table, which positions and mask are made from. It
// panics where there is no such table.
func (p *Plane[B]) Hash(identifier []byte, table int) uint64 {
	if table < 0 || table >= p.config.Tables {
		panic(fmt.Sprintf("inpacket: table %d of %d", table, p.config.Tables))
	}
	var buffer [64]byte
	return p.config.Key.Hash(append(append(buffer[:0], byte(table)), identifier...))
}

// Element returns an identifier as the nodes hold it. It need not be known.
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

// plainBits is the number of bits of an element of a plain header, LIPSIN's k.
const plainBits = 5

// plainMask returns the mask of a hash in a plain header: its bits are at positions of eight bits,
// taken from the top of fallback.Spread(h) downwards, and bit n is bit n%32 of lane n/32. Two of
// them coincide in one mask of 26.
func plainMask[B Block](h uint64) (mask B) {
	g := fallback.Spread(h)
	for i := range plainBits {
		at := g >> (56 - 8*i) & 255
		setLane(&mask, int(at/32), lane(&mask, int(at/32))|1<<(at%32))
	}
	return mask
}

// FalseMatchRate returns the probability that an identifier matches a header of n other elements by
// accident. Given n, a lane of W bits has a given bit set with probability 1-(1-1/W)^n, and the
// seven data lanes are independent of each other, as are an identifier's positions in them; so the
// rate is the seventh power of that, and exact. It is the letter's equation 2 for one block.
func FalseMatchRate[B Block](n int) float64 {
	set := -math.Expm1(float64(n) * math.Log1p(-1/float64(laneBits[B]())))
	return math.Pow(set, fallback.K)
}
