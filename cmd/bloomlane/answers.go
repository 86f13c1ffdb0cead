package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/cmd/bloomlane/quantity"
	"github.com/bloomlane/bloomlane/internal/legible"
)

// answers writes answers, one for each key: a line "answer TAB key", or an element of the array
// "keys" of a JSON object. Keys in lines are the bytes that came in, but for a terminal.
type answers struct {
	w      *bufio.Writer
	json   bool
	escape bool           // control characters, which could do anything to a terminal
	keys   int            // written so far
	counts map[string]int // of each answer
}

// newAnswers returns a writer of some kinds of answers.
func newAnswers(cmd *cobra.Command, kinds ...string) *answers {
	a := &answers{w: bufio.NewWriter(cmd.OutOrStdout()), json: wantsJSON(cmd),
		escape: isTerminal(cmd.OutOrStdout()), counts: map[string]int{}}
	for _, kind := range kinds {
		a.counts[kind] = 0
	}
	if a.json {
		a.w.WriteString(`{"keys":[`)
	}
	return a
}

// keyAnswer is the answer for one key. JSON strings are Unicode, so that a key that is not valid
// UTF-8 comes in hex instead.
type keyAnswer struct {
	Key    *string `json:"key,omitempty"`
	KeyHex string  `json:"key_hex,omitempty"`
	Answer string  `json:"answer"`
	Count  *uint64 `json:"count,omitempty"`
}

// add writes the answer for a key. An error of the writer is kept for finish.
func (a *answers) add(key []byte, answer string) { a.write(key, answer, answer, nil) }

// count writes how often a key is a member.
func (a *answers) count(key []byte, times uint64) {
	answer := "present"
	if times == 0 {
		answer = "absent"
	}
	a.write(key, answer, strconv.FormatUint(times, 10), &times)
}

func (a *answers) write(key []byte, answer, text string, times *uint64) {
	a.counts[answer]++
	a.keys++
	if !a.json {
		if a.escape {
			key = []byte(legible.Escape(string(key)))
		}
		fmt.Fprintf(a.w, "%s\t%s\n", text, key)
		return
	}
	record := keyAnswer{Answer: answer, Count: times}
	if text := string(key); utf8.ValidString(text) {
		record.Key = &text
	} else {
		record.KeyHex = hex.EncodeToString(key)
	}
	if a.keys > 1 {
		a.w.WriteByte(',')
	}
	encoded, _ := json.Marshal(record) // strings cannot fail
	fmt.Fprintf(a.w, "\n  %s", legible.EscapeJSON(encoded))
}

// finish ends the answers, and with --json adds their numbers and other fields.
func (a *answers) finish(fields map[string]any) error {
	if a.json {
		fields = maps.Clone(fields)
		for answer, n := range a.counts {
			fields[answer] = n
		}
		encoded, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.w, "\n],%s\n", legible.EscapeJSON(encoded[1:])) // without its opening brace
	}
	return a.w.Flush()
}

// absent returns the error of a command whose answer is no because of absent keys; nil for none.
func (a *answers) absent() error {
	absent := a.counts["absent"]
	if absent == 0 {
		return nil
	}
	are := "are"
	if absent == 1 {
		are = "is"
	}
	return fmt.Errorf("%d of %s %s absent: %w", absent,
		quantity.Of(a.keys-a.counts["repeated"], "key"), are, errAnswerNo)
}
