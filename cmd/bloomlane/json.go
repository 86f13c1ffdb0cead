package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"io"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// wantsJSON reports whether the command was called with --json.
func wantsJSON(cmd *cobra.Command) bool {
	wants, err := cmd.Flags().GetBool("json")
	return err == nil && wants
}

// writeJSON writes a result as one JSON object and a newline, indented for people.
func writeJSON(w io.Writer, result any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(result)
}

// keyAnswer is the answer for one key. JSON strings are Unicode, so that a key that is not valid
// UTF-8 comes in hex instead.
type keyAnswer struct {
	Key    *string `json:"key,omitempty"`
	KeyHex string  `json:"key_hex,omitempty"`
	Answer string  `json:"answer"`
}

// answers writes answers, one for each key: a line "answer TAB key", or an element of the array
// "keys" of a JSON object. Keys in lines are the bytes that came in.
type answers struct {
	w    *bufio.Writer
	json bool
	keys int // written so far
}

func newAnswers(cmd *cobra.Command) *answers {
	return &answers{w: bufio.NewWriter(cmd.OutOrStdout()), json: wantsJSON(cmd)}
}

// add writes the answer for a key. An error of the writer is kept for finish.
func (a *answers) add(key []byte, answer string) {
	if !a.json {
		a.w.WriteString(answer)
		a.w.WriteByte('\t')
		a.w.Write(key)
		a.w.WriteByte('\n')
		return
	}
	if a.keys == 0 {
		a.w.WriteString(`{"keys":[`)
	} else {
		a.w.WriteByte(',')
	}
	a.keys++
	record := keyAnswer{Answer: answer}
	if text := string(key); utf8.ValidString(text) {
		record.Key = &text
	} else {
		record.KeyHex = hex.EncodeToString(key)
	}
	encoded, _ := json.Marshal(record) // strings cannot fail
	a.w.WriteString("\n  ")
	a.w.Write(encoded)
}

// flush makes the answers so far visible, for who waits for them at the other end of a pipe.
func (a *answers) flush() error { return a.w.Flush() }

// finish ends the answers, and with --json adds a summary, a struct of the object's other fields.
func (a *answers) finish(summary any) error {
	if a.json {
		if a.keys == 0 {
			a.w.WriteString(`{"keys":[`)
		} else {
			a.w.WriteByte('\n')
		}
		a.w.WriteString(`],`)
		fields, err := json.Marshal(summary)
		if err != nil {
			return err
		}
		a.w.Write(fields[1:]) // without its opening brace
		a.w.WriteByte('\n')
	}
	return a.w.Flush()
}
