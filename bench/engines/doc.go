// Package engines is no API: its tests hold interop/parquet, and the commands import and prune,
// against parquet-go, arrow-go and DuckDB. They are in the module bench, so that
// nobody else gets arrow-go.
package engines
