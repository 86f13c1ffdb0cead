package architecture

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is the most columns of a line of Go, with tabs of four.
const columns = 100

// Lines of Go have at most 100 columns, but for generated files, raw strings, which are texts of
// other kinds, and the tables of documentation, which are indented.
func TestColumns(t *testing.T) {
	checked := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if name := entry.Name(); err != nil || entry.IsDir() &&
			(name == ".git" || name == ".build") {
			return errorOrSkip(err)
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil || bytes.HasPrefix(src, []byte("// Code generated ")) {
			return err
		}
		raw := rawLines(src)
		for i, line := range strings.Split(string(src), "\n") {
			width := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			table := strings.HasPrefix(strings.TrimSpace(line), "//\t")
			if width > columns && !raw[i+1] && !table {
				t.Errorf("%s:%d: %d columns, want %d at most", path, i+1, width, columns)
			}
			checked++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 10_000 {
		t.Errorf("only %d lines", checked)
	}
}

// rawLines are the lines that a raw string is on.
func rawLines(src []byte) map[int]bool {
	lines := map[int]bool{}
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if tok == token.STRING && text[0] == '`' {
			first := file.Line(pos)
			for i := range 1 + strings.Count(text, "\n") {
				lines[first+i] = true
			}
		}
	}
}
