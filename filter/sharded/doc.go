// Package sharded shares a deletable filter among goroutines.
package sharded
