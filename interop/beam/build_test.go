package bloombeam

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	beamlocal "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/parquetio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/xitongsys/parquet-go-source/local"
	"github.com/xitongsys/parquet-go/writer"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
)

// TestMain is also the main function of workers. For them beam.Init does not return.
func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	slog.SetDefault(
		slog.New(slog.NewTextHandler(&runnerLog, &slog.HandlerOptions{Level: slog.LevelDebug})))
	os.Exit(m.Run())
}

// runnerLog has the log of the runner.
var runnerLog lockedBuffer

type lockedBuffer struct {
	sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.Lock()
	defer b.Unlock()
	return b.Buffer.Write(p)
}

func init() {
	register.DoFn3x1[context.Context, string, func(string), error](&faultFn{})
	register.DoFn2x0[row, func(string)](&columnFn{})
	register.DoFn2x0[string, func([]byte)](&bytesFn{})
	register.DoFn2x0[string, func(uint64)](&numberFn{})
	register.Emitter1[[]byte]()
	register.Emitter1[uint64]()
	filesystem.Register("faulty",
		func(ctx context.Context) filesystem.Interface { return faulty{beamlocal.New(ctx)} })
}

// row is a row of the Parquet files.
type row struct {
	Key  string `parquet:"name=key, type=BYTE_ARRAY, convertedtype=UTF8"`
	Size int64  `parquet:"name=size, type=INT64"`
}

type columnFn struct{}

func (columnFn) ProcessElement(r row, emit func(string)) { emit(r.Key) }

type bytesFn struct{}

func (bytesFn) ProcessElement(s string, emit func([]byte)) { emit([]byte(s)) }

type numberFn struct{}

func (numberFn) ProcessElement(s string, emit func(uint64)) {
	var n uint64
	_, _ = fmt.Sscanf(s, "key %d", &n)
	emit(n)
}

// once reports whether this is the first call for a name in a folder, over all processes.
func once(folder, name string) bool {
	f, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = f.Close()
	}
	return err == nil
}

// faultFn stands for a function of the user. At its thousandth key the first bundle fails, and the
// next one ends its process.
type faultFn struct {
	Folder string
	seen   int
}

func (f *faultFn) StartBundle(_ func(string)) { f.seen = 0 }

func (f *faultFn) ProcessElement(ctx context.Context, k string, emit func(string)) error {
	if f.seen++; f.seen == 1000 {
		if once(f.Folder, "failed") {
			return errors.New("the first bundle fails")
		}
		if once(f.Folder, "ended") {
			os.Exit(3)
		}
	}
	emit(k)
	return nil
}

// faulty is the local file system with four faults, in this order: the file of a part cannot be
// written to its end, the process dies while it writes one, a file cannot be renamed, and the
// process dies after it renamed one.
type faulty struct{ filesystem.Interface }

func path(name string) string { return strings.TrimPrefix(name, "faulty://") }

func (f faulty) List(ctx context.Context, glob string) ([]string, error) {
	names, err := f.Interface.List(ctx, path(glob))
	for i := range names {
		names[i] = "faulty://" + names[i]
	}
	return names, err
}

func (f faulty) OpenRead(ctx context.Context, name string) (io.ReadCloser, error) {
	return f.Interface.OpenRead(ctx, path(name))
}

func (f faulty) OpenWrite(ctx context.Context, name string) (io.WriteCloser, error) {
	w, err := f.Interface.OpenWrite(ctx, path(name))
	return half{w, path(name)}, err
}

func (f faulty) Remove(ctx context.Context, name string) error {
	return f.Interface.(filesystem.Remover).Remove(ctx, path(name))
}

func (f faulty) Rename(ctx context.Context, from, to string) error {
	folder := filepath.Dir(filepath.Dir(path(to)))
	if once(folder, "not-renamed") {
		return errors.New("a rename fails")
	}
	err := f.Interface.(filesystem.Renamer).Rename(ctx, path(from), path(to))
	if once(folder, "died-after-rename") {
		os.Exit(4)
	}
	return err
}

// half writes only half of its bytes if there is a fault.
type half struct {
	io.WriteCloser
	name string
}

func (h half) Write(b []byte) (int, error) {
	folder := filepath.Dir(filepath.Dir(h.name))
	if once(folder, "half-written") {
		n, _ := h.WriteCloser.Write(b[:len(b)/2])
		return n, errors.New("a disk is full")
	}
	if once(folder, "died-writing") {
		_, _ = h.WriteCloser.Write(b[:len(b)/2])
		os.Exit(5)
	}
	return h.WriteCloser.Write(b)
}

