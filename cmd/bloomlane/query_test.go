package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// fruit returns a shell with the filter f of apple, pear and plum.
func fruit(t *testing.T) *shell {
	s := newShell(t)
	s.Write("f.key", commandtest.FixedKey)
	s.Run(exitYes, "apple\npear\nplum\n", "build", "-o", "@f")
	return s
}

func TestQuery(t *testing.T) {
	s := fruit(t)
	s.Write("keys", "pear\n\nfig\n")
	for _, test := range []struct {
		stdin, args string
		code        int
		wants       string
	}{
		{"", "apple plum", exitYes, "present\tapple\npresent\tplum\n"},
		{"", "apple fig", exitNo, "present\tapple\nabsent\tfig\n"},
		{"apple\nfig\n", "", exitNo, "present\tapple\nabsent\tfig\n"},
		{"apple\nplum", "", exitYes, "present\tapple\npresent\tplum\n"},
		{"", "", exitYes, ""},
		{"", "--keys @keys", exitNo, "present\tpear\nabsent\tfig\n"},
		{"apple\n-\n", "-", exitNo, "present\tapple\nabsent\t-\n"},
		{"apple\n", "-- -", exitYes, "present\tapple\n"},
		{"", "--only absent --keys @keys", exitYes, "absent\tfig\n"},
		{"", "--only present --keys @keys", exitYes, "present\tpear\n"},
		{"", "--only absent pear", exitNo, ""},
		{"", "--only present fig", exitNo, ""},
		{"", "--only present", exitNo, ""},
		{"", "--only present --count fig", exitNo, "present\t0\n"},
		{"", "--count --keys @keys", exitNo, "present\t1\nabsent\t1\n"},
		{"", "--count apple plum pear", exitYes, "present\t3\nabsent\t0\n"},
		{"", "--count --only absent apple fig", exitYes, "absent\t1\n"},
		{"", "--count", exitYes, "present\t0\nabsent\t0\n"},
		{"apple", "--keys - --keys @keys", exitNo, "present\tapple\npresent\tpear\nabsent\tfig\n"},
		{"\xff\x00\n", "", exitNo, "absent\t\xff\x00\n"},
		{"apple\r\n", "", exitNo, "absent\tapple\r\n"},
	} {
		s.Line(test.code, test.stdin, "query @f "+test.args)
		s.Says(test.wants)
	}
}

func TestQueryJSON(t *testing.T) {
	s := fruit(t)
	type answer struct {
		Key    *string
		KeyHex string `json:"key_hex"`
		Answer string
	}
	var result struct {
		Keys            []answer
		File            string
		Present, Absent int
	}
	s.Run(exitNo, "apple\n<\"\xe2\x82\xac\t>\n\xff\xfe\n", "query", "@f", "--json")
	s.JSON(&result)
	if len(result.Keys) != 3 || result.File != s.Path("f") || result.Present != 1 ||
		result.Absent != 2 {
		t.Fatalf("%+v", result)
	}
	for i, want := range []struct{ key, hex, answer string }{
		{"apple", "", "present"}, {"<\"\u20ac\t>", "", "absent"}, {"", "fffe", "absent"},
	} {
		got := result.Keys[i]
		if got.Answer != want.answer || got.KeyHex != want.hex ||
			(got.Key == nil) != (want.hex != "") || got.Key != nil && *got.Key != want.key {
			t.Errorf("key %d: %+v, want %+v", i, got, want)
		}
	}
	s.Run(exitYes, "", "query", "@f", "--json")
	s.JSON(&result)
	if len(result.Keys) != 0 {
		t.Errorf("%+v, want no keys", result)
	}
	s.Run(exitYes, numbers(0, 9)+"apple\n", "query", "@f", "--json", "--only", "present")
	s.JSON(&result)
	if len(result.Keys) != 1 || *result.Keys[0].Key != "apple" || result.Absent != 9 {
		t.Errorf("%+v, want one key of ten", result)
	}
	s.Run(exitNo, numbers(0, 9)+"apple\n", "query", "@f", "--json", "--count")
	s.JSON(&result)
	if strings.Contains(s.Stdout, "keys") || result.Present != 1 || result.Absent != 9 {
		t.Errorf("%s, want the numbers of ten keys", s.Stdout)
	}
}

// Answers that came before an error stand, and with --json they stand in a whole object.
func TestQueryOfAnInputThatGoesBad(t *testing.T) {
	s := fruit(t)
	input := "apple\nfig\n" + strings.Repeat("x", maxKeyBytes+1)
	s.Run(exitBad, input, "query", "@f")
	s.Says("present\tapple\nabsent\tfig\n")
	const message = "standard input:3: found a line of more than 1048576 bytes, expected one of " +
		"at most that"
	if !strings.Contains(s.Stderr, message) {
		t.Errorf("stderr %q, want %q", s.Stderr, message)
	}
	result := reported[struct {
		Keys            []struct{ Key, Answer string }
		File, Error     string
		Present, Absent int
	}](s, exitBad, input, "query @f")
	if len(result.Keys) != 2 || result.Error != message {
		t.Errorf("%+v, want 2 keys and the error", result)
	}
}

