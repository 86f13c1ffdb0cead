package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/report/command/commandtest"
)

func numbers(from, to int) string {
	var text strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintln(&text, n)
	}
	return text.String()
}

func TestBuild(t *testing.T) {
	s := newShell(t)
	s.Write("one", "apple\n\npear\r\nplum") // the last line has no line end
	s.Write("two", "apple\nfig\n")
	result := *reported[made](s, exitYes, "quince\n", "build @one - @two -o @f")
	want := made{
		File: s.named("f"), Kind: "deletable", KeyFile: s.named("f.key"), KeyCreated: true,
		Keys: 6, Duplicates: 1, Members: 5, Planned: 5, Bytes: 64,
		Rate: result.Rate, PlannedRate: result.PlannedRate,
	}
	if result != want || result.Rate <= 0 || result.PlannedRate <= 0 {
		t.Errorf("%+v, want %+v", result, want)
	}
	s.Files("f", "f.key", "one", "two")
	s.Run(exitYes, "", "query", "@f", "apple", "pear\r", "plum", "fig", "quince")
	s.Run(exitNo, "", "query", "@f", "pear", "")
	s.Says("absent\tpear\nabsent\t\n")
	if info, err := os.Stat(s.Path("f.key")); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the key file has mode %v (%v), want nothing for others", info.Mode(), err)
	}
}

func TestBuildSizes(t *testing.T) {
	keys := numbers(0, 1000)
	for _, test := range []struct {
		flags          string
		planned, bytes int
	}{
		{"", 1000, 2048}, // 31.25 blocks
		{"--members 1k", 1000, 2048},
		{"--members 2000", 2000, 4032},
		{"--bits-per-key 8", 1000, 1024},
		{"--bits-per-key 8 --members 2000", 2000, 2048},
		{"--rate 0.1%", 1000, 2368},
		{"--rate 0.5", 1000, 448},
		{"--rate 0.01 --reinserts 1", 1000, 1984},
	} {
		s := newShell(t)
		result := reported[made](s, exitYes, keys, "build -o @f "+test.flags)
		if result.Planned != test.planned || result.Bytes != test.bytes || result.Members != 1000 {
			t.Errorf("%s: %+v, want %d bytes for %d", test.flags, result, test.bytes, test.planned)
		}
	}
}

// More keys than the members that were asked for are no plan of theirs: nothing is built.
func TestBuildOfTooManyKeys(t *testing.T) {
	s := newShell(t)
	for _, kind := range []string{"deletable", "plain", "elastic", "stable"} {
		s.Refuse(numbers(0, 1000)+"7\n", "build -o @f --kind "+kind, [][2]string{
			{" --members 10", "found 1000 different keys, expected at most --members 10: plan"},
			{" --members 999 --rate 1%", "found 1000 different keys, expected at most "},
		})
	}
	s.Line(exitYes, numbers(0, 1000)+"7\n", "build -o @f --members 1000") // of different ones
}

// --hash says of which hash function a new key is, and is held to a key that is there. Without it a
// new key is of the default, and a key that is there stays.
func TestBuildUnderAHash(t *testing.T) {
	s := newShell(t)
	for flags, want := range map[string]key.Algorithm{"": key.AESPMAC,
		"--hash=aes-pmac": key.AESPMAC, "--hash=siphash-1-3": key.SipHash13,
		"--hash=highwayhash-64": key.HighwayHash64, "--hash=": key.AESPMAC} {
		name := want.String() + flags
		for _, line := range []string{"build -o @" + name + " " + flags,
			"build -o @" + name + " --replace", "build -o @" + name + " --replace " + flags} {
			s.Line(exitYes, "apple\n", line)
			k, err := key.ReadFile(s.Path(name + ".key"))
			if err != nil || k.Algorithm() != want {
				t.Errorf("%s: a %v, %v, want one of %v", line, k, err, want)
			}
		}
		s.Line(exitYes, "", "query @"+name+" apple")
	}
	s.Line(exitYes, "apple\n", "build -o @f")
	s.Refuse("apple\n", "build -o @f --replace", [][2]string{
		{" --hash siphash-1-3", "@f.key: found a hash key of AES-PMAC, expected one of " +
			"SipHash-1-3, as --hash says: give --key another file"},
		{" --hash sip13", "--hash is sip13, expected one of aes-pmac, siphash-1-3, highwayhash-64"},
		{" --hash AES-PMAC", "--hash is AES-PMAC, expected one of aes-pmac, siphash-1-3, "},
	})
}

