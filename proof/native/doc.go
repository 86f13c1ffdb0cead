// Package native is for the tests of proof: it runs one instruction of amd64 on the CPU, between a
// state before and a state after it.
package native
