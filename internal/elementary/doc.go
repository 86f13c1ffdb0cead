// Package elementary has functions of numbers that have the same bits on every CPU. Those of
// package math differ in their last bit: some have assembly for one CPU, and the compiler fuses
// the products and sums of others on arm64, s390x, ppc64 and riscv64.
//
// What decides the size of a filter, or goes into its file, is computed by these functions, and by
// additions of products that are rounded first: float64(x*y) + z. A conversion forbids to fuse. The
// tests of internal/architecture find what could be fused. Of package math, Sqrt, FMA and the
// functions that round or take a number apart are exact, so they are the same everywhere.
//
// Results are within two units of the last place, those of Log2 within three, and those of Pow and
// LogFactorial within a relative error of 1e-12 and 2e-15. NaN stays NaN.
package elementary
