package planning

import (
	"fmt"

	"github.com/bloomlane/bloomlane/internal/legible"
)

// InputError says that a field or an argument has a value that no table or lifetime can have.
type InputError struct {
	Field    string // the name of the field, or of the argument
	Found    any    // its value
	Expected string // what it may be, in words
}

// Error names the field, what was found and what was expected. A long text that was found is cut in
// its middle.
func (e *InputError) Error() string {
	const most = 100
	return fmt.Sprintf("planning: %s is %v, expected %s", e.Field,
		legible.Cut(fmt.Sprint(e.Found), most), e.Expected)
}
