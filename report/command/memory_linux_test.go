package command

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The limits are those of all groups that hold this process, in both versions, and what is free.
// Pages of files that nobody needs are free, and what was allocated and never touched is not.
func TestSystemLimits(t *testing.T) {
	const group = "sys/fs/cgroup/a/b/memory"
	for name, test := range map[string]struct {
		files map[string]string
		want  map[string]int64
	}{
		"none": {nil, map[string]int64{}},
		"free memory": {map[string]string{"proc/meminfo": "MemTotal: 90 kB\n" +
			"MemAvailable:   70 kB\nSwapFree: 8 kB\n"},
			map[string]int64{"MemAvailable": 78<<10 - 5000}},
		"a group and its parent": {map[string]string{"proc/self/cgroup": "0::/a/b\n",
			group + ".max": "90000\n", group + ".current": "3000\n",
			group + ".stat":                  "anon 1\ninactive_file 10000\n",
			"sys/fs/cgroup/a/memory.max":     "max\n",
			"sys/fs/cgroup/memory.max":       "80000\n",
			"sys/fs/cgroup/memory.current":   "1000\n",
			"sys/fs/cgroup/a/b/c/memory.max": "7\n"},
			map[string]int64{"memory.max of a control group": 80000 - 1000 - 5000}},
		"version 1": {map[string]string{
			"proc/self/cgroup": "3:cpu:/x\n2:memory:/docker\n0::/docker\n",
			"sys/fs/cgroup/memory/docker/memory.limit_in_bytes": "50000",
			"sys/fs/cgroup/memory/docker/memory.usage_in_bytes": "20000",
			"sys/fs/cgroup/memory/docker/memory.stat": "inactive_file 1\n" +
				"total_inactive_file 300\n"},
			map[string]int64{"memory.limit_in_bytes of a control group": 30000 + 300 - 5000}},
	} {
		root := t.TempDir()
		for name, text := range test.files {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got := map[string]int64{}
		for _, limit := range systemLimits(os.DirFS(root), 5000) {
			if old, found := got[limit.name]; !found || limit.bytes < old {
				got[limit.name] = limit.bytes
			}
		}
		if !maps.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	if !slices.ContainsFunc(systemLimits(os.DirFS("/"), 0), func(l limit) bool {
		return strings.HasPrefix(l.name, "MemAvailable") && l.bytes > 0
	}) {
		t.Errorf("this machine has the limits %v", systemLimits(os.DirFS("/"), 0))
	}
}
