// Command vet runs the analyzers of go vet on packages that it reads as source.
//
// Go vet compiles whatever a package imports. For another system or architecture, and for a module
// with a large SDK, that takes minutes. Reading takes seconds, and finds what does not compile.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
