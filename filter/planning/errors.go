package planning

import "fmt"

// InputError is the error of a field or an argument that no table or lifetime can have.
type InputError struct {
	Field    string
	Found    any
	Expected string
}

func (e *InputError) Error() string {
	return fmt.Sprintf("planning: %s is %v, expected %s", e.Field, e.Found, e.Expected)
}
