package architecture

import (
	"go/types"
	"slices"
	"strings"
	"testing"
)

// planless are the packages of filters that are not made from a plan of their own, and why.
var planless = map[string]string{
	"filter/audit":            "it watches a filter that is there: see Unwrap",
	"filter/sharded":          "its plan and its size are those of deletable",
	"filter/family/retouched": "it is made from another filter, and has the size of that",
}

// sizes are names that an accessor of a size might have: a Shape has fields for them.
var sizes = []string{
	"Bits", "BlockCount", "Blocks", "Buckets", "Bytes", "Capacity", "Cells", "Counters",
	"ExpectedRate", "Generations", "Hashes", "Levels", "Planned", "Regions", "Size", "Slots",
	"Width", "Window", "Words",
}

// Every kind says its size alike: Config.Shape and Filter.Shape return a Shape, which has the
// sizes, and Rate, Bytes and String. And every Config begins with Members, BitsPerKey and Rate, and
// ends with Key.
func TestShapes(t *testing.T) {
	var paths []string
	for _, p := range packagesOf(t) {
		if under(p.ImportPath, module+"/filter") {
			paths = append(paths, p.ImportPath)
		}
	}
	compiled := exportData(t)
	load := func(path string) *types.Package {
		pkg, err := compiled.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		return pkg
	}
	contract := load(module + "/filter").Scope()
	stored := contract.Lookup("Stored").Type().Underlying().(*types.Interface)
	plans := 0
	for _, path := range paths {
		pkg, name := load(path), strings.TrimPrefix(path, module+"/")
		var filters []*types.Named
		for _, symbol := range pkg.Scope().Names() {
			object, is := pkg.Scope().Lookup(symbol).(*types.TypeName)
			if !is || !object.Exported() || types.IsInterface(object.Type()) {
				continue
			}
			named, is := object.Type().(*types.Named)
			if is && types.Implements(types.NewPointer(named), stored) {
				filters = append(filters, named)
			}
		}
		if len(filters) == 0 {
			if planless[name] != "" {
				t.Errorf("%s is an exception, and has no filter", name)
			}
			continue
		}
		for _, f := range filters {
			for _, size := range sizes {
				if methodOf(f, size) != "" {
					t.Errorf("%s.%s has %s, which is for its Shape", name, f.Obj().Name(), size)
				}
			}
		}
		if planless[name] != "" {
			continue
		}
		plans++
		testShape(t, pkg, filters)
		testConfig(t, pkg)
	}
	if plans < 11 {
		t.Errorf("only %d packages have a plan", plans)
	}
}

// testShape tests the methods of the sizes of a package of filters.
func testShape(t *testing.T, pkg *types.Package, filters []*types.Named) {
	t.Helper()
	find := func(name string) *types.Named {
		if of := pkg.Scope().Lookup(name); of != nil {
			named, _ := of.Type().(*types.Named)
			return named
		}
		return nil
	}
	shape, config := find("Shape"), find("Config")
	if shape == nil || config == nil {
		t.Errorf("%s has no Shape or no Config", pkg.Path())
		return
	}
	for field := range shape.Underlying().(*types.Struct).Fields() {
		if !field.Exported() {
			t.Errorf("%s: %s of its Shape is not exported", pkg.Path(), field.Name())
		}
	}
	for name, want := range map[string]string{
		"Rate": "(int) float64", "Bytes": "() int", "String": "() string",
	} {
		if got := methodOf(shape, name); got != want {
			t.Errorf("%s: Shape.%s is %q, want %q", pkg.Path(), name, got, want)
		}
	}
	planned := 0
	for method := range config.Methods() {
		if strings.HasSuffix(method.Name(), "Shape") && method.Exported() {
			if got := methodOf(config, method.Name()); got != "() (Shape, error)" {
				t.Errorf("%s: Config.%s is %q", pkg.Path(), method.Name(), got)
			}
			planned++
		}
	}
	if planned != len(filters) || planned == 1 && methodOf(config, "Shape") == "" {
		t.Errorf("%s: its Config has %d methods for the Shape of %d filters", pkg.Path(), planned,
			len(filters))
	}
	for _, f := range filters {
		if got := methodOf(f, "Shape"); got != "() Shape" {
			t.Errorf("%s: %s.Shape is %q", pkg.Path(), f.Obj().Name(), got)
		}
	}
}

// methodOf returns the signature of an exported method of a type or of its pointer, or "".
func methodOf(named *types.Named, name string) string {
	method := types.NewMethodSet(types.NewPointer(named)).Lookup(named.Obj().Pkg(), name)
	if method == nil {
		return ""
	}
	return signature(method.Type(), types.RelativeTo(named.Obj().Pkg()))
}

// testConfig tests the order and the types of the fields of a Config.
func testConfig(t *testing.T, pkg *types.Package) {
	t.Helper()
	config := pkg.Scope().Lookup("Config").Type().Underlying().(*types.Struct)
	var fields []string
	for field := range config.Fields() {
		fields = append(fields, field.Name()+" "+types.TypeString(field.Type(), nil))
	}
	want := []string{"Members int", "BitsPerKey float64", "Rate float64"}
	last := "Key " + module + "/filter/key.Key"
	if !slices.Equal(fields[:min(len(want), len(fields))], want) ||
		fields[len(fields)-1] != last {
		t.Errorf("%s: its Config has %q, want first %q and last %q", pkg.Path(), fields, want, last)
	}
}
