package engines

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/internal/require"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

// duckDB is a process that answers SQL.
type duckDB struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

// modules is where make setup puts what package.json names.
const modules = "../../.build/duckdb/node_modules"

// startDuckDB starts a process for a test and its subtests.
func startDuckDB(t *testing.T) *duckDB {
	t.Helper()
	path, err := filepath.Abs(modules)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		require.Skip(t, "duckdb", "make setup installs it: "+err.Error())
	}
	cmd := commandtest.Process(t, "node", "duckdb.cjs")
	cmd.Env = append(os.Environ(), "NODE_PATH="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		require.Skip(t, "duckdb", "Node runs it: "+err.Error())
	}
	d := &duckDB{in, bufio.NewScanner(out)}
	d.out.Buffer(nil, 64<<20)
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return d
}

// query returns the rows of an answer, in which integers of 64 bits are strings.
func (d *duckDB) query(t *testing.T, sql string, args ...any) [][]any {
	t.Helper()
	rows, err := d.try(fmt.Sprintf(sql, args...))
	if err != nil {
		t.Fatalf("%s: %v", fmt.Sprintf(sql, args...), err)
	}
	return rows
}

func (d *duckDB) try(sql string) ([][]any, error) {
	line, err := json.Marshal(sql)
	if err != nil {
		return nil, err
	}
	if _, err := d.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	if !d.out.Scan() {
		return nil, fmt.Errorf("DuckDB has ended: %v", d.out.Err())
	}
	var answer struct {
		Rows  [][]any
		Error string
	}
	if err := json.Unmarshal(d.out.Bytes(), &answer); err != nil {
		return nil, err
	}
	if answer.Error != "" {
		return nil, fmt.Errorf("%s", answer.Error)
	}
	return answer.Rows, nil
}

// literal returns a value in SQL.
func literal(value any) string {
	switch v := value.(type) {
	case int32:
		return fmt.Sprintf("%d::INTEGER", v)
	case int64:
		return fmt.Sprintf("(%d)::BIGINT", v)
	case float64:
		return fmt.Sprintf("'%v'::DOUBLE", v)
	case []byte:
		var b strings.Builder
		for _, c := range v {
			fmt.Fprintf(&b, `\x%02X`, c)
		}
		return "'" + b.String() + "'::BLOB"
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	panic(fmt.Sprintf("%T", value))
}
