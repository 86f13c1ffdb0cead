package file

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/key"
)

// The example of testdata/example.md, which is testdata/example.blm.
func example() *Contents {
	return &Contents{
		Kind: "example", Promises: 0b101, Key: key.Identity{Fingerprint: 0x0123456789ABCDEF},
		Attributes: []Attribute{{"members", 1000}, {"planned-rate", 0x3F847AE147AE147B}}, // 0.01
		Sections: []Section{
			{"blocks", []uint64{1, 0x8000000000000000, 0x1122334455667788}},
			{"spare", nil},
			{"lifetime", TextWords("exponential")},
		},
	}
}

// oldFile returns the file of contents of Version, also if they are small.
func oldFile(c *Contents) []byte {
	var b bytes.Buffer
	_, _ = c.write(&b, Version)
	return b.Bytes()
}

// written is a file that is written field by field, as in the table of docs/format.md. It shares no
// code with the package.
type written struct{ b []byte }

func (w *written) bytes(b ...byte) { w.b = append(w.b, b...) }

func (w *written) number(size int, value uint64) {
	for i := range size {
		w.bytes(byte(value >> (8 * i)))
	}
}

func (w *written) name(name string) {
	for i := range 16 {
		if i < len(name) {
			w.bytes(name[i])
		} else {
			w.bytes(0)
		}
	}
}

func (w *written) zerosTo(offset int) {
	for len(w.b) < offset {
		w.bytes(0)
	}
}

// byHand makes a file from the table, of version 3 if it is old.
func byHand(c *Contents, old bool) []byte {
	const mebibyte = 1 << 20
	all, version, unit := 0, 3, 4096
	for _, s := range c.Sections {
		all += 8 * len(s.Words)
	}
	if all < 65536 && !old {
		version, unit = 4, 64
	}
	roundUp := func(n int) int { return (n + unit - 1) / unit * unit }
	var bodies [][]byte
	pieces := 0
	for _, s := range c.Sections {
		var body written
		for _, word := range s.Words {
			body.number(8, word)
		}
		bodies = append(bodies, body.b)
		pieces += (len(body.b) + mebibyte - 1) / mebibyte
	}
	attributes := slices.Clone(c.Attributes)
	if c.Key.Algorithm != key.HighwayHash64 {
		attributes = append(attributes, Attribute{"hash", uint64(c.Key.Algorithm)})
		slices.SortFunc(attributes,
			func(a, b Attribute) int { return strings.Compare(a.Name, b.Name) })
	}
	headerBytes := roundUp(64 + 24*len(attributes) + 32*len(c.Sections) + 4*pieces + 4)
	offsets, end := make([]int, len(bodies)), headerBytes
	for i, body := range bodies {
		offsets[i] = roundUp(end)
		end = offsets[i] + len(body)
	}

	w := new(written)
	w.bytes(0x89, 'B', 'L', 'M', 0x0D, 0x0A, 0x1A, 0x0A)
	w.number(4, uint64(version))
	w.number(4, uint64(headerBytes))
	w.number(8, uint64(end))
	w.number(8, c.Key.Fingerprint)
	w.name(c.Kind)
	w.number(8, c.Promises)
	w.number(4, uint64(len(attributes)))
	w.number(4, uint64(len(c.Sections)))
	for _, a := range attributes {
		w.name(a.Name)
		w.number(8, a.Value)
	}
	for i, s := range c.Sections {
		w.name(s.Name)
		w.number(8, uint64(len(s.Words)))
		w.number(8, uint64(offsets[i]))
	}
	polynomial := crc32.MakeTable(0x82F63B78) // Castagnoli's, reversed
	for _, body := range bodies {
		for len(body) > 0 {
			piece := body[:min(mebibyte, len(body))]
			w.number(4, uint64(crc32.Checksum(piece, polynomial)))
			body = body[len(piece):]
		}
	}
	w.zerosTo(headerBytes - 4)
	w.number(4, uint64(crc32.Checksum(w.b, polynomial)))
	for i, body := range bodies {
		w.zerosTo(offsets[i])
		w.bytes(body...)
	}
	return w.b
}

