package main

import (
	"encoding/json"
	"testing"

	"github.com/bloomlane/bloomlane/report/command"
)

// A file whose name is not UTF-8 is no other in the JSON of any command.
func TestNamesThatAreNotUTF8(t *testing.T) {
	s := newShell(t)
	s.Write("list", "apple\n")
	name := command.Path(s.Path("f\xff"))
	for _, test := range []struct{ line, name string }{
		{"build @list -o @f\xff", "file"}, {"info @f\xff", "file"}, {"query @f\xff apple", "file"},
		{"add @f\xff fig", "file"}, {"rebuild @f\xff --keys @list", "file"},
		{"delete @f\xff apple", "file"}, {"build @list -o @g --key @f\xff.key", "key_file"},
		{"merge -o @h\xff @f\xff @g --key @f\xff.key", "key_file"},
	} {
		want := name
		if test.name == "key_file" {
			want += ".key"
		}
		s.Line(exitYes, "", test.line+" --json")
		result := map[string]any{}
		s.JSON(&result)
		text, err := json.Marshal(result[test.name])
		var got command.Path
		if err != nil || json.Unmarshal(text, &got) != nil || got != want {
			t.Errorf("%s: %s is %s, want %q", test.line, test.name, text, want)
		}
	}
}
