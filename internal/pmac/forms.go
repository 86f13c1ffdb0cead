package pmac

import (
	"slices"

	"github.com/bloomlane/bloomlane/internal/dispatch"
)

// Form is one implementation of the hash.
type Form uint8

const (
	portable Form = iota
	aesForm
	vaes256
	vaes512
)

var formNames = [...]string{"crypto/aes", "aes", "vaes256", "vaes512"}

// String returns the name of the form.
func (f Form) String() string { return formNames[f] }

// Forms returns what this program can run on this CPU, the best first and crypto/aes last.
func Forms() []Form { return slices.Clone(available) }

var (
	available = append(detect(), portable)
	active    = choose()
)

// Active returns the form that hashes. It is crypto/aes where package kernel was told to run
// portable Go.
func Active() Form { return active }

func choose() Form {
	if name, _ := dispatch.Named(); name == formPortable {
		return portable
	}
	return available[0]
}

// formPortable is the name of portable Go in the variable of package dispatch.
const formPortable = "purego"