// A kind whose files show hashes takes no key of SipHash-1-3.
func TestBuildUnderAKeyOfAnotherHash(t *testing.T) {
	s := newShell(t)
	s.Line(exitYes, "apple\n", "build -o @f --hash siphash-1-3")
	s.Refuse("apple\n", "build --kind elastic", [][2]string{
		{" -o @g --key @f.key", "@f.key: found a hash key of SipHash-1-3, expected one of " +
			"AES-PMAC, because files of kind elastic show hashes: give --key another file"},
		{" -o @f --replace @nowhere", "@f.key: found a hash key of SipHash-1-3, expected one of "},
		{" -o @g --hash siphash-1-3", "--hash is siphash-1-3, expected another, because files of " +
			"kind elastic show hashes"},
	})
	s.Line(exitYes, "apple\n", "build -o @g --kind elastic")
	s.Line(exitYes, "apple\n", "build -o @h --key @g.key")
	s.Line(exitYes, "apple\n", "build -o @i --kind elastic --hash highwayhash-64")
}

// A filter that is there is replaced only where that was asked for, or where it is an input.
func TestReplace(t *testing.T) {
	s := fruit(t)
	s.parquet("p", 0, 1)
	s.Write("g.key", commandtest.FixedKey)
	s.Run(exitYes, "fig\n", "build", "-o", "@g", "--members", "3")
	s.Write("h.key", commandtest.FixedKey)
	s.Run(exitYes, "plum\nfig\n", "build", "-o", "@h", "--members", "3")
	s.Run(exitYes, "", "add", "@f", "quince")
	for _, line := range []string{
		"build -o @f", "import parquet @p --column id -o @f", "merge -o @f @g @h",
		"intersect -o @f @g @h",
	} {
		s.Refuse("apple\n", line, [][2]string{{"", "--out: @f is a filter already: expected a " +
			"new file (--replace replaces it, with all that was added and deleted since)"}})
		s.Line(exitYes, "apple\n", line+" --replace")
		s.Run(exitNo, "", "query", "@f", "quince")
		s.Line(exitYes, "apple\n", line+" --force")
	}
	s.Line(exitYes, "", "merge -o @g @g @h")
	s.Line(exitYes, "", "intersect -o @h @g @h")
	if err := os.Symlink("g", s.Path("link")); err == nil { // an input by another name
		s.Line(exitYes, "", "merge -o @link @h @g --key @g.key")
	}
}

// A filter with members is replaced by one without only where that was asked for: the source of the
// keys may have failed, as "false | bloomlane build" has it.
func TestNoMembersReplaceNone(t *testing.T) {
	s := newShell(t)
	s.parquet("none", 0, 0)
	build := func(name, keys, kind string) {
		s.Write(name+".key", commandtest.FixedKey)
		s.Line(exitYes, keys, "build --replace --members 100 --kind "+kind+" -o @"+name)
	}
	build("g", "", "deletable")
	build("h", "", "deletable")
	build("other", "fig\n", "deletable")
	for _, test := range []struct{ line, kind string }{ // of what is replaced
		{"build -o @f --replace", "deletable"}, {"build -o @f --replace", "cuckoo"},
		{"build -o @f --replace --kind blocked", "plain"},
		{"import parquet @none --column id -o @f --replace", "elastic"},
		{"merge -o @f @g @h --replace", "deletable"},
		{"intersect -o @f @other @g --replace", "deletable"},
		{"intersect -o @f @f @other", "deletable"},
	} {
		build("f", "apple\npear\n", test.kind)
		s.Refuse("", test.line, [][2]string{{"", "found no members, expected some in place of " +
			"the 2 members of @f (--force replaces it)"}})
		s.Line(exitYes, "", test.line+" --force")
		s.Line(exitNo, "", "query @f apple")
		s.Line(exitYes, "", test.line) // of an empty filter nothing is lost
	}
	build("f", "apple\n", "deletable")
	s.Line(exitYes, "", "delete @f apple") // it was named
	s.Write("f", s.Read("other")[:200])
	s.Refuse("", "build -o @f --replace", [][2]string{{"", " (--force replaces it)"}})
	s.Write("f", "")
	s.Line(exitYes, "", "build -o @f")
	s.Line(exitYes, "", "build -o @new")
}

