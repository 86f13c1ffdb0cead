package filtertest

import (
	"fmt"

	"github.com/bloomlane/bloomlane/filter/file"
)

// differ describes the first difference of two files, or returns "" if they are equal.
func differ(got, want *file.Contents) string {
	switch {
	case got.Kind != want.Kind || got.Promises != want.Promises:
		return fmt.Sprintf("a %s filter with promises %#x, want a %s filter with %#x",
			got.Kind, got.Promises, want.Kind, want.Promises)
	case got.Key != want.Key:
		return fmt.Sprintf("%v, want %v", got.Key, want.Key)
	case len(got.Attributes) != len(want.Attributes) || len(got.Sections) != len(want.Sections):
		return fmt.Sprintf("%d attributes and %d sections, want %d and %d",
			len(got.Attributes), len(got.Sections), len(want.Attributes), len(want.Sections))
	}
	for i := range got.Attributes {
		if got.Attributes[i] != want.Attributes[i] {
			return fmt.Sprintf("attribute %v, want %v", got.Attributes[i], want.Attributes[i])
		}
	}
	for i := range got.Sections {
		a, b := got.Sections[i], want.Sections[i]
		if a.Name != b.Name || len(a.Words) != len(b.Words) {
			return fmt.Sprintf("section %s of %d words, want %s of %d", a.Name, len(a.Words),
				b.Name, len(b.Words))
		}
		for j := range a.Words {
			if a.Words[j] != b.Words[j] {
				return fmt.Sprintf("word %d of section %s is %016x, want %016x", j, a.Name,
					a.Words[j], b.Words[j])
			}
		}
	}
	return ""
}
