package parquet

import (
	"fmt"
	"slices"
	"strings"
)

// element is an element of the schema.
type element struct {
	raw       []byte // its bytes in the footer
	name      string
	leaf      bool // it has a physical type
	physical  int64
	length    int64 // of FIXED_LEN_BYTE_ARRAY
	children  int64
	converted int64 // the older name of the logical type, -1 for none
	logical   int16 // which logical type, 0 for none
	unsigned  bool  // of the logical type integer
}

// Column is a column of values, which is a leaf of the schema.
type Column struct {
	file   *File
	index  int
	name   string
	path   []element // from the root to the leaf
	of     valueType
	length int // of FIXED_LEN_BYTE_ARRAY
}

// Name returns the column's name, as [File.Column] takes it.
func (c *Column) Name() string { return c.name }

// Type returns the name of the column's type.
func (c *Column) Type() string { return c.of.String() }

func readElement(r *thriftReader) (e element) {
	before := r.b
	e.converted = -1
	for id, typ := range r.fields() {
		switch id {
		case 1:
			e.leaf, e.physical = true, r.integer(typ)
		case 2:
			e.length = r.integer(typ)
		case 4:
			e.name = string(r.binary(typ))
		case 5:
			e.children = r.integer(typ)
		case 6:
			e.converted = r.integer(typ)
		case 10:
			if !r.want(thriftStruct, typ) {
				break
			}
			for id, typ := range r.fields() {
				e.logical = id
				if id != logicalInteger || !r.want(thriftStruct, typ) {
					r.skip(typ, false)
					continue
				}
				for id, typ := range r.fields() {
					e.unsigned = e.unsigned || id == 2 && typ == thriftFalse
					r.skip(typ, false)
				}
			}
		default:
			r.skip(typ, false)
		}
	}
	if r.err == nil {
		e.raw = before[:len(before)-len(r.b)]
	}
	return e
}

// setColumns makes the columns of the schema, whose elements come depth first.
func (f *File) setColumns(schema []element) error {
	var path []element
	var left []int64 // children that are still to come, of each element of path
	for i, e := range schema {
		if e.leaf == (e.children > 0) && i > 0 || e.children < 0 || len(path) > maxDepth {
			return fmt.Errorf("%w: found %q in the schema with %d children", ErrDamaged, e.name, e.children)
		}
		if i > 0 && len(path) == 0 {
			return fmt.Errorf("%w: found %q behind the end of the schema", ErrDamaged, e.name)
		}
		if !e.leaf {
			path, left = append(path, e), append(left, e.children)
		} else {
			f.columns = append(f.columns, newColumn(f, append(slices.Clone(path), e)))
		}
		if e.leaf || e.children == 0 { // the root of a schema of no columns
			left[len(left)-1]--
		}
		for len(left) > 0 && left[len(left)-1] <= 0 {
			path, left = path[:len(path)-1], left[:len(left)-1]
			if len(left) > 0 {
				left[len(left)-1]--
			}
		}
	}
	if len(schema) == 0 || len(path) > 0 {
		return fmt.Errorf("%w: the schema has an end that comes early", ErrDamaged)
	}
	return nil
}

func newColumn(f *File, path []element) *Column {
	var names []string
	for _, e := range path[1:] {
		names = append(names, e.name)
	}
	leaf := path[len(path)-1]
	return &Column{f, len(f.columns), strings.Join(names, "."), path, typeOf(leaf), int(leaf.length)}
}
