package parquet

import (
	"errors"
	"fmt"
	"slices"
)

// ErrReader says that an engine would miss rows by a filter, because it queries other bytes than
// those that the format hashes.
var ErrReader = errors.New("parquet: a filter by which an engine would miss rows")

// duckDBDigits is the precision of the widest decimal of DuckDB.
const duckDBDigits = 38

// missed returns an error that wraps [ErrReader] if DuckDB 1.5.5 would not find the value v of the
// column by a filter that has its hash. Tests with DuckDB are in bench/engines.
func (c *Column) missed(v []byte) error {
	e := c.leaf
	blob := e.converted == convertedNone && !slices.Contains([]int16{logicalFloat16, logicalUUID,
		logicalGeometry, logicalGeography}, e.logical)
	reason := ""
	switch {
	case e.physical != physicalBytes && e.physical != physicalFixed:
	case e.logical == logicalFloat16:
		reason = "reads it as FLOAT and queries the hash of 4 bytes, and the filter has that of 2"
	case e.converted == convertedDecimal && e.precision > duckDBDigits:
		reason = fmt.Sprintf("reads its %d digits as DOUBLE and queries the hash of that",
			e.precision)
	case blob:
		if i := slices.IndexFunc(v, escapedByDuckDB); i >= 0 {
			const text = `reads it as BLOB and queries its text, which has \x%02X for a byte of it`
			reason = fmt.Sprintf(text, v[i])
		}
	}
	if reason == "" {
		return nil
	}
	const text = "%w: column %s is %s: DuckDB %s"
	return fmt.Errorf(text, ErrReader, shown(c.Name()), e.typeName(), reason)
}

// escapedByDuckDB reports whether a byte is not itself in DuckDB's text of a BLOB.
func escapedByDuckDB(b byte) bool {
	return b < ' ' || b > '~' || b == '\\' || b == '\'' || b == '"'
}
