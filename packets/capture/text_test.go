package capture

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"reflect"
	"strings"
	"testing"
)

func addresses(texts ...string) []netip.Addr {
	var list []netip.Addr
	for _, text := range texts {
		list = append(list, netip.MustParseAddr(text))
	}
	return list
}

var long = strings.Repeat("#", maxLine)

// listTest is a text and what is read from it, or the error.
type listTest[T any] struct {
	name, text string
	want       []T
	says       string // the error, or ""
}

func checkLists[T any](t *testing.T, read func(text io.Reader) ([]T, error), tests []listTest[T]) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			found, err := read(strings.NewReader(test.text))
			if !reflect.DeepEqual(found, test.want) {
				t.Errorf("%+v, want %+v", found, test.want)
			}
			checkError(t, err, test.says)
		})
	}
}

func TestText(t *testing.T) {
	checkLists(t, func(text io.Reader) ([]packet, error) { return drain(NewText(text)) },
		[]listTest[packet]{
			{"nothing", "", nil, ""},
			{"a packet", "c0a80001 deadbeef\n",
				[]packet{{netip.MustParseAddr("192.168.0.1"), "\xde\xad\xbe\xef"}}, ""},
			{"no line end, upper case, spaces", "  0A000001\t 0000000F \r",
				[]packet{{netip.MustParseAddr("10.0.0.1"), "\x00\x00\x00\x0f"}}, ""},
			{"blank lines and comments", "# all\n\n 00000000 00000000 # one\n",
				[]packet{{netip.MustParseAddr("0.0.0.0"), "\x00\x00\x00\x00"}}, ""},
			{"one field", "\nc0a80001\n", nil,
				"packets, line 2: found 1 fields, expected 2: source and word"},
			{"three fields", "c0a80001 deadbeef deadbeef", nil, "line 1: found 3 fields"},
			{"seven digits", "c0a8001 deadbeef", nil,
				`line 1: found "c0a8001", expected 8 hex digits`},
			{"a sign", "c0a80001 +eadbeef", nil, `line 1: found "+eadbeef"`},
			{"no hex", "c0a80001 deadbeeg", nil, `line 1: found "deadbeeg"`},
			{"an address", "10.0.0.1 deadbeef", nil, `found "10.0.0.1"`},
			{"a long line", "#\n" + long, nil,
				"line 2: found a line of more than 4095 bytes, expected one of at most that"},
		})
}

func TestReadBlocklist(t *testing.T) {
	checkLists(t, ReadBlocklist, []listTest[netip.Addr]{
		{"nothing", "# none\n", nil, ""},
		{"three spellings", "192.0.2.1\n2001:db8::1\nc0000202\n",
			addresses("192.0.2.1", "2001:db8::1", "192.0.2.2"), ""},
		{"repetitions", "192.0.2.1\nc0000201\n2001:db8::1\n2001:DB8:0::1",
			addresses("192.0.2.1", "2001:db8::1"), ""},
		{"an IPv4-mapped address", "192.0.2.1\n::ffff:192.0.2.1", nil,
			`line 2: found "::ffff:192.0.2.1", expected 192.0.2.1`},
		{"a zone", "fe80::1%eth0", nil, `blocklist, line 1: found "fe80::1%eth0"`},
		{"a prefix", "\n10.0.0.0/8", nil,
			`line 2: found "10.0.0.0/8", expected an IPv4 address, an IPv6 address or 8 hex digits`},
		{"two fields", "10.0.0.1 10.0.0.2", nil, "line 1: found 2 fields"},
		{"a long line", long, nil, "line 1: found a line of more than 4095 bytes"},
	})
}

