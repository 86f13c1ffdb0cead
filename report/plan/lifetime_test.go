package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseLifetime(t *testing.T) {
	write := func(content string) string {
		name := filepath.Join(t.TempDir(), "lifetimes")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return "@" + name
	}
	for _, test := range []struct{ text, want string }{
		{"oldest", "oldest"}, {"random", "random"}, {"pareto:1.5", "pareto:1.5"},
		{"mixture:0.9:0.1", "mixture:0.9:0.1"},
		{write("3\n 1.5\n40\n"), "observed:3"},
	} {
		if life, err := ParseLifetime(test.text, nil); err != nil || life.String() != test.want {
			t.Errorf("%s: %v (%v), want %s", test.text, life, err, test.want)
		}
	}
	for _, test := range []struct{ text, want string }{
		{"eternal", "eternal"}, {"pareto:1", "shape above 1"}, {"@", "no such file"},
		{write("3\nlong\n"), "line 2: found \"long\", expected a number"},
		{write(""), "at least one sample"},
		{write(strings.Repeat("1\n", 1_000_001)), "more than 1000000 lifetimes"},
		{write(strings.Repeat("1", 1<<17)), "line 1"}, {write("-1\n"), "above 0"},
	} {
		if life, err := ParseLifetime(test.text, nil); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40s: %v (%v), want an error with %q", test.text, life, err, test.want)
		}
	}
}
