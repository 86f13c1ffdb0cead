package engines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	parquetgo "github.com/parquet-go/parquet-go"

	"github.com/bloomlane/bloomlane/interop/parquet"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// bloomlane builds the command and returns what runs it in a folder: its standard output, and its
// exit code.
func bloomlane(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "bloomlane")
	if out, err := commandtest.Process(t, "go", "build", "-o", path,
		"../../cmd/bloomlane").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// pruned runs prune, and returns for each row group whether it need not be read.
func pruned(t *testing.T, command string, args ...string) (skip []bool) {
	t.Helper()
	args = append([]string{"prune", "--json", "--quiet"}, args...)
	cmd := commandtest.Process(t, command, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v: %s", err, &stderr)
	}
	var result struct {
		Groups []struct{ Answer string } `json:"row_groups"`
	}
	check(t, json.Unmarshal(out, &result))
	for _, g := range result.Groups {
		skip = append(skip, g.Answer == "skip")
	}
	return skip
}

// key is a row of the data sets of these tests.
type key struct {
	ID   int64  `parquet:"id"`
	Name string `parquet:"name"`
}

// A thousand row groups in ten files, some with DuckDB's filters and some with ours: prune leaves
// out what DuckDB leaves out, row group by row group, for members and others, and never one that
// has the key.
func TestPruneBesideDuckDB(t *testing.T) {
	const fileGroups, rows = 100, 2048
	files := 10
	if testing.Short() {
		files = 2
	}
	d, command, folder := startDuckDB(t), bloomlane(t), t.TempDir()
	var paths []string
	for i := range files {
		path := filepath.Join(folder, fmt.Sprintf("part-%d.parquet", i))
		d.query(t,
			`copy (select hash(range) >> 1 as id, 'name ' || hash(range) as name from range(%d, %d)) to '%s'
			(format parquet, row_group_size %d, parquet_version v2, dictionary_size_limit 100000,
			bloom_filter_false_positive_ratio 0.05)`, i*fileGroups*rows,
			(i+1)*fileGroups*rows, path, rows)
		if i%2 == 1 {
			check(t, parquet.AddFilters(path, 9, "id", "name"))
		}
		paths = append(paths, path)
	}
	skipped, kept := 0, 0
	for _, number := range []int{0, 5, 2047, 2048, 77_777, 1_000_000, 2_047_999, 1e9, 2e9, 3e9} {
		for _, column := range []string{"id", "name"} {
			sql := map[string]string{"id": "hash(%d) >> 1", "name": "'name ' || hash(%d)"}[column]
			value := fmt.Sprint(d.query(t, "select ("+sql+")::varchar", number)[0][0])
			literal := "'" + value + "'"
			if column == "id" {
				literal = value + "::UBIGINT"
			}
			want := map[string]bool{}
			for _, r := range d.query(t,
				`select file_name, row_group_id::varchar, bloom_filter_excludes
				from parquet_bloom_probe('%s/part-*.parquet', '%s', %s)`, folder, column, literal) {
				want[fmt.Sprint(r[0], " ", r[1])] = r[2].(bool)
			}
			got := pruned(t, command, append(paths, "--column", column, "--", value)...)
			if len(want) != files*fileGroups || len(got) != len(want) {
				t.Fatalf("%d row groups, and %d to DuckDB", len(got), len(want))
			}
			for g, skip := range got {
				name := fmt.Sprint(paths[g/fileGroups], " ", g%fileGroups)
				if skip != want[name] {
					t.Errorf("%s %s, %s: left out %v, and by DuckDB %v", column, value, name,
						skip, want[name])
				}
				if skip && number/rows == g {
					t.Errorf("%s %s, which is in it: %s is left out", column, value, name)
				}
				if skip {
					skipped++
				} else {
					kept++
				}
			}
		}
	}
	if kept > skipped/5 {
		t.Errorf("%d row groups are left out, and %d are not", skipped, kept)
	}
}

