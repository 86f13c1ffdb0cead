package kernel

import (
	"testing"

	"github.com/bloomlane/bloomlane/internal/hugepage"
	"github.com/bloomlane/bloomlane/internal/require"
)

// A large table is on huge pages where the system gives them to memory that is advised. It need not give
// one for each page, but of these it has some.
func TestLargeTablesAreOnHugePages(t *testing.T) {
	if !hugepage.Given() {
		require.Skip(t, "hugepages", "this system gives none")
	}
	table := NewTable512(64 << 20 / 64)
	for i := range table {
		table[i][1] = 1
	}
	if share, known := hugepage.Share(table.Words()); known && share == 0 {
		t.Error("a table of 64 MiB is on small pages")
	}
}
