package kernel

import (
	"testing"

	"github.com/bloomlane/bloomlane/internal/hugepage"
	"github.com/bloomlane/bloomlane/internal/require"
)

// A large table has huge pages if the system gives them on request, which an emulator of CPUs need
// not do. The system may refuse some of them, so the test wants one at least.
func TestLargeTablesAreOnHugePages(t *testing.T) {
	table := NewTable512(64 << 20 / 64)
	for i := range table {
		table[i][1] = 1
	}
	p, known := hugepage.Of(table.Words())
	if known && hugepage.Given() && !p.Advised {
		t.Error("a table of 64 MiB does not ask for huge pages")
	}
	if p.Huge == 0 {
		require.Skip(t, "hugepages", "a table of 64 MiB is on small pages: "+p.Why)
	}
}
