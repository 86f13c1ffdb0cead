package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/bench/result"
	"github.com/bloomlane/bloomlane/report/chart/charttest"
)

// besides returns a run whose filters of keys of bytes are in a cache and in memory, but for one,
// and what is said of them.
func besides() (*result.Run, map[string]Beside) {
	run := synthetic()
	for i := range run.Groups {
		g := &run.Groups[i]
		if g.KeyBytes == "" && g.Against == "" {
			continue
		}
		switch g.Bytes {
		case 16 << 20:
			g.Bytes = cacheBytes
		case 2 << 30:
			g.Bytes = memoryBytes
		}
		if g.Bytes == cacheBytes && g.KeyBytes != "" && g.Against == result.AtEqualBits {
			small := g.Subjects[len(g.Subjects)-1]
			small.Name = "small peer"
			g.Subjects = append(g.Subjects, small)
		}
		for n, s := range g.Subjects {
			if s.Name == "slow peer" {
				g.Subjects[n].BytesPerKey = 4
			}
		}
	}
	return run, map[string]Beside{
		"deletable":        {Deletes: true, Left: "70 %", Limits: "decays", Table: "bloomlane-512"},
		"deletable-single": {Table: "bloomlane-512"},
		"slow peer":        {Deletes: true, Left: "5 %", Limits: "no merge"},
		"quick_peer":       {},
		"small peer":       {},
	}
}

// A row per filter that was timed in a cache and in memory: ours, those that delete, the others.
func TestBeside(t *testing.T) {
	run, about := besides()
	small, _ := besides()
	keep(small, func(g result.Group) bool { return g.Bytes != memoryBytes },
		func(result.Subject) bool { return true })
	r, none := Recording{"new", "new.md", run}, Recording{"small", "small.md", small}
	got := BesideTable(r, about, "what is left.")
	says(t, got, "under\nHighwayHash-64, on Synthetic CPU of tests @ 1 MHz, at commit 0123456 "+
		"([all figures](new.md)):\n",
		`
| filter | query | insert | delete | query, equal rate | bits per key | rate, % | bits at 1 % | after turnovers | limits |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |
| Bloomlane, batches | 9.50 / 21.0 | 10.8 / 28.0 | – | 9.50 | 16 | 0.21 | 11.9 | 70 % | decays |
| Bloomlane, one key at a time | 28.5 / 63.0 | 32.2 / 84.0 | – | 28.5 | 16 | 0.21 | 11.9 | cannot delete | – |
| slow peer | 19.0 / 42.0 | 21.5 / 56.0 | – | 19.0 | 32 | – | 9.6 | 5 % | no merge |
| quick\_peer | 8.55 / 18.9 | 9.68 / 25.2 | – | 8.55 | 16 | – | – | cannot delete | – |
`, "*After turnovers*: what is left.\n")
	if strings.Count(got, "\n| ") != 6 {
		t.Errorf("not a row of each filter in memory:\n%s", got)
	}
	// It has no row of a filter that is no more.
	quick := about["quick_peer"]
	delete(about, "quick_peer")
	got = BesideTable(r, about, "")
	if strings.Contains(got, "quick") {
		t.Errorf("a row of a filter that is no more:\n%s", got)
	}
	about["quick_peer"] = quick
	if run.PlainLoops = false; strings.Contains(got, result.SlowLoops[:40]) ||
		!strings.Contains(BesideTable(r, about, ""), result.SlowLoops[:40]) ||
		!strings.Contains(page(t, run), result.SlowLoops) || Blocks([]Recording{r})["peers"] != "" {
		t.Error("nothing says that peers were slowed, or it is said of a run where they were not")
	}
	run.PlainLoops = true
	picture := BesidePicture(r, about)
	charttest.TextsHaveRoom(t, picture)
	var svg bytes.Buffer
	if err := picture.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	says(t, svg.String(), ">9.50<", ">21.0<", ">Bloomlane, batches<", ">quick_peer<",
		">other filters that delete<", ">filters that cannot delete<")
	about["quick_peer"] = Beside{Deletes: true} // and takes less time than the other one
	got = BesideTable(r, about, "")
	if quick, slow := strings.Index(got, "| quick"), strings.Index(got, "| slow"); quick > slow {
		t.Errorf("a slower filter is before a faster one:\n%s", got)
	}
	if got := BesideTable(none, about, ""); got != "" || BesidePicture(none, about) != nil {
		t.Errorf("without times in memory: %q, or a picture", got)
	}
}
