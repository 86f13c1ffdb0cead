// Package filtertest has the laws that every kind of filter keeps, for the tests of the kinds. The
// laws go by what a kind promises, and by the interfaces that its filters have:
//
//	func TestLaws(t *testing.T) { filtertest.Run(t, Kind) }
//
// A law asks for what package filter says, not for more: statuses, counts, errors and the rate are
// those of the contract, whatever the kind makes of its table.
package filtertest
