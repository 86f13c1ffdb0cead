package measure

import "github.com/bloomlane/bloomlane/bench/result"

// callSizes are the keys of a call whose batches are held against single calls.
var callSizes = []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}

// calls returns contests of the methods of single keys against those of batches of few keys: from which size
// on a batch pays.
func (a *arena) calls() []contest {
	pages := pageKinds[0]
	t := a.tables[pages]
	inBatches := func(run stream, size int) stream {
		return func(hashes []uint64) (yes int) {
			for ; len(hashes) >= size; hashes = hashes[size:] {
				yes += run(hashes[:size:size])
			}
			return yes
		}
	}
	of := func(groups []result.Group, hashes []uint64, phases func(operations) []stream) contest {
		c := contest{groups: groups}
		add := func(name string, size int, runs []stream) {
			n := contender{kind: result.Kernel, name: name, batch: size, pages: pages,
				prepare: func(i int) { warm(t, slice(hashes, i)) }}
			for _, run := range runs {
				if name != result.Methods {
					run = inBatches(run, size)
				}
				n.phases = append(n.phases, func(i int) int { return run(slice(hashes, i)) })
			}
			c.contenders = append(c.contenders, n)
		}
		add(result.Methods, 1, phases(t.methods()))
		for _, size := range callSizes {
			add(result.BatchMethods, size, phases(t.batchMethods(a.out)))
		}
		return c
	}
	group := func(operation, asked string) result.Group {
		return result.Group{Operation: operation, Asked: asked, Form: result.FormCalls, Lane: a.lane, Bytes: a.bytes, Cores: 1, Unit: "key"}
	}
	return []contest{
		of([]result.Group{group("query", "mixed")}, a.mixed, func(o operations) []stream { return []stream{o.query} }),
		of([]result.Group{group("delete", ""), group("insert", "")}, a.stream,
			func(o operations) []stream { return []stream{o.remove, o.insert} }),
	}
}