// Many keys take many batches, and every answer stands at its key.
func TestQueryOfManyKeys(t *testing.T) {
	s := newShell(t)
	s.Run(exitYes, numbers(0, 20_000), "build", "-o", "@f", "--rate", "1e-9")
	s.Run(exitNo, numbers(10_000, 30_000), "query", "@f")
	var want strings.Builder
	for n := 10_000; n < 30_000; n++ {
		answer := "present"
		if n >= 20_000 {
			answer = "absent"
		}
		fmt.Fprintf(&want, "%s\t%d\n", answer, n)
	}
	s.Says(want.String())
	if !strings.Contains(s.Stderr, "10000 of 20000 keys are absent") {
		t.Errorf("stderr %q", s.Stderr)
	}
}

// An answer takes no memory: a query may have billions.
func TestAnswersTakeNoMemory(t *testing.T) {
	cmd := newQueryCommand()
	cmd.SetOut(io.Discard)
	key, show := []byte("apple"), shown{kinds: []answer{present, absent}}
	for _, show.count = range []bool{false, true} {
		out := newAnswers(cmd, &show)
		if n := testing.AllocsPerRun(1000, func() { out.add(key, present) }); n > 0 {
			t.Errorf("--count=%v: an answer makes %g allocations, want none", show.count, n)
		}
	}
}

// A program that writes one key and waits for its answer before the next gets it.
func TestQueryAnswersAtOnce(t *testing.T) {
	s := fruit(t)
	keys, ask := io.Pipe()
	answer, stdout := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run([]string{"query", s.Path("f")}, keys, stdout, io.Discard)
	}()
	for key, want := range map[string]string{"apple": "present\tapple\n", "fig": "absent\tfig\n"} {
		got := make(chan string, 1)
		go func() {
			if _, err := io.WriteString(ask, key+"\n"); err != nil {
				t.Error(err)
			}
			buffer := make([]byte, 100)
			n, err := answer.Read(buffer)
			if err != nil {
				t.Error(err)
			}
			got <- string(buffer[:n])
		}()
		if got := <-got; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	ask.Close()
	if code := <-done; code != exitNo {
		t.Errorf("exit code %d, want %d", code, exitNo)
	}
}

// What is wrong with a filter's file or its key is said, whatever the command.
func TestCommandsRefuseBadFilters(t *testing.T) {
	s := fruit(t)
	content := s.Read("f")
	s.Write("text", "apple\n")
	s.Write("text.key", commandtest.FixedKey)
	s.Write("nokey", "apple\n")
	s.Write("damaged", content[:319]+"!")
	s.Write("damaged.key", commandtest.FixedKey)
	s.Write("cut", content[:len(content)-1])
	s.Write("cut.key", commandtest.FixedKey)
	s.Write("keyless", content)
	s.Write("other.key", strings.ReplaceAll(commandtest.FixedKey, "00", "01"))
	s.Write("bad.key", strings.Repeat("?", 64))
	for _, command := range []string{"query ", "delete "} {
		s.Refuse("", command, [][2]string{
			{"", "found 0 arguments, expected bloomlane "},
			{"@missing apple", "@missing: no such file"},
			{"@text apple", " filter @text: not a Bloomlane filter"},
			{"@damaged apple", " filter @damaged: damaged: wrong checksum"},
			{"@cut apple", " filter @cut: wrong length: found 319 bytes, expected 320"},
			{"@keyless apple", "found no key file @keyless.key beside @keyless, expected --key " +
				"FILE, the key file that it was built with"},
			{"@f.key apple", "@f.key is a hash key, expected a filter"},
			{"@nokey apple", " filter @nokey: not a Bloomlane filter"},
			{"@keyless apple --key @nowhere", "hash key: open @nowhere: no such file"},
			{"@f apple --key @other.key",
				"open filter @f: wrong hash key: found a key with fingerprint"},
			{"@f apple --key @bad.key", "@bad.key: hash key: found characters that are not hex " +
				"digits, expected pmac: and 32 hex digits, or sip13: and 32 hex digits, or " +
				"64 hex digits"},
			{"@f apple --key @f", "@f: hash key: found 100 characters"},
			{"@f apple -", "found the key argument - among others, expected it alone, as " +
				"standard input: a key - comes from --keys FILE"},
			{"@f - -", "found the key argument - among others"},
			{"@f - --keys @text", "found 1 key argument and --keys, expected one of the two"},
			{"@f apple --only all", `--only is "all", expected one of `},
			{"@f apple --keys @text", "found 1 key argument and --keys, expected one of the two"},
		})
	}
	s.Refuse("", "info ", [][2]string{
		{"@cut", "wrong length"},
		{"@f.key", "@f.key is a hash key, expected a filter"}, // and prints no digit of it
	})
}
