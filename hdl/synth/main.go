// Command synth synthesises the modules of hdl/rtl for three families of FPGAs, and places and
// routes some of them for an iCE40 HX8K and, where nextpnr-ecp5 is found, an ECP5 LFE5U-25F. It
// writes hdl/synth/results.json and, from that, README.md.
//
//	go run ./hdl/synth               all rows of the table, minutes
//	go run ./hdl/synth -only pipe    the rows whose top and parameters match that; others keep their figures
//	go run ./hdl/synth -on xcup      this family, or this part, alone; others keep their figures
//	go run ./hdl/synth -check        fails where a checked row has grown by more than a tenth
//	go run ./hdl/synth -render       writes README.md from results.json again
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const (
	rtl     = "hdl/rtl"
	letter  = "hdl/letter/letter_core.v"
	results = "hdl/synth/results.json"
	readme  = "hdl/synth/README.md"

	// growth is how much more of an element a checked row may take than its committed figure.
	growth = 1.10

	// seeds is how often a row is placed and routed.
	seeds = 5
)

// report is results.json.
type report struct {
	Tools   map[string]string // by name, their versions
	Designs []design
}

// design is what is known of one row.
type design struct {
	Top, Parameters string
	Families        map[string]figures
	Paths           paths                // on the first family; no Ends: not traced yet
	Clocks          map[string]frequency `json:",omitempty"` // by part
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("synth: ")
	check := flag.Bool("check", false, "only compare the checked rows with the committed figures")
	render := flag.Bool("render", false, "only write README.md")
	only := flag.String("only", "", "only the rows whose top and parameters match a regular "+
		"`expression`")
	target := flag.String("on", "", "only the family or the part of this `name`")
	jobs := flag.Int("j", 2, "tools that run at the same time")
	flag.Parse()
	if err := run(*check, *render, *only, *target, *jobs); err != nil {
		log.Fatal(err)
	}
}

func run(check, render bool, only, target string, jobs int) error {
	work, err := os.MkdirTemp("", "synth")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)

	wanted, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	families := slices.DeleteFunc(slices.Clone(families),
		func(f family) bool { return target != "" && target != f.name })
	parts := slices.DeleteFunc(slices.Clone(parts),
		func(p part) bool { return target != "" && target != p.name })
	if len(families)+len(parts) == 0 {
		return fmt.Errorf("-on: there is no family or part %q", target)
	}
	var committed report
	if content, err := os.ReadFile(results); err == nil {
		if err := json.Unmarshal(content, &committed); err != nil {
			return fmt.Errorf("%s: %w", results, err)
		}
	} else if check || render || !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if check {
		return compare(work, committed, jobs)
	}

	if !render {
		if committed.Tools, err = versions(committed.Tools, parts); err != nil {
			return err
		}
		fresh := make([]design, len(rows))
		err := parallel(jobs, len(rows), func(i int) error {
			r := rows[i]
			fresh[i] = committed.find(r)
			if !wanted.MatchString(r.top + " " + r.parameters) {
				return nil
			}
			d, err := measure(work, r, fresh[i], families, parts)
			if err != nil {
				return fmt.Errorf("%s %s: %w", r.top, r.parameters, err)
			}
			log.Printf("%s %s: %v %v", r.top, r.parameters, d.Families, d.Clocks)
			fresh[i] = d
			return nil
		})
		if err != nil {
			return err
		}
		committed.Designs = fresh
		content, err := json.MarshalIndent(committed, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(results, append(content, '\n'), 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(readme, []byte(committed.markdown()), 0o666)
}

// find returns what is known of a row.
func (r report) find(want row) design {
	for _, d := range r.Designs {
		if d.Top == want.top && d.Parameters == want.parameters {
			return d
		}
	}
	return design{Top: want.top, Parameters: want.parameters}
}

// measure synthesises one row for the given families, and places and routes it on the given parts
// that it is for. What is known of others is kept, as of a part whose nextpnr is missing.
func measure(
	work string,
	r row,
	known design,
	families []family,
	parts []part,
) (design, error) {
	d := design{Top: r.top, Parameters: r.parameters, Families: map[string]figures{},
		Paths: known.Paths, Clocks: map[string]frequency{}}
	maps.Copy(d.Families, known.Families)
	for _, f := range families {
		if r.large && !f.large {
			delete(d.Families, f.name)
			continue
		}
		list, shared, err := f.synthesise(work, r)
		if err != nil {
			return d, err
		}
		n, err := f.count(list, r.top)
		if err != nil {
			return d, err
		}
		if shared > 0 {
			n.Sites += shared - n.LUT
		}
		d.Families[f.name] = n
		if f.name != traced {
			continue
		}
		if d.Paths, err = f.trace(list, r.top); err != nil {
			return d, err
		}
	}
	for name, mhz := range known.Clocks {
		if slices.Contains(r.clocks, name) {
			d.Clocks[name] = mhz
		}
	}
	for _, p := range parts {
		if !slices.Contains(r.clocks, p.name) || p.missing() {
			continue
		}
		mhz, err := p.placeAndRoute(work, r)
		if err != nil {
			return d, err
		}
		d.Clocks[p.name] = mhz
	}
	return d, nil
}

// compare synthesises the checked rows and holds them against the committed figures.
func compare(work string, committed report, jobs int) error {
	var checked []row
	for _, r := range rows {
		if r.check {
			checked = append(checked, r)
		}
	}
	return parallel(jobs, len(checked), func(i int) error {
		r := checked[i]
		var two []family
		for _, f := range families {
			if f.check {
				two = append(two, f)
			}
		}
		fresh, err := measure(work, r, design{}, two, nil)
		if err != nil {
			return err
		}
		var grown error
		for _, f := range two {
			now, then := fresh.Families[f.name], committed.find(r).Families[f.name]
			fmt.Printf("%-16s %-26s %-6s LUT %5d (%5d)  memory %5d (%5d)  FF %5d (%5d)\n", r.top,
				r.parameters, f.name, now.LUT, then.LUT, now.Memory, then.Memory, now.FF, then.FF)
			if now.grown(then) {
				grown = errors.Join(grown,
					fmt.Errorf("%s %s has grown on %s", r.top, r.parameters, f.name))
			}
		}
		if err := fresh.Paths.widened(committed.find(r).Paths); err != nil {
			grown = errors.Join(grown, fmt.Errorf("%s %s: %w", r.top, r.parameters, err))
		}
		return grown
	})
}

// grown says whether a design takes a tenth more of anything than it took then, or has more LUTs
// in a row.
func (now figures) grown(then figures) bool {
	more := func(now, then int) bool { return float64(now) > growth*float64(then) }
	return more(now.LUT, then.LUT) || more(now.Memory, then.Memory) || more(now.FF, then.FF) ||
		now.Depth > then.Depth
}

// parallel calls f for 0 to n-1, some at a time, and joins the errors.
func parallel(jobs, n int, f func(int) error) error {
	next, failed := make(chan int), make([]error, n)
	var group sync.WaitGroup
	for range jobs {
		group.Go(func() {
			for i := range next {
				failed[i] = f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	return errors.Join(failed...)
}

// sources lists the RTL that a row needs, and no more: what Yosys makes of a module depends on how
// many others it has read. Without the letter's form the core of 512 bits takes 1,454 LUTs, with
// it 1,860.
func (r row) sources() string {
	files, _ := filepath.Glob(rtl + "/*.v")
	if r.top == "letter_core" {
		files = append(files, letter)
	}
	return strings.Join(files, " ")
}