// One key and the same members make the same filter, in any order. The key file is made once.
func TestBuildIsTheSame(t *testing.T) {
	s := newShell(t)
	s.Line(exitYes, "apple\npear\nplum\n", "build -o @f")
	key := s.Read("f.key")
	if again := reported[made](s, exitYes, "plum\napple\napple\npear\n",
		"build -o @f --replace"); again.KeyCreated || s.Read("f.key") != key {
		t.Error("the key file was replaced")
	}
	s.Line(exitYes, "pear\nplum\napple\n", "build -o @g --key @f.key")
	if s.Read("f") != s.Read("g") {
		t.Error("one key and the same members give different filters")
	}
	s.Files("f", "f.key", "g")
}

func TestBuildRefuses(t *testing.T) {
	s := newShell(t)
	s.Write("keys", "apple")
	s.Write("long", "apple\n\n"+strings.Repeat("x", maxKeyBytes+1)+"\npear\n")
	if err := os.Mkdir(s.Path("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.Refuse("", "build ", [][2]string{
		{"", "expected --out, which bloomlane build needs"},
		{"-o", "found --out without a value, expected one"},
		{"-o @f --bits-per-key 8 --rate 0.1",
			"found --bits-per-key and --rate, expected one of them"},
		{"-o @f --members -1", "--members is -1, expected at least 0"},
		{"-o @f --members many",
			`--members is "many", expected a whole number, such as 1000, 1e6 or 10M`},
		{"-o @f --members 999999999999",
			"at most 0.549756: 999999999999 members in 1073741824 blocks"},
		{"-o @f --bits-per-key 0", "--bits-per-key is 0, expected a number above 0"},
		{"-o @f --bits-per-key -1", "--bits-per-key is -1, expected a number above 0"},
		{"-o @f --rate 0", "--rate is 0, expected a number above 0 and below 1"},
		{"-o @f --rate 1", "--rate is 1, expected a number above 0 and below 1"},
		{"-o @f --rate 1e-30 --members 10", "--rate is 1e-30, expected at least 5.42e-19: "},
		{"-o @f --rate 1e-14 --members 100000", "--rate is 1e-14, expected at least 3.95e-13, " +
			"which takes 4096 bits per member, or bits per key for a filter of 26328"},
		{"-o @f --kind plain --rate 1e-300", "--rate is 1e-300, expected at least 5.42e-20: "},
		{"-o @f --rate 0.01 --turnovers -1", "--turnovers is -1, expected 0 to 1000"},
		{"-o @f --turnovers many", `--turnovers is "many", expected a number, such as 2 or 0.5`},
		{"-o @f --turnovers 3", "--turnovers is given, expected --rate or --bits-per-key"},
		{"-o @f --reinserts 1", "--reinserts is given, expected --rate or --bits-per-key"},
		{"-o @f --kind cuckoo --lifetime random", "--lifetime is random, expected oldest: the " +
			"plan of filters of kind cuckoo does not depend on it"},
		{"-o @f --rate 0.01 --turnovers 2 --lifetime long",
			"--lifetime is long, expected oldest, random, "},
		{"-o @f --rate 0.01 --turnovers 2 --lifetime pareto:1", "expected a Pareto shape above 1"},
		{"-o @f --turnovers 500 --rate 1e-9 --members 2000000000",
			"expected at least 0.624, or fewer members than 2000000000"},
		{"-o @f --rate 0.01 --reinserts 2000", "--reinserts is 2000, expected 0, or 0.001 to 1000"},
		{"-o @f --reinserts 1 --turnovers 1",
			"found --reinserts and --turnovers, expected one of them"},
		{"-o @f --reinserts 1 --kind cuckoo",
			"--reinserts is 1, expected 0: filters of kind cuckoo have no blocks to refresh"},
		{"-o @f --what", "found --what, expected a flag of bloomlane build (bloomlane build " +
			"--help lists them)"},
		{"-o @missing/f", "@missing: no such file"},
		{"-o @keys/f", "expected a folder"},
		{"-o @folder", "not a regular file"},
		{"@missing -o @f", "open @missing: no such file"},
		{"@folder -o @f", "@folder:1:"},
		{"@keys -o @keys", "--out is @keys, which is also an input"},
		{"@long -o @f", "@long:3: found a line of more than 1048576 bytes, expected one of at " +
			"most that"},
		{"@keys @long -o @f", "@long:3: found a line"},
		{"@keys -o @f --key @f", "--key and --out are both @f, expected two files"},
		{"@keys -o @f --key @keys", "@keys is both the hash key and the keys"},
		{"@long -o @f --key @keys", "@keys: hash key: found 5 characters, expected pmac: and 32 " +
			"hex digits, or sip13: and 32 hex digits, or 64 hex digits"},
		{"@keys -o @f --key @folder", "is a directory"},
		{"@keys -o @f --key @missing/k",
			"hash key: lock @missing/k: open @missing/k.lock: no such file"},
	})
}