func TestTheLayoutIsThatOfTheDocumentation(t *testing.T) {
	for name, c := range shapes() {
		if !bytes.Equal(oldFile(c), byHand(c, true)) {
			t.Errorf("%s: a file of version %d is not that of the table", name, Version)
		}
		got, err := c.Append([]byte("before"))
		if err != nil || !bytes.Equal(got, append([]byte("before"), byHand(c, false)...)) {
			t.Errorf("%s: %d bytes (%v) are not those of the table", name, len(got), err)
		}
		if c.Size() != int64(len(got)-len("before")) {
			t.Errorf("%s: size %d of %d bytes", name, c.Size(), len(got))
		}
	}
}

// A large file has pages: one without them is refused.
func TestLargeFilesHavePages(t *testing.T) {
	c := &Contents{Kind: "a", Sections: []Section{{"x", make([]uint64, smallBytes/8)}}}
	var b bytes.Buffer
	if _, err := c.write(&b, SmallVersion); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(&b); !isError(err, ErrBounds) {
		t.Errorf("a large file of version %d: %v", SmallVersion, err)
	}
}

// The header has one more page when the checksums need it, and not before.
func TestTheHeaderIsOfWholePages(t *testing.T) {
	for pieces, want := range map[int64]int64{
		0: page, 993: page, 994: 2 * page, // 64 + 24 + 32 + 4 * 993 + 4 bytes are a page
		993 + 1024: 2 * page, 994 + 1024: 3 * page,
	} {
		_, size, length, found := lay(Version, 1, []int64{pieces * pieceWords})
		if size != want || found != pieces || length != size+pieces*pieceBytes {
			t.Errorf("%d pieces: a header of %d bytes and a file of %d, want %d", pieces,
				size, length, want)
		}
	}
}

// testdata/example.md is held against the committed example, field by field, and this against what
// is written now.
func TestTheExampleOfTheDocumentation(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("testdata", "example.blm"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(content, oldFile(example())) {
		t.Error("testdata/example.blm is not what is written now")
	}
	c, err := Read(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the example", c, example())

	dump, err := os.ReadFile(filepath.Join("testdata", "example.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| (\\d+) +\\| (\\d+) +\\| `([0-9a-f ]+)` ")
	rows := row.FindAllStringSubmatch(string(dump), -1)
	covered := make([]bool, len(content))
	for _, row := range rows {
		offset, _ := strconv.Atoi(row[1])
		length, _ := strconv.Atoi(row[2])
		want := strings.ReplaceAll(row[3], " ", "")
		if offset+length > len(content) ||
			fmt.Sprintf("%x", content[offset:offset+length]) != want {
			t.Errorf("example.md says that %d bytes at %d are %s", length, offset, want)
			continue
		}
		for i := range length {
			covered[offset+i] = true
		}
	}
	for i, b := range content {
		if b != 0 && !covered[i] {
			t.Fatalf("example.md says nothing of byte %d, %#02x", i, b)
		}
	}
}

// docs/format.md has the numbers.
func TestTheNumbersOfTheDocumentation(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash("../../docs/format.md"))
	if err != nil {
		t.Fatal(err)
	}
	layout := strings.Join(strings.Fields(string(text)), " ")
	for _, words := range []string{
		fmt.Sprintf("version, %d or %d", Version, SmallVersion),
		fmt.Sprintf("less than %d bytes", smallBytes), fmt.Sprintf("version %d, %d bytes", SmallVersion, line),
		fmt.Sprintf("version %d, %d bytes", Version, page),
		fmt.Sprintf("up to %d attributes", maxAttributes),
		fmt.Sprintf("up to %d sections", maxSections),
		"up to 2^30",
		fmt.Sprintf("A piece is %d bytes", pieceBytes), fmt.Sprintf("A * %d", attributeBytes),
		fmt.Sprintf("S * %d", sectionBytes),
		fmt.Sprintf("`%s` is %d, which is %v, or %d, which is %v", algorithm, key.SipHash13,
			key.SipHash13, key.AESPMAC, key.AESPMAC),
	} {
		if !strings.Contains(layout, words) {
			t.Errorf("docs/format.md does not say %q", words)
		}
	}
	if maxHeader != 1<<30 {
		t.Errorf("the header is up to %d", maxHeader)
	}
}
