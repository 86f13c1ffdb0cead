package hugepage

import (
	"os"
	"strings"
)

// Given reports whether the system gives huge pages to memory that is advised so.
func Given() bool {
	text, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && !strings.Contains(string(text), "[never]")
}
