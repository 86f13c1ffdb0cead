package legible

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"apple pie, 100 % äöü 水 👍":  "apple pie, 100 % äöü 水 👍",
		`C:\temp\new`:               `C:\temp\new`,
		"a\nb\tc\rd":                `a\nb\tc\rd`,
		"\a\b\f\v\x00\x7f":          `\a\b\f\v\000\177`,
		"\x1b]0;owned\x07\x1b[2J":   `\033]0;owned\a\033[2J`,
		"a\u009b31mb":               `a\302\23331mb`, // C1: an escape in one character
		"bytes \x9b31m, \xff\xfe":   `bytes \23331m, \377\376`,
		"gnp\u202exe.\u200bend":     `gnp\342\200\256xe.\342\200\213end`, // invisible
		"\ufffd is a character":     "\ufffd is a character",
		"line\u2028paragraph\u2029": `line\342\200\250paragraph\342\200\251`,
		"cut \xe6\xb0":              `cut \346\260`,
	} {
		if got := Escape(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := EscapeLines("a\tb\n\x1b[0m\r\n"); got != "a\tb\n\\033[0m\\r\n" {
		t.Errorf("lines: %q", got)
	}
}

// Whatever the bytes are, nothing that is left moves a cursor.
func TestEscapeLeavesNoControl(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		text := make([]byte, rng.IntN(40))
		for i := range text {
			text[i] = byte(rng.UintN(256))
		}
		got := Escape(string(text))
		if !utf8.ValidString(got) || strings.ContainsFunc(got,
			func(r rune) bool { return !unicode.IsGraphic(r) }) {
			t.Fatalf("%q: %q", text, got)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"", 8, ""}, {"12345678", 8, "12345678"}, {"123456789", 8, "123…89"},
		{"/a/long/path/to/a/file", 16, "/a/long…a/file"},
		{"äääääää", 12, "ää…ää"}, {"水水水水", 10, "水…水"},
	} {
		if got := Cut(test.text, test.most); got != test.want {
			t.Errorf("%q to %d: %q, want %q", test.text, test.most, got, test.want)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		text := make([]byte, rng.IntN(60))
		for i := range text {
			text[i] = byte(rng.UintN(256))
		}
		most := 8 + rng.IntN(40)
		got := Cut(string(text), most)
		start, end, cut := strings.Cut(got, ellipsis)
		if len(got) > most || len(text) <= most && got != string(text) ||
			cut && !(strings.HasPrefix(string(text), start) &&
				strings.HasSuffix(string(text), end)) {
			t.Fatalf("%q to %d: %q", text, most, got)
		}
	}
	if long := strings.Repeat("水", 50); !utf8.ValidString(Cut(long, 31)) {
		t.Errorf("%q has half a character", Cut(long, 31))
	}
}

// JSON that is escaped says the same.
func TestEscapeJSON(t *testing.T) {
	for text, want := range map[string]string{
		"plain äöü": `"plain äöü"`, "a\x7f\u009b\u202e": `"a\u007f\u009b\u202e"`,
		"\U000e0001": `"\udb40\udc01"`, "a\nb\x1b": `"a\nb\u001b"`,
	} {
		encoded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		got := EscapeJSON(encoded)
		var decoded string
		if err := json.Unmarshal(got, &decoded); err != nil || decoded != text ||
			string(got) != want {
			t.Errorf("%q: %s, want %s; decoded %q (%v)", text, got, want, decoded, err)
		}
	}
}
