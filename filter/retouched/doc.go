// Package retouched is the retouched Bloom filter (Donnet, Baynat and Friedman, "Retouched Bloom Filters: Allowing
// Networked Applications to Trade Off Selected False Positives Against False Negatives", CoNEXT 2006, and its
// extended version): where some false positives hurt more than others, bits are cleared so that these troublesome
// keys are not present any more. Every member that has such a bit is lost.
package retouched
