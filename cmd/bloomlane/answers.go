package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// shownHelp says what the flags of [shown] do.
const shownHelp = `--only ANSWER leaves out the lines of other answers, and --count leaves out all: it prints a line
per answer, with a tab and the number of keys.`

// shown is which answers a command prints.
type shown struct {
	kinds []string // of answers, in the order in which --count has them
	only  string   // or "" for all
	count bool     // their numbers, and not the keys
}

func (s *shown) register(cmd *cobra.Command, kinds ...string) {
	s.kinds = kinds
	cmd.Flags().StringVar(&s.only, "only", "",
		"print keys with this `answer` only: "+strings.Join(kinds, ", "))
	cmd.Flags().BoolVar(&s.count, "count", false,
		"print how many keys have each answer, not the keys")
}

func (s *shown) check() error {
	if s.only == "" || slices.Contains(s.kinds, s.only) {
		return nil
	}
	return &command.FlagError{Flag: "only", Found: s.only,
		Expected: "one of " + strings.Join(s.kinds, ", ")}
}

// has reports whether an answer is printed.
func (s *shown) has(answer string) bool { return s.only == "" || s.only == answer }

// answers writes answers, one for each key: a line "answer TAB key", or an element of the array
// "keys" of a JSON object. Keys in lines are the bytes that came in, but for a terminal. With
// --count there are the numbers of answers only.
type answers struct {
	w       *bufio.Writer
	json    bool
	escape  bool // control characters, which could do anything to a terminal
	show    *shown
	keys    int            // that were answered so far
	written int            // of these
	counts  map[string]int // of each answer
}

// newAnswers returns a writer of the answers that are to be shown.
func newAnswers(cmd *cobra.Command, show *shown) *answers {
	a := &answers{w: bufio.NewWriter(cmd.OutOrStdout()), json: command.WantsJSON(cmd),
		escape: command.IsTerminal(cmd.OutOrStdout()), show: show, counts: map[string]int{}}
	for _, kind := range show.kinds {
		a.counts[kind] = 0
	}
	if a.json && !show.count {
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
	if a.show.count || !a.show.has(answer) {
		return
	}
	a.written++
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
	if a.written > 1 {
		a.w.WriteByte(',')
	}
	encoded, _ := json.Marshal(record) // strings cannot fail
	fmt.Fprintf(a.w, "\n  %s", legible.EscapeJSON(encoded))
}

// finish ends the answers, and with --json adds their numbers and other fields.
func (a *answers) finish(fields map[string]any) error {
	switch {
	case a.json:
		fields = maps.Clone(fields)
		for answer, n := range a.counts {
			fields[answer] = n
		}
		encoded, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		if a.show.count {
			fmt.Fprintf(a.w, "%s\n", legible.EscapeJSON(encoded))
		} else {
			// Without its opening brace.
			fmt.Fprintf(a.w, "\n],%s\n", legible.EscapeJSON(encoded[1:]))
		}
	case a.show.count:
		for _, answer := range a.show.kinds {
			if a.show.has(answer) {
				fmt.Fprintf(a.w, "%s\t%d\n", answer, a.counts[answer])
			}
		}
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
		quantity.Of(a.keys-a.counts["repeated"], "key"), are, command.ErrNo)
}
