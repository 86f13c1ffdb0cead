// Package filtertest has the laws that every kind of filter keeps, for the tests of the kinds.
package filtertest
