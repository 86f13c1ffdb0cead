package parquet

import (
	"fmt"
	"slices"
	"strings"
)

// element is an element of the schema of a file.
type element struct {
	parent    *element
	raw       []byte // the bytes of the element in the footer
	name      string
	leaf      bool // whether it has a physical type
	physical  int64
	length    int64 // the length of FIXED_LEN_BYTE_ARRAY
	children  int64
	repeats   int64    // whether it is required, optional or repeated
	levels    [2]int64 // the highest of repetition and of definition
	converted int64    // the older form of the logical type, -1 for none
	logical   int16    // the logical type, 0 for none
	unsigned  bool     // whether the logical type is an unsigned integer
	clock     clock    // that of a time or a timestamp
	scale     int64    // the digits of a decimal after its point
	precision int64    // the digits of a decimal, 0 if it does not say
}

// Column is a column of values, which is a leaf of the schema. [File.Column] returns one.
type Column struct {
	file      *File
	index     int
	leaf      *element
	valueType valueType
}

// path returns the elements from the root of the schema to the column's leaf.
func (c *Column) path() (path []*element) {
	for e := c.leaf; e != nil; e = e.parent {
		path = append(path, e)
	}
	slices.Reverse(path)
	return path
}

// Name returns the name of the column, as [File.Column] takes it: the names of its fields, joined
// by dots. It is computed by each call, because many columns may share a long prefix.
func (c *Column) Name() string {
	var names []string
	for _, e := range c.path()[1:] {
		names = append(names, e.name)
	}
	return strings.Join(names, ".")
}

// is reports whether the column has a name. Its time is bounded by that name and not by the
// column's own, because many columns may share a long prefix.
func (c *Column) is(name string) bool {
	for e := c.leaf; ; e = e.parent {
		rest, found := strings.CutSuffix(name, e.name)
		if !found || e.parent.parent == nil {
			return found && rest == ""
		}
		if name, found = strings.CutSuffix(rest, "."); !found {
			return false
		}
	}
}

// Type returns the name of the type of the column.
func (c *Column) Type() string { return c.valueType.String() }

func readElement(r *thriftReader) (e element) {
	before := r.b
	e.converted = convertedNone
	var name []byte
	for id, typ := range r.fields() {
		switch id {
		case 1:
			e.leaf = typ == thriftI32
			r.integer(&e.physical, thriftI32, typ)
		case 2:
			r.integer(&e.length, thriftI32, typ)
		case 3:
			r.integer(&e.repeats, thriftI32, typ)
		case 4:
			name = r.binary(typ)
		case 5:
			r.integer(&e.children, thriftI32, typ)
		case 6:
			r.integer(&e.converted, thriftI32, typ)
		case 7:
			r.integer(&e.scale, thriftI32, typ)
		case 8:
			r.integer(&e.precision, thriftI32, typ)
		case 10:
			if r.want(thriftStruct, typ) {
				e.readLogical(r)
			}
		default:
			r.skip(typ, false)
		}
	}
	if name == nil {
		r.fail("an element of the schema without a name", "one")
	}
	e.name = string(name)
	if clock, found := convertedClocks[e.converted]; found && e.logical == 0 {
		e.clock = clock
	}
	if r.err == nil {
		e.raw = before[:len(before)-len(r.b)]
	}
	return e
}

// readLogical reads the logical type of an element.
func (e *element) readLogical(r *thriftReader) {
	for id, typ := range r.fields() {
		if !r.want(thriftStruct, typ) {
			continue
		}
		if e.logical != 0 {
			r.fail("two logical types", "one")
		}
		e.logical = id
		for field, typ := range r.fields() {
			switch {
			case id == logicalDecimal && field == 1:
				r.integer(&e.scale, thriftI32, typ)
			case id == logicalDecimal && field == 2:
				r.integer(&e.precision, thriftI32, typ)
			case (id == logicalTime || id == logicalTimestamp) && field == 1:
				e.clock.utc = r.boolean(false, typ)
			case (id == logicalTime || id == logicalTimestamp) && field == 2:
				e.clock.digits = readUnit(r, typ)
			case id == logicalInteger && field == 2:
				e.unsigned = !r.boolean(true, typ)
			default:
				r.skip(typ, false)
			}
		}
	}
}

// readUnit reads a unit of time, and returns its digits of a second.
func readUnit(r *thriftReader, typ byte) (digits int) {
	if !r.want(thriftStruct, typ) {
		return 0
	}
	for id, typ := range r.fields() {
		if typ == thriftStruct && id >= 1 && id <= 3 { // milli, micro and nano
			digits = 3 * int(id)
		}
		r.skip(typ, false)
	}
	return digits
}

// The numbers in parquet.thrift of how often an element is in its parent.
const (
	required = iota
	optional
	repeated
)

// setParent sets the parent, and the levels. The root has none.
func (e *element) setParent(parent *element) {
	if parent == nil {
		return
	}
	e.parent, e.levels = parent, parent.levels
	if e.repeats == repeated {
		e.levels[0]++
	}
	if e.repeats != required {
		e.levels[1]++
	}
}

// setColumns makes the columns from the elements of the schema, which are in depth-first order.
func (f *File) setColumns(schema []element) error {
	var parent *element
	var left []int64 // the children that are still missing, of each element from the root to parent
	for i := range schema {
		e := &schema[i]
		if e.leaf == (e.children > 0) && i > 0 || e.children < 0 || len(left) > maxDepth {
			return fmt.Errorf("%w: found %s in the schema with %d children", ErrDamaged,
				shown(e.name), e.children)
		}
		if i > 0 && parent == nil || i == 0 && e.leaf {
			return fmt.Errorf("%w: found %s where the schema has no group", ErrDamaged,
				shown(e.name))
		}
		if e.repeats < required || e.repeats > repeated || e.length < 0 ||
			e.physical == physicalFixed && e.length == 0 {
			return fmt.Errorf("%w: found %s in the schema with repetition %d and length %d",
				ErrDamaged, shown(e.name), e.repeats, e.length)
		}
		e.setParent(parent)
		if !e.leaf {
			parent, left = e, append(left, e.children)
		} else {
			f.columns = append(f.columns, &Column{f, len(f.columns), e, typeOf(*e)})
			left[len(left)-1]--
		}
		for parent != nil && left[len(left)-1] == 0 {
			parent, left = parent.parent, left[:len(left)-1]
			if parent != nil {
				left[len(left)-1]--
			}
		}
	}
	if len(schema) == 0 || parent != nil {
		return fmt.Errorf("%w: the schema ends too early", ErrDamaged)
	}
	return nil
}
