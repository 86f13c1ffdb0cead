package cgroup

import (
	"math"
	"testing"
	"testing/fstest"
)

// The group with the least room around a process counts, in either version of control groups, and
// caches of files are room.
func TestRoom(t *testing.T) {
	root := fstest.MapFS{}
	for name, content := range map[string]string{
		"memory/a/memory.limit_in_bytes":    "1000\n",
		"memory/a/memory.usage_in_bytes":    "700\n",
		"memory/a/memory.stat":              "inactive_file 5\ntotal_inactive_file 100\nrss 9\n",
		"memory/a/b/memory.limit_in_bytes":  "9223372036854771712\n",
		"memory/full/memory.limit_in_bytes": "1000\n",
		"memory/full/memory.usage_in_bytes": "1001\n",
		"memory/memory.limit_in_bytes":      "2000\n",
		"memory/memory.usage_in_bytes":      "500\n",
		"c/memory.max":                      "3000\n",
		"c/memory.current":                  "400\n",
		"c/memory.stat":                     "anon 7\nactive_file 10\nslab_reclaimable 20\n",
		"c/d/memory.max":                    "max\n",
		"c/d/memory.current":                "400\n",
		"memory.max":                        "5000\n", // a container's own
		"memory.current":                    "10\n",
	} {
		root["sys/fs/cgroup/"+name] = &fstest.MapFile{Data: []byte(content)}
	}
	for _, test := range []struct {
		groups string
		want   uint64
	}{
		{"4:memory:/a/b\n0::/\n", 400},
		{"4:cpu,memory:/a\n", 400},
		{"4:memory:/full\n", 0},
		{"4:memory:/elsewhere\n", 1500},
		{"4:memory:/../elsewhere\n", 1500},
		{"4:pids:/a\n3:name=memory:/a\n", math.MaxUint64},
		{"0::/c/d\n", 2630},
		{"0::/../elsewhere\n", 4990},
		{"", math.MaxUint64},
		{"memory\n", math.MaxUint64},
	} {
		root["proc/self/cgroup"] = &fstest.MapFile{Data: []byte(test.groups)}
		if got, file := Room(root); got != test.want || (file == "") != (got == math.MaxUint64) {
			t.Errorf("%q: %d bytes by %q, want %d", test.groups, got, file, test.want)
		}
	}
}
