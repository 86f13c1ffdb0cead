package architecture

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// textsOf returns the files of the tree with an extension, by their paths.
func textsOf(t *testing.T, extension string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if name := entry.Name(); err != nil || entry.IsDir() && (name == ".git" ||
			name == ".build" || name == "testdata" || name == "node_modules") {
			return errorOrSkip(err)
		}
		if filepath.Ext(path) == extension {
			text, err := os.ReadFile(path)
			found[path] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var (
	fences   = regexp.MustCompile("(?ms)^```.*?^```")
	links    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	headings = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	anchored = regexp.MustCompile(`<a (?:id|name)="([^"]+)">`)
	unlinked = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns what the headings of a page are linked by on GitHub.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, heading := range headings.FindAllStringSubmatch(fences.ReplaceAllString(page, ""), -1) {
		text := unlinked.ReplaceAllString(strings.ToLower(heading[1]), "")
		found[strings.ReplaceAll(strings.TrimSpace(text), " ", "-")] = true
	}
	for _, anchor := range anchored.FindAllStringSubmatch(page, -1) {
		found[anchor[1]] = true
	}
	return found
}

// A link of a page to another file of the tree, and to a heading in it, leads somewhere. Each page
// of docs has a link from a page.
func TestLinks(t *testing.T) {
	all := textsOf(t, ".md")
	checked := 0
	linked := map[string]bool{}
	for path, page := range all {
		for _, link := range links.FindAllStringSubmatch(fences.ReplaceAllString(page, ""), -1) {
			if strings.Contains(link[1], "://") || strings.HasPrefix(link[1], "mailto:") {
				continue
			}
			checked++
			file, anchor, _ := strings.Cut(link[1], "#")
			to := path
			if file != "" {
				to = filepath.Join(filepath.Dir(path), file)
				linked[to] = true
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", path, link[1], err)
			} else if anchor != "" && strings.HasSuffix(to, ".md") && !anchors(all[to])[anchor] {
				t.Errorf("%s links to %s, and %s has no such heading", path, link[1], to)
			}
		}
	}
	for path := range all {
		if filepath.Base(path) == "README.md" && linked[filepath.Dir(path)] {
			continue
		}
		if under(path, filepath.Join(root, "docs")) && !linked[path] {
			t.Errorf("no page links to %s", path)
		}
	}
	if checked < 50 {
		t.Errorf("only %d links", checked)
	}
}

// A page of docs that Go code names is there.
func TestPagesOfComments(t *testing.T) {
	page := regexp.MustCompile(`\bdocs/[\w/-]+\.md`)
	checked := 0
	for path, text := range textsOf(t, ".go") {
		for _, name := range page.FindAllString(text, -1) {
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s names %s: %v", path, name, err)
			}
			checked++
		}
	}
	if checked < 20 {
		t.Errorf("only %d names", checked)
	}
}