// The list of disposable-email-domains, in row groups without filters, then with ours: every domain
// is found where it is, by prune and by DuckDB, few others are, and the imported filter is the one
// of the list.
func TestDisposableDomains(t *testing.T) {
	d, command, folder := startDuckDB(t), bloomlane(t), t.TempDir()
	content, err := os.ReadFile(filepath.Join(modules, "disposable-email-domains", "index.json"))
	check(t, err)
	var domains []string
	check(t, json.Unmarshal(content, &domains))
	const rows = 1000
	path := filepath.Join(folder, "domains.parquet")
	f := create(t, path)
	w := parquetgo.NewGenericWriter[key](f)
	for i, domain := range domains {
		_, err := w.Write([]key{{int64(i), domain}})
		check(t, err)
		if i%rows == rows-1 {
			check(t, w.Flush())
		}
	}
	check(t, w.Close())
	run := func(code int, args ...string) string {
		t.Helper()
		cmd := commandtest.Process(t, command, args...)
		cmd.Dir = folder
		out, err := cmd.Output()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Fatalf("%v: exit code %d, want %d (%v)", args, got, code, err)
		}
		return string(out)
	}
	if out := run(1, "prune", path, "--column", "name", "--", domains[0]); strings.Contains(out,
		"skip") {
		t.Error("row groups without filters are left out")
	}
	check(t, parquet.AddFilters(path, 11, "name"))
	groups := (len(domains) + rows - 1) / rows
	left := 0
	for i := 0; i < len(domains); i += 997 {
		skip := pruned(t, command, path, "--column", "name", "--", domains[i])
		if len(skip) != groups || skip[i/rows] {
			t.Fatalf("%s: %d row groups of %d, its own left out", domains[i], len(skip), groups)
		}
		for _, s := range skip {
			if !s {
				left++
			}
		}
		n := d.query(t, "select count(*)::integer from '%s' where name = %s", path,
			literal(domains[i]))
		if fmt.Sprint(n) != "[[1]]" {
			t.Errorf("DuckDB finds %s %v times", domains[i], n)
		}
	}
	if asked := len(domains)/997 + 1; left > asked*(1+groups/20) {
		t.Errorf("%d row groups are to be read for %d domains", left, asked)
	}
	run(0, "import", "parquet", path, "--column", "name", "--own", "-o", "own.parquet", "--quiet")
	own := filepath.Join(folder, "own.parquet")
	for _, domain := range []string{domains[0], "no.such.domain"} {
		same := fmt.Sprint(pruned(t, command, path, "--column", "name", "--", domain))
		const sql = "select bloom_filter_excludes from parquet_bloom_probe('%s', 'name', %s) " +
			"order by row_group_id"
		probed := strings.NewReplacer("[", "", "]",
			"").Replace(fmt.Sprint(d.query(t, sql, own, literal(domain))))
		if got := pruned(t, command, own, "--column", "name", "--", domain); fmt.Sprint(got) !=
			same || "["+probed+"]" != same {
			t.Errorf("%s: the file's own filters alone say %v, to DuckDB %s, and in the file %s",
				domain, got, probed, same)
		}
	}
	if _, err := d.try("from '" + own + "'"); err == nil ||
		!strings.Contains(err.Error(), "references") {
		t.Errorf("DuckDB reads values where there are none: %v", err)
	}
	run(0, "import", "parquet", path, "--column", "name", "-o", "d.blm", "--quiet")
	check(t, os.WriteFile(filepath.Join(folder, "list"), []byte(strings.Join(domains, "\n")),
		0o600))
	run(0, "build", "list", "-o", "l.blm", "--key", "d.blm.key", "--quiet")
	imported, err := os.ReadFile(filepath.Join(folder, "d.blm"))
	check(t, err)
	built, err := os.ReadFile(filepath.Join(folder, "l.blm"))
	check(t, err)
	if !bytes.Equal(imported, built) {
		t.Error("the filter of the column is not that of the list")
	}
	t.Logf("%d domains in %d row groups", len(domains), groups)
}
