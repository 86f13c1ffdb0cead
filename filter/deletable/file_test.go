package deletable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// loaders are the ways to load a table: that of this host, and the copying one of hosts that
// cannot map.
var loaders = map[string]loader{"host": mapTable, "read": readTable}

// sample returns a small filter with a past, and its file's bytes, of version 1.
func sample(t testing.TB) (*Filter, []byte) {
	t.Helper()
	return sampleOf(t, Config{Members: 50, BitsPerKey: 20, Key: fixed})
}

// turning is the plan of a sample whose file is of version 2.
func turning(t testing.TB) Config {
	t.Helper()
	lifetime, err := planning.Pareto(1.5)
	if err != nil {
		t.Fatal(err)
	}
	return Config{Members: 50, BitsPerKey: 20, Turnovers: 1.25, Lifetime: lifetime, Key: fixed}
}

// sampleOf returns a small filter of a plan with a past, and its file's bytes.
func sampleOf(t testing.TB, config Config) (*Filter, []byte) {
	t.Helper()
	f, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(60) {
		f.InsertUint64(n)
	}
	for n := range uint64(30) {
		f.DeleteUint64(n)
	}
	var file bytes.Buffer
	if _, err := f.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	return f, file.Bytes()
}

func writeFile(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.blm")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSaveAndOpen(t *testing.T) {
	for name, load := range loaders {
		for _, members := range []int{1, 33, 100_000} { // of less than a piece of lanes, and of several
			t.Run(fmt.Sprintf("%s/%d", name, members), func(t *testing.T) {
				want := newFilter(t, members, 16)
				for n := range uint64(members) {
					want.InsertUint64(n)
				}
				for n := range uint64(members / 2) {
					want.DeleteUint64(n)
				}
				path := filepath.Join(t.TempDir(), "f.blm")
				if err := want.Save(path); err != nil {
					t.Fatal(err)
				}
				if info, err := os.Stat(path); err != nil || info.Size() != fileBytes(want.Blocks()) {
					t.Errorf("%d bytes (%v), want %d", info.Size(), err, fileBytes(want.Blocks()))
				}
				got, err := decode(path, &fixed, load)
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, want)
				if !got.Key().Equal(fixed) || got.Stats() != want.Stats() {
					t.Errorf("%+v, want %+v", got.Stats(), want.Stats())
				}

				// It can be written to and saved, also over the file that it is mapped from.
				for _, f := range []*Filter{got, want} {
					for n := range uint64(members) {
						f.InsertUint64(n + 1_000_000)
					}
				}
				if err := got.Save(path); err != nil {
					t.Fatal(err)
				}
				same(t, got, want)
				again, err := decode(path, &fixed, load)
				if err != nil {
					t.Fatal(err)
				}
				same(t, again, want)
				for _, f := range []*Filter{got, again} {
					if err := f.Close(); err != nil {
						t.Errorf("close: %v", err)
					}
				}
			})
		}
	}
}

func TestAnOpenFilterDoesNotWriteItsFile(t *testing.T) {
	_, content := sample(t)
	path := writeFile(t, content)
	f, err := Open(path, fixed)
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(100) {
		f.InsertUint64(n + 1000)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, content) {
		t.Errorf("the file changed (%v)", err)
	}
}

// The bytes of a file are fixed: a file that was written once can always be read. The numbers are
// put together here from the layout that header.go documents.
func TestFileLayout(t *testing.T) {
	u32, u64 := binary.LittleEndian.AppendUint32, binary.LittleEndian.AppendUint64
	for version, config := range map[uint32]Config{1: {Members: 50, BitsPerKey: 20, Key: fixed}, 2: turning(t)} {
		f, got := sampleOf(t, config)
		var lanes []byte
		for _, block := range blocksOf(f) {
			for _, lane := range block {
				lanes = u64(lanes, lane)
			}
		}
		want := []byte{0x89, 'B', 'L', 'M', 0x0d, 0x0a, 0x1a, 0x0a}
		want = u32(want, version)
		want = u32(want, 64)
		want = u64(want, 2)
		want = u64(want, 50)
		want = u64(want, 60)
		want = u64(want, uint64(f.Deleted()))
		want = u64(want, uint64(f.Retained()))
		want = u64(want, fixed.Fingerprint())
		want = u32(want, crc32.Checksum(lanes, crc32.MakeTable(crc32.Castagnoli)))
		if version == 2 {
			want = u32(want, 0)
			want = u64(want, math.Float64bits(1.25))
			want = u64(want, math.Float64bits(f.Stats().PlannedRate))
			want = append(want, "pareto:1.5"...)
		}
		want = append(want, make([]byte, 4092-len(want))...)
		want = u32(want, crc32.Checksum(want, crc32.MakeTable(crc32.Castagnoli)))
		want = append(want, lanes...)
		if !bytes.Equal(got, want) {
			t.Errorf("version %d: a file of %d bytes differs from its layout of %d", version, len(got), len(want))
		}
		if f.Deleted() == 0 || f.Retained() == 0 {
			t.Error("a counter of the sample is zero")
		}
		if secret := fixed.Bytes(); bytes.Contains(got, secret[:8]) {
			t.Error("the file holds the key")
		}
	}
}