// The keys of the tests: sources of texts. Some texts are in two sources, and one is empty.
const sources, perSource = 4, 5000

func keyOf(source, i int) string {
	if i%10 == 0 {
		source = 0 // so that all sources have it
	}
	if source == 1 && i == 17 {
		return ""
	}
	return fmt.Sprintf("key %d", source*perSource+i)
}

// write writes a file of keys per source, and returns a reader for each.
func write(t *testing.T, folder, format string) []func(beam.Scope) beam.PCollection {
	t.Helper()
	var read []func(beam.Scope) beam.PCollection
	for source := range sources {
		name := filepath.Join(folder, fmt.Sprintf("source-%d.%s", source, format))
		switch format {
		case "txt":
			var text strings.Builder
			for i := range perSource {
				fmt.Fprintln(&text, keyOf(source, i))
			}
			if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			read = append(read, func(s beam.Scope) beam.PCollection { return textio.Read(s, name) })
		case "parquet":
			f, err := local.NewLocalFileWriter(name)
			if err != nil {
				t.Fatal(err)
			}
			w, err := writer.NewParquetWriter(f, new(row), 1)
			if err != nil {
				t.Fatal(err)
			}
			for i := range perSource {
				if err := w.Write(row{keyOf(source, i), int64(i)}); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(w.WriteStop(), f.Close()); err != nil {
				t.Fatal(err)
			}
			read = append(read, func(s beam.Scope) beam.PCollection {
				return beam.ParDo(s, &columnFn{}, parquetio.Read(s, name, reflect.TypeFor[row]()))
			})
		}
	}
	return read
}

var testKey = keytest.Key(0xc0, 0xff, 0xee, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x5a, 0xa5, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x77)

// partsOf is the number of parts of a build by Partition in the tests: 625 blocks in parts of 120.
const partsOf = 6

// newBuild returns a build of the tests' keys.
func newBuild(t testing.TB, folder, scheme string) *Build {
	t.Helper()
	b := &Build{
		Filter: deletable.Config{Members: sources * perSource, BitsPerKey: 16, Turnovers: 1,
			Key: testKey},
		KeyFile:    filepath.Join(folder, "secret.key"),
		To:         scheme + filepath.Join(folder, "parts"),
		PartBlocks: 120,
	}
	if err := os.WriteFile(b.KeyFile, []byte(testKey.Secret()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

// single returns the filter that one process makes.
func single(t *testing.T, b *Build) *deletable.Filter {
	t.Helper()
	f, err := deletable.New(b.Filter)
	if err != nil {
		t.Fatal(err)
	}
	for source := range sources {
		for i := range perSource {
			if _, err := f.InsertString(keyOf(source, i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return f
}

// run runs a pipeline on the local runner, with a cluster or, without one, in this process.
func run(t *testing.T, c *cluster, p *beam.Pipeline) error {
	t.Helper()
	*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "loopback", ""
	if c != nil {
		*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "external", c.address
		// what the runner stages without need
		*jobopts.WorkerBinary = filepath.Join(t.TempDir(), "worker")
		if err := os.WriteFile(*jobopts.WorkerBinary, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := prism.Execute(context.Background(), p)
	return err
}

// opened returns the filter of a build. It fails the test if the filter differs from that of one
// process.
func opened(t *testing.T, b *Build, want *deletable.Filter) {
	t.Helper()
	f, err := b.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !f.Equal(want) {
		t.Fatalf("%v differs from %v of one process: %d and %d inserts", f, want, f.Inserts(),
			want.Inserts())
	}
	name := filepath.Join(t.TempDir(), "saved.blm")
	if err := f.Save(name); err != nil {
		t.Fatal(err)
	}
	g, err := deletable.Open(name, testKey)
	if err != nil || !g.Equal(want) {
		t.Fatalf("%v is saved as %v, %v", f, g, err)
	}
	if left, err := filepath.Glob(filepath.Join(path(b.To), temporaryPrefix+"*")); err != nil ||
		len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Combine and Partition build the filter of one process from text and Parquet files, with several
// processes and bundles, while bundles fail and processes die.
func TestCluster(t *testing.T) {
	for _, test := range []struct {
		format    string
		partition bool
	}{{"txt", false}, {"parquet", false}, {"txt", true}, {"parquet", true}} {
		t.Run(fmt.Sprintf("%s, partition %t", test.format, test.partition), func(t *testing.T) {
			folder := t.TempDir()
			b := newBuild(t, folder, "faulty://")
			c := newCluster(t, 6)
			p, s := beam.NewPipelineWithRoot()
			var read []beam.PCollection
			for _, source := range write(t, folder, test.format) {
				read = append(read, source(s))
			}
			keys := beam.ParDo(s, &faultFn{Folder: folder}, beam.Flatten(s, read...))
			add := b.Combine
			if test.partition {
				add = b.Partition
			}
			if err := add(context.Background(), s, keys); err != nil {
				t.Fatal(err)
			}
			if err := run(t, c, p); err != nil {
				t.Fatal(err)
			}
			opened(t, b, single(t, b))

			c.mu.Lock()
			defer c.mu.Unlock()
			for _, fault := range []string{"failed", "ended", "half-written", "died-writing",
				"not-renamed", "died-after-rename"} {
				if once(folder, fault) {
					t.Errorf("the fault %q has not happened", fault)
				}
			}
			if c.deaths != 3 || len(c.failures) < 6 {
				t.Errorf("%d processes died, want 3; %d bundles failed: %s", c.deaths,
					len(c.failures), c.failures)
			}
			if len(c.finished) < 3 {
				t.Errorf("%d processes have finished bundles", len(c.finished))
			}
			// A bundle of 6667 keys makes a full pack and another one. The runner's two bundles of
			// packs, each of which is cut into three, also have the empty pack.
			want := map[string]int64{"keys": sources * perSource, "packs": 2 * pieces,
				"merges": pieces - 1, "parts": 1}
			if test.partition {
				want = map[string]int64{"keys": sources * perSource, "packs": partsOf * pieces,
					"parts": partsOf}
			}
			if !reflect.DeepEqual(c.counters, want) {
				t.Errorf("counters %v, want %v", c.counters, want)
			}
			t.Logf("%d bundles on %d processes, %d failed, %d processes died, counters %v",
				len(c.bundles), len(c.finished), len(c.failures), c.deaths, c.counters)
			secret(t, c.log.String())
		})
	}
	runnerLog.Lock()
	defer runnerLog.Unlock()
	secret(t, runnerLog.String())
}

// secret fails the test if a text contains the key in a form in which it could leak.
func secret(t *testing.T, text string) {
	t.Helper()
	if len(text) < 1000 {
		t.Errorf("a log of %d bytes tells nothing", len(text))
	}
	raw := [32]byte(testKey.Bytes())
	list, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	hex := testKey.Secret()
	for _, form := range []string{hex, strings.ToUpper(hex), string(raw[:]),
		base64.StdEncoding.EncodeToString(raw[:]), base64.StdEncoding.EncodeToString([]byte(hex)),
		strings.Trim(string(list), "[]"), strings.Trim(fmt.Sprint(raw), "[]")} {
		if strings.Contains(text, form) {
			t.Errorf("the key is told as %q", form)
		}
	}
}

// Keys of bytes and numbers, in windows of their own, and no keys at all, in one process, as the
// local runner is commonly used.
func TestKinds(t *testing.T) {
	for _, test := range []struct {
		name   string
		keys   func(s beam.Scope, texts beam.PCollection) beam.PCollection
		insert func(f *deletable.Filter, text string) (bool, error)
	}{
		{"bytes",
			func(s beam.Scope, texts beam.PCollection) beam.PCollection {
				return beam.ParDo(s,
					&bytesFn{}, texts)
			}, func(f *deletable.Filter, text string) (bool, error) {
				return f.Insert([]byte(text))
			}},
		{"numbers",
			func(s beam.Scope, texts beam.PCollection) beam.PCollection {
				return beam.ParDo(s,
					&numberFn{}, texts)
			}, func(f *deletable.Filter, text string) (bool, error) {
				var n uint64
				_, _ = fmt.Sscanf(text, "key %d", &n)
				return f.InsertUint64(n)
			}},
		{"windows", func(s beam.Scope, texts beam.PCollection) beam.PCollection {
			return beam.WindowInto(s, window.NewFixedWindows(time.Hour), texts)
		}, (*deletable.Filter).InsertString},
		{"none", func(s beam.Scope, _ beam.PCollection) beam.PCollection {
			return textio.Read(s, "no/such/file-*")
		}, nil},
	} {
		for _, partition := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, partition %t", test.name, partition), func(t *testing.T) {
				folder := t.TempDir()
				b := newBuild(t, folder, "")
				want, err := deletable.New(b.Filter)
				if err != nil {
					t.Fatal(err)
				}
				texts := []string{"key 1", "key 22", "key 333", "key 22"}
				if test.insert != nil {
					for _, text := range texts {
						if _, err := test.insert(want, text); err != nil {
							t.Fatal(err)
						}
					}
				}
				p, s := beam.NewPipelineWithRoot()
				keys := test.keys(s, beam.CreateList(s, texts))
				add := b.Combine
				if partition {
					add = b.Partition
				}
				if err := add(context.Background(), s, keys); err != nil {
					t.Fatal(err)
				}
				if err := run(t, nil, p); err != nil {
					t.Fatal(err)
				}
				opened(t, b, want)
			})
		}
	}
}

// A worker whose key file has another key, or no key, builds nothing, and no error quotes the file.
func TestWrongKeyFile(t *testing.T) {
	other := keytest.Key(9)
	for _, text := range []string{other.Secret(), testKey.Secret()[:62] + "zz", ""} {
		folder := t.TempDir()
		b := newBuild(t, folder, "")
		if err := os.WriteFile(b.KeyFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, s := beam.NewPipelineWithRoot()
		if err := b.Combine(context.Background(), s, beam.CreateList(s, []string{"a"})); err !=
			nil {
			t.Fatal(err)
		}
		err := run(t, nil, p)
		if err == nil || text != "" && strings.Contains(err.Error(), text[:60]) {
			t.Errorf("error %v", err)
		}
		if _, err := readKey(context.Background(), b.KeyFile, testKey.Identity()); text ==
			other.Secret() != errors.Is(err, file.ErrWrongKey) || err == nil {
			t.Errorf("error %v", err)
		}
	}
}

// A build that is not possible is an error before a pipeline runs.
func TestRefused(t *testing.T) {
	for _, test := range []struct {
		name, field string
		change      func(b *Build)
		partition   bool
	}{
		{"no filter", "BitsPerKey", func(b *Build) { b.Filter = deletable.Config{Key: testKey} },
			false},
		{"no filter", "BitsPerKey", func(b *Build) { b.Filter = deletable.Config{Key: testKey} },
			true},
		{"no key", "Filter.Key", func(b *Build) { b.Filter.Key = key.Key{} }, false},
		{"no key file", "KeyFile", func(b *Build) { b.KeyFile = "" }, true},
		{"no folder", "To", func(b *Build) { b.To = "" }, false},
		{"a table of 1 GiB and a block", "Filter",
			func(b *Build) { b.Filter.Members, b.Filter.BitsPerKey = MaxCombined+1, 512 }, false},
		{"parts of no blocks", "PartBlocks", func(b *Build) { b.PartBlocks = -1 }, true},
	} {
		b := newBuild(t, t.TempDir(), "")
		test.change(b)
		_, s := beam.NewPipelineWithRoot()
		keys := beam.CreateList(s, []string{"a"})
		add := b.Combine
		if test.partition {
			add = b.Partition
		}
		var e *filter.SizingError
		if err := add(context.Background(), s, keys); !errors.As(err, &e) || e.Field != test.field {
			t.Errorf("%s: error %v, want one of %s", test.name, err, test.field)
		}
	}
	_, s := beam.NewPipelineWithRoot()
	b := newBuild(t, t.TempDir(), "")
	var e *filter.SizingError
	if err := b.Combine(context.Background(), s, beam.CreateList(s, []int{1})); !errors.As(err,
		&e) || e.Field != "keys" {
		t.Errorf("error %v", err)
	}
	if err := os.MkdirAll(b.To, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.To, "part-00000-of-00002.blm"), []byte("damaged"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.Partition(context.Background(), s, beam.CreateList(s, []string{"a"})); !errors.Is(
		err, ErrParts) {
		t.Errorf("error %v", err)
	}
	if _, err := b.Open(context.Background()); !errors.Is(err, file.ErrNotFilter) {
		t.Errorf("error %v", err)
	}
	b.To = ""
	if _, err := b.Open(context.Background()); !errors.As(err, &e) || e.Field != "To" {
		t.Errorf("error %v", err)
	}
	b.To = "nothing://there"
	if err := b.Combine(context.Background(), s, beam.CreateList(s, []string{"a"})); err == nil {
		t.Error("a file system that is not registered is none")
	}
}
