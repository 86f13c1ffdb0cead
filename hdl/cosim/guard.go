package cosim

import _ "embed"

// GuardProbe is the source of the top guard_probe: a guard, and a queue of requests that access its
// registers one after another.
//
//go:embed guard_probe.v
var GuardProbe string