// The plan survives a file, whatever it is; only a lifetime without a name becomes that of the oldest.
func TestSaveAndOpenThePlan(t *testing.T) {
	mixture, err := planning.Mixture(1.0/3, 1e-300/3)
	if err != nil {
		t.Fatal(err)
	}
	heavy, err := planning.Pareto(1.0000000000000002)
	if err != nil {
		t.Fatal(err)
	}
	observed, err := planning.Observed([]float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, lifetime := range []planning.Lifetime{planning.Oldest(), planning.Random(), heavy, mixture, observed} {
		want, err := New(Config{Members: 100, Rate: 0.01, Turnovers: 1.0 / 3, Lifetime: lifetime, Key: fixed})
		if err != nil {
			t.Fatal(err)
		}
		for n := range uint64(133) {
			want.InsertUint64(n)
		}
		path := filepath.Join(t.TempDir(), "f.blm")
		if err := want.Save(path); err != nil {
			t.Fatal(err)
		}
		got, err := Open(path, fixed)
		if err != nil {
			t.Fatal(err)
		}
		if lifetime.String() == observed.String() {
			want.plan.lifetime = planning.Oldest()
		}
		same(t, got, want)
		if a, b := got.Health(), want.Health(); !reflect.DeepEqual(a, b) {
			t.Errorf("%v: %+v, want %+v", lifetime, a, b)
		}
		if got.Due() != nil {
			t.Errorf("%v: %v, in the plan", lifetime, got.Due())
		}
		if got.InsertUint64(133); got.Due() == nil {
			t.Errorf("%v: not due after 134 inserts", lifetime)
		}
		if info, err := Inspect(path); err != nil || info.Version != 2 || !reflect.DeepEqual(info.Health, want.Health()) {
			t.Errorf("%v: %+v (%v), want %+v", lifetime, info, err, want.Health())
		}
		if err := got.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Of the plan, too, no number is taken that no filter has, and no second spelling.
func TestOpenRefusesForgedPlans(t *testing.T) {
	_, content := sampleOf(t, turning(t))
	for _, test := range []struct {
		name   string
		offset int
		value  string
	}{
		{"the version without turnovers", 8, "\x01"},
		{"something before the turnovers", 68, "\x01"},
		{"no turnovers", 72, float(0)},
		{"turnovers below 0", 72, float(-1)},
		{"too many turnovers", 72, float(1001)},
		{"turnovers that are no number", 72, float(math.NaN())},
		{"a rate of 0", 80, float(0)},
		{"a rate below 0", 80, float(-0.1)},
		{"a rate above 1", 80, float(1.0000001)},
		{"a rate that is no number", 80, float(math.NaN())},
		{"no lifetime", 88, strings.Repeat("\x00", 64)},
		{"no name of a lifetime", 88, "paretos:1.5"},
		{"another spelling of a lifetime", 88, "pareto:1.50"},
		{"a lifetime that nobody has", 88, "pareto:0.5"},
		{"an observed lifetime", 88, "observed:1"},
		{"something after the lifetime's end", 100, "0"},
		{"something in the zeros", 152, "\x01"},
		{"something at the end of the zeros", 4091, "\x01"},
	} {
		forged := bytes.Clone(content)
		copy(forged[test.offset:], test.value)
		refused(t, test.name, seal(forged), ErrBounds)
	}
}

func float(x float64) string {
	return string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
}

// refused fails the test unless every loader refuses the content with an error that wraps want, nil
// for any, and says the path.
func refused(t *testing.T, what string, content []byte, want error) {
	t.Helper()
	path := writeFile(t, content)
	for name, load := range loaders {
		_, err := decode(path, &fixed, load)
		if err != nil {
			err = fileError("open", path, err)
		}
		var e *FileError
		if !errors.As(err, &e) || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %s: error %v, want %v", what, name, err, want)
			continue
		}
		if !strings.HasPrefix(err.Error(), "open filter "+path+": ") || e.Found == "" || e.Expected == "" {
			t.Errorf("%s: %s: %v does not say the path, what was found or what was expected", what, name, err)
		}
	}
}

func TestEveryByteOfAFileIsChecked(t *testing.T) {
	_, content := sampleOf(t, turning(t))
	path := writeFile(t, content)
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for i, b := range content {
		want := ErrChecksum
		switch {
		case i < 8:
			want = ErrNotFilter
		case i < 12:
			want = ErrVersion
		}
		if _, err := file.WriteAt([]byte{b ^ 1<<(i%8)}, int64(i)); err != nil {
			t.Fatal(err)
		}
		for name, load := range loaders {
			if _, err := decode(path, &fixed, load); !errors.Is(err, want) {
				t.Fatalf("byte %d: %s: error %v, want %v", i, name, err, want)
			}
		}
		if _, err := file.WriteAt([]byte{b}, int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	for name, load := range loaders {
		if _, err := decode(path, &fixed, load); err != nil {
			t.Errorf("the file with every byte put back: %s: %v", name, err)
		}
	}
}

func TestEveryLengthOfAFileIsChecked(t *testing.T) {
	_, content := sample(t)
	path := writeFile(t, content)
	for length := len(content) - 1; length >= 0; length-- {
		want := ErrLength
		if length < 8 {
			want = ErrNotFilter
		}
		if err := os.Truncate(path, int64(length)); err != nil {
			t.Fatal(err)
		}
		for name, load := range loaders {
			if _, err := decode(path, &fixed, load); !errors.Is(err, want) {
				t.Fatalf("%d bytes: %s: error %v, want %v", length, name, err, want)
			}
		}
	}
	for _, more := range []int{1, 64, 4096} {
		refused(t, fmt.Sprintf("%d bytes more", more), append(bytes.Clone(content), make([]byte, more)...), ErrLength)
	}
}

// seal makes the header's checksum right, as whoever forges a file can.
func seal(content []byte) []byte {
	if len(content) >= headerBytes {
		binary.LittleEndian.PutUint32(content[checkAt:], crc32.Checksum(content[:checkAt], castagnoli))
	}
	return content
}

// Numbers that no filter has are refused also where the checksum is right, before memory is taken.
func TestOpenRefusesForgedHeaders(t *testing.T) {
	_, content := sample(t)
	for _, test := range []struct {
		name   string
		offset int
		value  uint64
		err    error
	}{
		{"a later version", 8, 3 | 64<<32, ErrVersion},
		{"version 0", 8, 64 << 32, ErrVersion},
		{"the version with turnovers, and none", 8, 2 | 64<<32, ErrBounds},
		{"another lane width", 8, 1 | 32<<32, ErrBounds},
		{"no blocks", 16, 0, ErrBounds},
		{"more blocks than the file has", 16, 3, ErrLength},
		{"fewer blocks than the file has", 16, 1, ErrLength},
		{"the largest table", 16, uint64(MaxBlocks), ErrLength},
		{"a larger table than that", 16, uint64(MaxBlocks) + 1, ErrBounds},
		{"blocks whose bytes overflow 64 bits", 16, 1<<58 + 2, ErrBounds},
		{"the most blocks", 16, math.MaxUint64, ErrBounds},
		{"no planned members", 24, 0, ErrBounds},
		{"too many planned members", 24, 1 << 63, ErrBounds},
		{"too many inserts", 32, 1 << 63, ErrBounds},
		{"too many deletes", 40, 1 << 63, ErrBounds},
		{"too many retained", 48, math.MaxUint64, ErrBounds},
		{"another key", 56, 1, ErrWrongKey},
		{"another checksum of the lanes", 64, 1, ErrChecksum},
		{"something in the zeros", 68, 1, ErrBounds},
		{"something at the end of the zeros", 4084, 1 << 56, ErrBounds},
	} {
		forged := bytes.Clone(content)
		binary.LittleEndian.PutUint64(forged[test.offset:], test.value)
		refused(t, test.name, seal(forged), test.err)
	}
}

// A header may claim numbers that are absurd without being out of bounds; no statistic takes long.
func TestHealthOfAnAbsurdHeader(t *testing.T) {
	for _, config := range []Config{{Members: 50, BitsPerKey: 20, Key: fixed}, turning(t)} {
		_, content := sampleOf(t, config)
		for offset := 24; offset <= 48; offset += 8 {
			binary.LittleEndian.PutUint64(content[offset:], math.MaxInt)
		}
		if config.Turnovers > 0 {
			copy(content[72:], float(planning.MaxTurnovers)+float(1))
		}
		info, err := Inspect(writeFile(t, seal(content)))
		if err != nil || info.PlannedRate != 1 || info.Members != 0 || info.Due != nil {
			t.Errorf("%+v (%v), want a planned rate of 1, no members, and all inserts in the plan", info, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	_, content := sample(t)
	path := writeFile(t, content)
	if _, err := Open(path, key.New()); !errors.Is(err, ErrWrongKey) {
		t.Errorf("wrong key: error %v", err)
	}
	if _, err := Open(filepath.Dir(path), fixed); !errors.Is(err, ErrNotFilter) {
		t.Errorf("folder: error %v", err)
	}
	var e *FileError
	if _, err := Open(path+".missing", fixed); !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &e) {
		t.Errorf("no file: error %v", err)
	}
	for name, content := range map[string]string{
		"an empty file":            "",
		"text":                     "a list\nof keys\n",
		"a file of PNG":            "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 5000),
		"a filter sent as text":    strings.ReplaceAll(string(content), "\r\n", "\n"),
		"the start of the magic":   "\x89BLM",
		"a file of zeros, of a kB": strings.Repeat("\x00", 1024),
	} {
		refused(t, name, []byte(content), ErrNotFilter)
	}
}

func TestSaveFails(t *testing.T) {
	f, _ := sample(t)
	path := filepath.Join(t.TempDir(), "missing", "f.blm")
	var e *FileError
	if err := f.Save(path); !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &e) || e.Op != "save" {
		t.Errorf("no folder: error %v", err)
	}
}

func TestInspect(t *testing.T) {
	f, content := sample(t)
	info, err := Inspect(writeFile(t, content))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Info{f.Health(), 1, fixed.Fingerprint()}); !reflect.DeepEqual(info, want) {
		t.Errorf("%+v, want %+v", info, want)
	}
	content[len(content)-1]++
	if _, err := Inspect(writeFile(t, content)); !errors.Is(err, ErrChecksum) {
		t.Errorf("a damaged file: error %v", err)
	}
}

// FuzzOpen opens files that are damaged, or forged with right checksums: none makes Open panic or
// take memory that the file does not fill, the two loaders agree, and a file that is accepted is
// written back the same.
func FuzzOpen(f *testing.F) {
	_, content := sample(f)
	f.Add(content, false)
	f.Add(content[:headerBytes], true)
	f.Add(content[:headerBytes+1], true)
	f.Add([]byte(magic), true)
	f.Add([]byte{}, false)
	forged := bytes.Clone(content)
	binary.LittleEndian.PutUint64(forged[16:], math.MaxUint64)
	f.Add(forged, true)
	_, planned := sampleOf(f, turning(f))
	f.Add(planned, false)
	endless := bytes.Clone(planned)
	copy(endless[72:], float(math.Inf(1)))
	f.Add(endless, true)
	f.Fuzz(func(t *testing.T, content []byte, forge bool) {
		if forge && len(content) >= headerBytes {
			content = bytes.Clone(content)
			binary.LittleEndian.PutUint64(content[56:], fixed.Fingerprint())
			binary.LittleEndian.PutUint32(content[64:], crc32.Checksum(content[headerBytes:], castagnoli))
			seal(content)
		}
		path := writeFile(t, content)
		host, err := decode(path, &fixed, mapTable)
		read, readErr := decode(path, &fixed, readTable)
		if fmt.Sprint(err) != fmt.Sprint(readErr) {
			t.Fatalf("the host's loader says %v, the copying one %v", err, readErr)
		}
		if err != nil {
			return
		}
		same(t, host, read)
		host.Stats()
		var back bytes.Buffer
		if _, err := host.WriteTo(&back); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(back.Bytes(), content) {
			t.Error("the file is written back with a difference")
		}
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
}
