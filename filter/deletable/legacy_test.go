package deletable

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/file"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/planning"
)

// legacyFile returns a file that a version of this package wrote when files had version 1 or 2. The
// filter is the sample without and with planned turnovers. Its hash key is in testdata too.
func legacyFile(t testing.TB, version int) []byte {
	t.Helper()
	content, err := os.ReadFile(fmt.Sprintf("testdata/v%d.blm", version))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// legacySamples returns the filters of the files of version 1 and 2.
func legacySamples(t testing.TB) map[int]*Filter {
	t.Helper()
	one, _ := sample(t)
	two, _ := sampleOf(t, turning(t))
	tableOf(two).plan.rate = 0.006761562869498204 // the prediction when the file was written
	return map[int]*Filter{1: one, 2: two}
}

func TestTheLegacyKey(t *testing.T) {
	text, err := os.ReadFile("testdata/legacy.key")
	if err != nil {
		t.Fatal(err)
	}
	if k, err := key.Parse(strings.TrimSpace(string(text))); err != nil || !k.Equal(fixed) {
		t.Errorf("%v (%v), want %v", k, err, fixed)
	}
}

// Files of version 1 and 2 have the layout of legacy.go in package file. The test makes them field
// by field.
func TestLegacyLayout(t *testing.T) {
	for version, f := range legacySamples(t) {
		blocks := blockBytes(f)
		want := []byte{0x89, 'B', 'L', 'M', 0x0d, 0x0a, 0x1a, 0x0a}
		want = u32(want, uint32(version))
		want = u32(want, 64)
		want = u64(want, 2)
		want = u64(want, 50)
		want = u64(want, 60)
		want = u64(want, uint64(f.Deleted()))
		want = u64(want, uint64(f.Retained()))
		want = u64(want, fixed.Fingerprint())
		want = u32(want, sum(blocks))
		if version == 2 {
			want = u32(want, 0)
			want = u64(want, math.Float64bits(1.25))
			want = u64(want, math.Float64bits(f.Stats().PlannedRate))
			want = append(want, "pareto:1.5"...)
		}
		want = append(want, make([]byte, 4092-len(want))...)
		want = u32(want, sum(want))
		want = append(want, blocks...)
		if got := legacyFile(t, version); !bytes.Equal(got, want) {
			t.Errorf("version %d: a file of %d bytes differs from its layout of %d", version,
				len(got), len(want))
		}
	}
}

// Files of version 1 and 2 are read as the right filters: the blocks, all counters, the plan and
// the members. They are saved as version 3, and merge.
func TestLegacyFilesAreTheSameFilters(t *testing.T) {
	for version, want := range legacySamples(t) {
		file3 := fileOf(t, want)
		path := writeFile(t, legacyFile(t, version))
		for name, load := range loaders {
			f, err := load(path, fixed)
			if err != nil {
				t.Fatal(err)
			}
			same(t, f, want)
			if f.Inserts() != 60 || f.Deleted() != want.Deleted() ||
				f.Retained() != want.Retained() || f.Stats() != want.Stats() ||
				!f.Key().Equal(fixed) || !f.Equal(want) {
				t.Errorf("version %d, %s: %+v, want %+v", version, name, f.Stats(), want.Stats())
			}
			for n := range uint64(30) {
				if !f.QueryUint64(30 + n) {
					t.Errorf("version %d, %s: a member is not found", version, name)
				}
			}
			if !bytes.Equal(fileOf(t, f), file3) {
				t.Errorf("version %d, %s: the file of version 3 is not that of the same filter",
					version, name)
			}
			if err := f.Merge(want); err != nil {
				t.Error(err)
			}
			twice := want.Clone()
			if err := twice.Merge(want); err != nil {
				t.Error(err)
			}
			same(t, f, twice)

			saved := t.TempDir() + "/f.blm"
			if err := f.Save(saved); err != nil {
				t.Fatal(err)
			}
			reopened, err := load(saved, fixed)
			if err != nil {
				t.Fatal(err)
			}
			same(t, reopened, twice)
			if content, err := os.ReadFile(saved); err != nil || content[8] != file.Version {
				t.Errorf("version %d, %s: saved as version %d (%v), want %d", version, name,
					content[8], err, file.Version)
			}
		}
		if c, err := file.Load(path); err != nil || c.Version() != version {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// sealLegacy makes the checksum of a forged header right.
func sealLegacy(content []byte) []byte {
	binary.LittleEndian.PutUint32(content[4092:], sum(content[:4092]))
	return content
}

// A number that no filter can have is an error also with a right checksum, before memory is
// allocated.
func TestOpenRefusesForgedLegacyHeaders(t *testing.T) {
	for _, test := range []struct {
		name   string
		offset int
		value  uint64
		err    error
	}{
		{"a later version", 8, 4 | 64<<32, file.ErrVersion},
		{"the next version", 8, 3 | 64<<32, file.ErrBounds}, // a header of 64 bytes is too short
		{"version 0", 8, 64 << 32, file.ErrVersion},
		{"the version with turnovers, and none", 8, 2 | 64<<32, file.ErrBounds},
		{"another lane width", 8, 1 | 32<<32, file.ErrBounds},
		{"no blocks", 16, 0, file.ErrBounds},
		{"more blocks than the file has", 16, 3, file.ErrLength},
		// errors of what is read come before errors of what is left
		{"fewer blocks than the file has", 16, 1, file.ErrChecksum},
		{"the largest table", 16, uint64(MaxBlocks), file.ErrLength},
		{"a larger table than that", 16, 1<<30 + 1, file.ErrBounds},
		{"blocks whose bytes overflow 64 bits", 16, 1<<58 + 2, file.ErrBounds},
		{"the most blocks", 16, math.MaxUint64, file.ErrBounds},
		{"no planned members", 24, 0, file.ErrBounds},
		{"too many planned members", 24, 1 << 63, file.ErrBounds},
		{"too many inserts", 32, 1 << 63, file.ErrBounds},
		{"too many deletes", 40, 1 << 63, file.ErrBounds},
		{"too many retained", 48, math.MaxUint64, file.ErrBounds},
		{"another key", 56, 1, file.ErrWrongKey},
		{"another checksum of the blocks", 64, 1, file.ErrChecksum},
		{"something in the zeros", 68, 1, file.ErrBounds},
		{"something at the end of the zeros", 4084, 1 << 56, file.ErrBounds},
	} {
		forged := legacyFile(t, 1)
		binary.LittleEndian.PutUint64(forged[test.offset:], test.value)
		refused(t, test.name, sealLegacy(forged), test.err)
	}
}

// A plan that no filter can have is an error, and so is another spelling of a lifetime.
func TestOpenRefusesForgedLegacyPlans(t *testing.T) {
	float := func(x float64) string { return string(u64(nil, math.Float64bits(x))) }
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
		forged := legacyFile(t, 2)
		copy(forged[test.offset:], test.value)
		refused(t, test.name, sealLegacy(forged), file.ErrBounds)
	}
}

// A header of an earlier version may have absurd numbers that are within bounds. It is a filter
// with these numbers, and its health is that of a file of version 3.
func TestAnAbsurdLegacyHeader(t *testing.T) {
	for version := 1; version <= 2; version++ {
		content := legacyFile(t, version)
		binary.LittleEndian.PutUint64(content[24:], planning.MaxMembers)
		for offset := 32; offset <= 48; offset += 8 {
			binary.LittleEndian.PutUint64(content[offset:], math.MaxInt)
		}
		if version == 2 {
			binary.LittleEndian.PutUint64(content[72:], math.Float64bits(planning.MaxTurnovers))
			binary.LittleEndian.PutUint64(content[80:], math.Float64bits(1))
		}
		f, err := Open(writeFile(t, sealLegacy(content)), fixed)
		if err != nil {
			t.Fatal(err)
		}
		if s := f.Stats(); s.PlannedRate != 1 || s.Members != 0 || s.Inserts != math.MaxInt {
			t.Errorf("version %d: %+v, want a planned rate of 1, and no members", version, s)
		}
	}
}
