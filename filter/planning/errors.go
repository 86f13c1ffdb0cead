package planning

import "fmt"

// InputError says that a field or an argument has a value that no table or lifetime can have.
type InputError struct {
	Field    string // the name of the field, or of the argument
	Found    any    // its value
	Expected string // what it may be, in words
}

// Error names the field, what was found and what was expected.
func (e *InputError) Error() string {
	return fmt.Sprintf("planning: %s is %v, expected %s", e.Field, e.Found, e.Expected)
}
