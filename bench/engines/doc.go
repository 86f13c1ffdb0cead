// Package engines is no API: its tests hold interop/parquet, and the commands import and prune,
// against parquet-go, arrow-go and DuckDB. It is a module of its own, so that nobody else gets
// arrow-go.
package engines
