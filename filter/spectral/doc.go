// Package spectral is the spectral Bloom filter.
package spectral
