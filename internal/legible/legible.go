// Package legible makes texts that others choose, such as names of files, keys and what a damaged
// file says, fit for messages: of a bounded length, and without characters that control a terminal.
package legible

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const ellipsis = "…"

// Cut returns a text of at most most bytes: the text itself, or its start and its end with "…"
// between. most is at least 8. A character is not cut.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	room := most - len(ellipsis)
	start, end := room-room/2, len(text)-room/2
	for back := 0; back < utf8.UTFMax-1 && !utf8.RuneStart(text[start]); back++ {
		start--
	}
	for on := 0; on < utf8.UTFMax-1 && end < len(text) && !utf8.RuneStart(text[end]); on++ {
		end++
	}
	return text[:start] + ellipsis + text[end:]
}

// letters are the escapes of C for control characters.
var letters = map[rune]string{'\a': `\a`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`,
	'\t': `\t`, '\v': `\v`}

// Escape returns a text without control characters, invisible ones and bytes that are not UTF-8.
// They become escapes of C, as "ls -b" prints them: \n, or \033 for each byte. A backslash stays
// one.
func Escape(text string) string { return escape(text, "") }

// EscapeLines is Escape for a text whose line feeds and tabs stay.
func EscapeLines(text string) string { return escape(text, "\n\t") }

func escape(text, but string) string {
	var escaped strings.Builder
	plain := 0 // the start of what is not copied yet
	for i, r := range text {
		invalid := r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError))
		if !invalid && (unicode.IsGraphic(r) || strings.ContainsRune(but, r)) {
			continue
		}
		size := 1
		if !invalid {
			size = utf8.RuneLen(r)
		}
		escaped.WriteString(text[plain:i])
		plain = i + size
		if letter, found := letters[r]; found {
			escaped.WriteString(letter)
			continue
		}
		for _, b := range []byte(text[i:plain]) {
			fmt.Fprintf(&escaped, `\%03o`, b)
		}
	}
	if plain == 0 {
		return text
	}
	return escaped.String() + text[plain:]
}

// EscapeJSON returns JSON without control characters and invisible ones, which encoding/json leaves
// from U+007F on: they become \u and their number.
func EscapeJSON(text []byte) []byte {
	harmful := func(r rune) bool { return r >= 0x7f && !unicode.IsGraphic(r) }
	if !bytes.ContainsFunc(text, harmful) {
		return text
	}
	var escaped []byte
	for _, r := range string(text) {
		if !harmful(r) {
			escaped = utf8.AppendRune(escaped, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			escaped = fmt.Appendf(escaped, `\u%04x`, unit)
		}
	}
	return escaped
}
