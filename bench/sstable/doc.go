// Package sstable is no API: it has the filters of docs/recipes/pebble.md, one for each sorted
// table of a storage engine, and compares them with those of Pebble. "make pebble-times" records
// the times of the page.
//
// Only with the build tag pebble, as in "make pebble", is it built with the whole engine, which
// takes a minute.
package sstable