func TestReadPrefixes(t *testing.T) {
	prefixes := func(texts ...string) (all []netip.Prefix) {
		for _, text := range texts {
			all = append(all, netip.MustParsePrefix(text))
		}
		return all
	}
	const expected = "expected an address or a prefix, such as 192.0.2.1"
	checkLists(t, ReadPrefixes, []listTest[netip.Prefix]{
		{"nothing", "# none\n; none\n;none\n", nil, ""},
		{"addresses and prefixes in order", "2001:db8::/32\n192.0.2.1\n10.0.0.0/8\n2001:db8::1\n",
			prefixes("10.0.0.0/8", "192.0.2.1/32", "2001:db8::/32", "2001:db8::1/128"), ""},
		{"repetitions", "192.0.2.1\n192.0.2.1/32\n2001:DB8:0::1\n2001:db8::1",
			prefixes("192.0.2.1/32", "2001:db8::1/128"), ""},
		{"comments", "192.0.2.1 # so\n10.0.0.0/8 ; SBL 1\n0.0.0.0/0;all",
			prefixes("0.0.0.0/0", "10.0.0.0/8", "192.0.2.1/32"), ""},
		{"a list of Windows", "\xef\xbb\xbf10.0.0.0/8\r\n192.0.2.1\r\n",
			prefixes("10.0.0.0/8", "192.0.2.1/32"), ""},
		{"lines that end in CR", "10.0.0.0/8\r192.0.2.1\r",
			prefixes("10.0.0.0/8", "192.0.2.1/32"), ""},
		{"UTF-16", "\xff\xfe1\x000\x00\n\x00", nil, "list, line 1: found UTF-16 data, expected " +
			"lines, as from iconv -f UTF-16 -t UTF-8"},
		{"compressed", "\x1f\x8b\x08\x00", nil, "line 1: found gzip data, expected lines, as"},
		{"NUL between entries", "10.0.0.1\x0010.0.0.2\x00", nil,
			`line 1: found "10.0.0.1\x0010.0.0.2\x00", ` + expected},
		{"bits behind the prefix", "\n192.0.2.1/24", nil,
			"list, line 2: found 192.0.2.1/24, expected 192.0.2.0/24 or an address"},
		{"a zone", "fe80::1%eth0", nil, `line 1: found "fe80::1%eth0", ` + expected},
		{"an IPv4-mapped address", "::ffff:192.0.2.1", nil,
			`line 1: found "::ffff:192.0.2.1", expected 192.0.2.1`},
		{"a prefix of IPv4-mapped addresses", "::ffff:198.51.100.0/120", nil,
			`line 1: found "::ffff:198.51.100.0/120", expected 198.51.100.0/24`},
		{"a prefix of one of them", "::ffff:192.0.2.1/128", nil,
			`line 1: found "::ffff:192.0.2.1/128", expected 192.0.2.1`},
		{"a prefix of half of them", "::ffff:0.0.0.0/97", nil, "expected 0.0.0.0/1"},
		{"all IPv4-mapped addresses", "::ffff:0.0.0.0/96", prefixes("::ffff:0.0.0.0/96"), ""},
		{"a long prefix", "10.0.0.0/33", nil, `line 1: found "10.0.0.0/33", ` + expected},
		{"a name", "example.org", nil, `line 1: found "example.org", ` + expected},
		{"two fields", "10.0.0.1 10.0.0.2", nil, "line 1: found 2 fields, " + expected},
		{"a long line", long, nil, "line 1: found a line of more than 4095 bytes"},
	})
}

func TestReadSequences(t *testing.T) {
	read := func(text io.Reader) (found []string, err error) {
		list, err := ReadSequences(text)
		for _, sequence := range list {
			found = append(found, string(sequence))
		}
		return found, err
	}
	checkLists(t, read, []listTest[string]{
		{"nothing", "\n\n", nil, ""},
		{"one, two and three words", "00000001\n00000001 00000002\n00000001 00000002 00000003 # so",
			[]string{"\x00\x00\x00\x01", "\x00\x00\x00\x01\x00\x00\x00\x02",
				"\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03"}, ""},
		{"repetitions", "0000000a 00000002\n0000000A\t00000002",
			[]string{"\x00\x00\x00\x0a\x00\x00\x00\x02"}, ""},
		{"without spaces", "0000000100000002\n000000010000000200000003",
			[]string{"\x00\x00\x00\x01\x00\x00\x00\x02",
				"\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x03"}, ""},
		{"four words without spaces", "00000001000000020000000300000004", nil,
			"line 1: found 4 words, expected 1 to 3"},
		{"a word and a half", "000000010000", nil,
			`line 1: found "000000010000", expected 8 hex digits`},
		{"four words", "00000001 00000002 0000000300000004", nil,
			"sequences, line 1: found 4 words, expected 1 to 3"},
		{"a short word", "00000001 2", nil, `line 1: found "2", expected 8 hex digits`},
		{"a long line", long, nil, "line 1: found a line of more than 4095 bytes"},
	})
}

// checkError checks that an error is an *Error that says something, or nil where that is "".
func checkError(t *testing.T, err error, says string) {
	t.Helper()
	if says == "" {
		if err != nil {
			t.Errorf("error %v, want none", err)
		}
		return
	}
	var damage *Error
	if !errors.As(err, &damage) || !strings.Contains(err.Error(), says) {
		t.Errorf("error %v, want an *Error that says %q", err, says)
	}
}

func TestTextReadError(t *testing.T) {
	broken := errors.New("broken disk")
	reader := func() io.Reader {
		return io.MultiReader(strings.NewReader("# begin\n"),
			&failing{broken})
	}
	_, text := drain(NewText(reader()))
	_, blocklist := ReadBlocklist(reader())
	_, sequences := ReadSequences(reader())
	_, prefixes := ReadPrefixes(reader())
	for name, err := range map[string]error{"packets": text, "blocklist": blocklist,
		"sequences": sequences, "list": prefixes} {
		if want := fmt.Sprintf("%s, line 2: ", name); !errors.Is(err, broken) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want the disk's with %q", name, err, want)
		}
	}
}
