package quantity

import "strconv"

// Of formats a number of things: "1 key", "2 keys". It is for nouns that take an s.
func Of(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Are returns the verb of a number of things: "is" or "are".
func Are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
