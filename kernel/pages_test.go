package kernel

import (
	"testing"

	"github.com/bloomlane/bloomlane/internal/hugepage"
	"github.com/bloomlane/bloomlane/internal/require"
)

// A large table is on huge pages where the system gives them to memory that is advised, which an
// emulator of CPUs need not. It need not give one for each page, but of these it has some.
func TestLargeTablesAreOnHugePages(t *testing.T) {
	table := NewTable512(64 << 20 / 64)
	for i := range table {
		table[i][1] = 1
	}
	if p, _ := hugepage.Of(table.Words()); p.Huge == 0 {
		require.Skip(t, "hugepages", "a table of 64 MiB is on small pages: "+p.Why)
	}
}
