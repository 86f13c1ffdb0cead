package architecture

import (
	"go/types"
	"regexp"
	"strings"
	"testing"
)

// noCounts are the exported fields and results of other integer types than int, as expressions, and
// what they are instead of counts in this process.
var noCounts = map[string]string{
	`.*\.Hash(String|Uint64|Bytes)?`:                  "a hash",
	`.*\.Fingerprint`:                                 "a hash of a key",
	`.*\.WriteTo`:                                     "as io.WriterTo has it",
	`.*\.Count(Hash|String|Uint64)?`:                  "how often a key is in, which files keep in 64 bits",
	`filter/family/bitwise\.FullError\.Times`:         "how often a key is in",
	`filter/deletable\.IntervalError\.(Low|High)`:     "hashes",
	`kernel\.Table(256|512)\.Interval`:                "hashes",
	`kernel\.Positions(256|512)`:                      "positions, packed",
	`filter/file\.Contents\.(Promises|Uint)`:          "64 bits of a file",
	`filter/file\.Attribute\.Value`:                   "64 bits of a file",
	`filter/file\.Contents\.Size`:                     "the size of a file, as os has it",
	`filter/base\.(Number|History)\..*|.*base\.Total`: "64 bits of a file, for writers of kinds",
	`filter/audit\.Config\.Secret`:                    "64 random bits",
	`filter/family/retouched\.Config\.Seed`:           "64 random bits",
}

// What counts something in this process is an int: members, inserts, deletes, blocks, bytes and
// answers.
func TestCountsAreInts(t *testing.T) {
	var paths []string
	for line := range strings.Lines(string(goCommand(t, "list", "./filter/...",
		"./filter/family/...", "./kernel"))) {
		if path := strings.TrimSpace(line); !strings.Contains(path, "/internal/") {
			paths = append(paths, path)
		}
	}
	compiled := exportData(t, paths)
	met := map[string]bool{}
	for _, path := range paths {
		pkg, err := compiled.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		look := func(name string, typed types.Type) {
			basic, is := typed.(*types.Basic)
			if !is || basic.Info()&types.IsInteger == 0 || basic.Kind() == types.Int ||
				basic.Kind() == types.UntypedInt {
				return
			}
			name = strings.TrimPrefix(path, module+"/") + "." + name
			known := false
			for expression := range noCounts {
				if regexp.MustCompile("^(" + expression + ")$").MatchString(name) {
					known, met[expression] = true, true
				}
			}
			if !known {
				t.Errorf("%s is a %s: an int, or why not", name, typed)
			}
		}
		results := func(name string, of types.Type) {
			for result := range of.(*types.Signature).Results().Variables() {
				look(name, result.Type())
			}
		}
		for _, symbol := range pkg.Scope().Names() {
			object := pkg.Scope().Lookup(symbol)
			switch {
			case !object.Exported():
				continue
			case !isType(object):
				if function, is := object.(*types.Func); is {
					results(symbol, function.Type())
				} else if _, is := object.(*types.Var); is {
					look(symbol, object.Type())
				}
				continue
			}
			switch under := object.Type().Underlying().(type) {
			case *types.Struct:
				for field := range under.Fields() {
					if field.Exported() {
						look(symbol+"."+field.Name(), field.Type())
					}
				}
			case *types.Interface:
				for method := range under.Methods() {
					results(symbol+"."+method.Name(), method.Type())
				}
			}
			if named, is := object.Type().(*types.Named); is {
				for method := range named.Methods() {
					if method.Exported() {
						results(symbol+"."+method.Name(), method.Type())
					}
				}
			}
		}
	}
	for expression := range noCounts {
		if !met[expression] {
			t.Errorf("%s is an exception, and there is none", expression)
		}
	}
}

func isType(object types.Object) bool {
	_, is := object.(*types.TypeName)
	return is
}
