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

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/internal/legible"
	"github.com/bloomlane/bloomlane/report/command"
	"github.com/bloomlane/bloomlane/report/quantity"
)

// shownHelp says what the flags of [shown] do.
const shownHelp = `--only ANSWER leaves out the lines of other answers, and --count leaves out all: it prints a line
per answer, with a tab and the number of keys.`

// answer is what a command says of a key.
type answer uint8

const (
	present answer = iota
	absent
	added
	deleted
	retained
	repeated
)

var answerNames = [...]string{"present", "absent", "added", "deleted", "retained", "repeated"}

// presentOr returns the answer for bit i: present, or another.
func presentOr(other answer, found []uint64, i int) answer {
	if filter.At(found, i) {
		return present
	}
	return other
}

// shown is which answers a command prints.
type shown struct {
	kinds []answer // in the order in which --count has them
	only  string   // or "" for all
	count bool     // their numbers, and not the keys
}

func (s *shown) names() string {
	var names []string
	for _, kind := range s.kinds {
		names = append(names, answerNames[kind])
	}
	return strings.Join(names, ", ")
}

func (s *shown) register(cmd *cobra.Command, kinds ...answer) {
	s.kinds = kinds
	cmd.Flags().StringVar(&s.only, "only", "",
		"print keys with this `answer` only: "+s.names())
	cmd.Flags().BoolVar(&s.count, "count", false,
		"print how many keys have each answer, not the keys")
}

func (s *shown) check() error {
	if s.only == "" || slices.ContainsFunc(s.kinds, s.has) {
		return nil
	}
	return &command.FlagError{Flag: "only", Found: s.only, Expected: "one of " + s.names()}
}

// has reports whether an answer is printed.
func (s *shown) has(said answer) bool { return s.only == "" || s.only == answerNames[said] }

// answers writes answers, one for each key: a line "answer TAB key", or an element of the array
// "keys" of a JSON object. Keys in lines are the bytes that came in, but for a terminal. With
// --count there are the numbers of answers only.
type answers struct {
	w       *bufio.Writer
	json    bool
	escape  bool // control characters, which could do anything to a terminal
	show    *shown
	keys    int                   // that were answered so far
	written int                   // of these
	counts  [len(answerNames)]int // of each answer
}

// newAnswers returns a writer of the answers that are to be shown.
func newAnswers(cmd *cobra.Command, show *shown) *answers {
	a := &answers{w: bufio.NewWriterSize(cmd.OutOrStdout(), 1<<16), json: command.WantsJSON(cmd),
		escape: command.IsTerminal(cmd.OutOrStdout()), show: show}
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
func (a *answers) add(key []byte, said answer) {
	if a.shows(said) {
		a.write(key, answerNames[said], keyAnswer{Answer: answerNames[said]})
	}
}

// count writes how often a key is a member.
func (a *answers) count(key []byte, times uint64) {
	said := present
	if times == 0 {
		said = absent
	}
	if a.shows(said) {
		a.write(key, strconv.FormatUint(times, 10), keyAnswer{Answer: answerNames[said],
			Count: &times})
	}
}

// shows counts an answer, and reports whether it is printed.
func (a *answers) shows(said answer) bool {
	a.counts[said]++
	a.keys++
	return !a.show.count && a.show.has(said)
}

// write writes a line for a key, or its record.
func (a *answers) write(key []byte, text string, record keyAnswer) {
	a.written++
	if !a.json {
		if a.escape {
			key = []byte(legible.Escape(string(key)))
		}
		a.w.WriteString(text)
		a.w.WriteByte('\t')
		a.w.Write(key)
		a.w.WriteByte('\n')
		return
	}
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
		for _, kind := range a.show.kinds {
			fields[answerNames[kind]] = a.counts[kind]
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
		for _, kind := range a.show.kinds {
			if a.show.has(kind) {
				fmt.Fprintf(a.w, "%s\t%d\n", answerNames[kind], a.counts[kind])
			}
		}
	}
	return a.w.Flush()
}

// selected returns the error of a query whose answer is no: with --only, as of grep, no key has
// this answer; otherwise a key is absent.
func (a *answers) selected() error {
	if a.show.only == "" {
		return a.absent()
	}
	if kind := answer(slices.Index(answerNames[:], a.show.only)); a.counts[kind] == 0 {
		return a.no(kind)
	}
	return nil
}

// absent returns the error of a command whose answer is no because of absent keys; nil for none.
func (a *answers) absent() error {
	if a.counts[absent] == 0 {
		return nil
	}
	return a.no(absent)
}

// no returns the error that says how many keys have an answer.
func (a *answers) no(kind answer) error {
	n, are := a.counts[kind], "are"
	if n == 1 {
		are = "is"
	}
	return fmt.Errorf("%d of %s %s %s: %w", n, quantity.Of(a.keys-a.counts[repeated], "key"), are,
		answerNames[kind], command.ErrNo)
}
