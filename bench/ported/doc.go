// Package ported has programs of other libraries, and the same programs with this one, for
// docs/coming-from.md: in a folder for each library the program before and after. Its test runs
// them.
package ported
