package architecture

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	linkPattern   = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	codePattern   = regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	anchorPattern = regexp.MustCompile(`<a (?:id|name)="([^"]+)">`)
	docsPattern   = regexp.MustCompile(`\bdocs/[\w/-]+\.md`)
)

// Relative links of all pages lead to a file or a folder, and their anchors to a heading. What Go
// code names in docs is there.
func TestLinks(t *testing.T) {
	anchors := map[string]map[string]bool{} // by the page's path
	links := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if name := entry.Name(); err != nil || entry.IsDir() &&
			(name == ".git" || name == ".build" || name == "node_modules") {
			return errorOrSkip(err)
		}
		if filepath.Ext(path) != ".md" && filepath.Ext(path) != ".go" {
			return nil
		}
		page, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".go" {
			for _, name := range docsPattern.FindAllString(string(page), -1) {
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Errorf("%s names %s, which is not there", path, name)
				}
				links++
			}
			return nil
		}
		text := codePattern.ReplaceAllString(string(page), "")
		for _, match := range linkPattern.FindAllStringSubmatch(text, -1) {
			link := match[1]
			if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
				continue
			}
			links++
			file, anchor, _ := strings.Cut(link, "#")
			to := path
			if file != "" {
				to = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: the link %s leads nowhere", path, link)
				continue
			}
			if anchor == "" {
				continue
			}
			if anchors[to] == nil {
				anchors[to] = anchorsOf(t, to)
			}
			if !anchors[to][anchor] {
				t.Errorf("%s: the link %s leads to no heading", path, link)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 100 {
		t.Errorf("only %d links", links)
	}
}

// anchorsOf returns the anchors of a page, which GitHub makes of its headings.
func anchorsOf(t *testing.T, path string) map[string]bool {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	code := false
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		for _, match := range anchorPattern.FindAllStringSubmatch(line, -1) {
			all[match[1]] = true
		}
		if title := strings.TrimLeft(line, "#"); !code && title != line &&
			strings.HasPrefix(title, " ") {
			all[anchorOf(strings.TrimSpace(title))] = true
		}
	}
	return all
}

// anchorOf returns the anchor of a heading: its letters and digits in lower case, - for a space.
func anchorOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, title)
}

func TestAnchorOf(t *testing.T) {
	for title, want := range map[string]string{
		"The bench": "the-bench", "What `make run` prints": "what-make-run-prints",
		"Zeros, NaN and bytes": "zeros-nan-and-bytes", "A – B": "a--b",
	} {
		if got := anchorOf(title); got != want {
			t.Errorf("%q: %s, want %s", title, got, want)
		}
	}
}
