package command

import (
	"encoding/json"
	"testing"
)

// No two paths are one in JSON, and each comes back.
func TestPath(t *testing.T) {
	for path, want := range map[Path]string{"": `""`, "a b": `"a b"`, "ä\"\n": `"ä\"\n"`,
		"\ufffd": "\"\ufffd\"", "f\xff": `{"hex":"66ff"}`, "f\xfe": `{"hex":"66fe"}`} {
		text, err := json.Marshal(path)
		var back Path
		if err != nil || string(text) != want || json.Unmarshal(text, &back) != nil ||
			back != path {
			t.Errorf("%q: %s, and back %q (%v), want %s", path, text, back, err, want)
		}
	}
	var back Path
	for _, text := range []string{`{"hex":"6"}`, `{"hex":6}`, `7`} {
		if err := json.Unmarshal([]byte(text), &back); err == nil {
			t.Errorf("%s is %q", text, back)
		}
	}
}
