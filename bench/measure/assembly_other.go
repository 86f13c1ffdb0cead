//go:build !(amd64 || arm64) || purego

package measure

// assembly is empty: there are neither floors nor assembly for this CPU, or the tag purego leaves
// them out.
func assembly() []instructionSet { return nil }
