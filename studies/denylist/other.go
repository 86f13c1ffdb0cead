//go:build !linux

package denylist

import "errors"

func (r *found) measure(func()) error {
	return errors.New("found another system, expected Linux, whose packet path this is about")
}