// A key that other commands would not find is told of, and one that they would is not.
func TestAnotherKeyBesideTheFilter(t *testing.T) {
	s := newShell(t)
	s.Run(exitYes, "apple\n", "build", "-o", "@f")
	s.Run(exitYes, "apple\n", "build", "-o", "@f", "--key", "@f.key", "--replace")
	if strings.Contains(s.Notes, "another key") {
		t.Errorf("notes %q", s.Notes)
	}
	s.Run(exitYes, "apple\n", "build", "-o", "@f", "--key", "@other", "--replace")
	s.Noted(
		"@f.key is another key than that of @other: commands need --key @other with this filter")
	s.Run(exitYes, "apple\n", "build", "-o", "@f", "--key", "@other", "--replace", "--quiet")
	if strings.Contains(s.Notes, "another key") {
		t.Errorf("notes %q", s.Notes)
	}
}

func TestTheLongestKey(t *testing.T) {
	longest := strings.Repeat("x", maxKeyBytes)
	for _, end := range []string{"\n", ""} {
		s := newShell(t)
		s.Run(exitYes, "apple\n"+longest+end, "build", "-o", "@f")
		s.Run(exitYes, longest+end, "query", "@f")
		s.Run(exitYes, "", "query", "@f", "apple", longest)
	}
}

// The plan is in the file, and info says how much of it is used up.
func TestBuildForTurnovers(t *testing.T) {
	s := newShell(t)
	s.Write("keys", numbers(0, 1000))
	s.Write("f.key", commandtest.FixedKey)
	s.Write("lives", "1\n2\n30\n")
	bytes := 0
	for _, test := range []struct{ turnovers, lifetime string }{
		{"0", "oldest"}, {"0.5", "oldest"}, {"2", "random"}, {"2.25", "@@lives"},
		{"5", "pareto:1.5"},
	} {
		line := "build @keys -o @f --replace --rate 0.01 --turnovers " + test.turnovers +
			" --lifetime=" + test.lifetime
		built := reported[made](s, exitYes, "", line)
		if fmt.Sprint(built.Turnovers) != test.turnovers || built.Bytes <= bytes ||
			built.PlannedRate > 0.01 || built.PlannedRate < 0.005 {
			t.Errorf("%v: %+v, want %s turnovers in more than %d bytes", test, built,
				test.turnovers, bytes)
		}
		bytes = built.Bytes
		info := s.info("@f")
		if info.Turnovers != built.Turnovers || info.Made != 0 || info.Due ||
			info.PlannedRate != built.PlannedRate || info.TurnoversLeft < 0.9*built.Turnovers ||
			info.Deletability < 0.7 {
			t.Errorf("%v: %+v, want all of the turnovers left", test, info)
		}
	}
	says := func(all ...string) {
		t.Helper()
		s.Run(exitYes, "", "info", "@f")
		for _, want := range all {
			if !strings.Contains(s.Stdout, want) {
				t.Errorf("%s does not say %q", s.Stdout, want)
			}
		}
	}
	says("planned after 5 turnovers\n", "0 made, 5 planned, 4.86 left by the rate now\n",
		"1000 in all\n", "not due\n")
	for reinserts, want := range map[string]string{"1": "1 re-insert per insert\n",
		"0.5": "0.5 re-inserts per insert\n"} {
		built := reported[made](s, exitYes, "",
			"build @keys -o @f --replace --rate 0.01 --reinserts "+reinserts)
		info := s.info("@f")
		if fmt.Sprint(info.Reinserts) != reinserts || info.PlannedRate != built.PlannedRate ||
			info.Due || info.TurnoversLeft < 0.4/info.Reinserts ||
			info.TurnoversLeft > 1/info.Reinserts {
			t.Errorf("%s re-inserts: %+v", reinserts, info)
		}
		says("% planned forever, with "+want, "0 made since refreshes, planned without end, ",
			" left by the rate now without re-inserts\n",
			"1000 made, less those that refreshes forgot\n", "not due\n")
	}
}
