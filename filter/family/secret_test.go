package family_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bloomlane/bloomlane/filter"
	"github.com/bloomlane/bloomlane/filter/audit"
	"github.com/bloomlane/bloomlane/filter/deletable"
	"github.com/bloomlane/bloomlane/filter/family/retouched"
	"github.com/bloomlane/bloomlane/filter/family/spectral"
	"github.com/bloomlane/bloomlane/filter/key"
	"github.com/bloomlane/bloomlane/filter/key/keytest"
	"github.com/bloomlane/bloomlane/filter/rolling"
	"github.com/bloomlane/bloomlane/filter/sharded"
	"github.com/bloomlane/bloomlane/hdl/toeplitz"
	"github.com/bloomlane/bloomlane/inpacket"
	"github.com/bloomlane/bloomlane/kernel"
)

// secret has no byte twice, and no byte that is a printable character.
var secret = func() (s [32]byte) {
	for i := range s {
		s[i] = byte(0x81 + 37*i%101)
	}
	return s
}()

// holders returns a value of each exported type that holds a key, in the packages below filter, by
// its name.
func holders(t *testing.T) map[string]any {
	t.Helper()
	k := keytest.Key(secret[:]...)
	config := deletable.Config{Members: 10, BitsPerKey: 16, Key: k}
	ring := rolling.Config{Members: 10, BitsPerKey: 16, Key: k}
	plane := inpacket.Config{Key: k}
	f, err := deletable.New(config)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := deletable.NewRefresher(f, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rolling.New(ring)
	if err != nil {
		t.Fatal(err)
	}
	p, err := inpacket.New[kernel.Block256](plane)
	if err != nil {
		t.Fatal(err)
	}
	h, err := toeplitz.New(secret[:])
	if err != nil {
		t.Fatal(err)
	}
	among, err := sharded.New(config)
	if err != nil {
		t.Fatal(err)
	}
	watched, err := audit.New(f, audit.Config{})
	if err != nil {
		t.Fatal(err)
	}
	none := filter.Infallible(func(func(uint64) bool) {})
	bought, _, err := retouched.New(f, retouched.Config{Members: none, Troublesome: none})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{
		"audit.Filter": watched, "retouched.Filter": bought,
		"sharded.Filter": among,
		"key.Key":        k, "deletable.Config": config, "deletable.Filter": f,
		"deletable.Refresher": steps, "rolling.Config": ring, "rolling.Filter": r,
		"inpacket.Config": plane, "inpacket.Plane": p, "toeplitz.Key": h,
		"filter.Sizing": filter.Sizing{Members: 10, Key: k}, "filter.Keyed": filter.NewKeyed(k, f),
		"filter.KeyedSet":     filter.NewKeyedSet(k, f),
		"filter.KeyedDeleter": filter.NewKeyedDeleter(k, f),
		"filter.KeyedCounter": filter.NewKeyedCounter(k, nil),
		"spectral.Config":     spectral.Config{Members: 10, Key: k},
	}
	for _, kind := range both.Kinds { // so that a new kind needs no line here
		if kind.From != "" {
			continue
		}
		f, err := kind.New(filter.Sizing{Members: 10, BitsPerKey: 16, Key: k})
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(fmt.Sprintf("%T", f), "*")] = f
	}
	return all
}

// inside returns a value in the forms in which programs hold it: by itself, behind a pointer, and
// in structs, maps and slices, also in unexported fields.
func inside(value any) map[string]any {
	type hidden struct {
		name  string
		value any
	}
	type Shown struct{ Value any }
	all := map[string]any{
		"itself":              value,
		"an unexported field": hidden{"x", value}, "a pointer to one": &hidden{"x", value},
		"a nested one":      struct{ h hidden }{hidden{"x", value}},
		"an exported field": Shown{value}, "a pointer to that": &Shown{value},
		"a map": map[string]any{"x": value}, "a slice": []any{value},
	}
	switch value := value.(type) { // so that the fields have its own type
	case key.Key:
		type user struct{ k key.Key }
		all["a user's field"], all["a pointer"] = user{value}, &value
		all["a user's pointer"] = struct{ k *key.Key }{&value}
	case deletable.Config:
		all["a user's field"], all["a pointer"] = struct{ c deletable.Config }{value}, &value
	case *deletable.Filter:
		all["a user's field"] = struct{ f *deletable.Filter }{value}
	case *deletable.Refresher:
		all["a user's field"], all["a copy"] = struct{ r deletable.Refresher }{*value}, *value
	case filter.Sizing:
		all["a user's field"], all["a pointer"] = struct{ s filter.Sizing }{value}, &value
	case filter.Keyed:
		all["a user's field"], all["a pointer"] = struct{ k filter.Keyed }{value}, &value
	case filter.KeyedSet:
		all["a user's field"], all["a pointer"] = struct{ k filter.KeyedSet }{value}, &value
	case filter.KeyedDeleter:
		all["a user's field"], all["a pointer"] = struct{ k filter.KeyedDeleter }{value}, &value
	case spectral.Config:
		all["a user's field"], all["a pointer"] = struct{ c spectral.Config }{value}, &value
	case filter.KeyedCounter:
		all["a user's field"], all["a pointer"] = struct{ k filter.KeyedCounter }{value}, &value
	case rolling.Config:
		all["a user's field"] = struct{ c rolling.Config }{value}
	case *rolling.Filter:
		all["a user's field"] = struct{ f *rolling.Filter }{value}
	case *inpacket.Plane[kernel.Block256]:
		all["a user's field"], all["a copy"] = struct {
			p *inpacket.Plane[kernel.Block256]
		}{value}, *value
	case *toeplitz.Key:
		all["a user's field"], all["a copy"] = struct{ k toeplitz.Key }{*value}, *value
	}
	return all
}

// printers are the ways to turn a value into text or bytes.
func printers() map[string]func(v any) []byte {
	all := map[string]func(v any) []byte{
		"json": func(v any) []byte { text, _ := json.Marshal(v); return text },
		"gob": func(v any) []byte {
			var out bytes.Buffer
			_ = gob.NewEncoder(&out).Encode(v)
			return out.Bytes()
		},
		"slog text": func(v any) []byte {
			var out bytes.Buffer
			slog.New(slog.NewTextHandler(&out, nil)).Info("x", "v", v, slog.Any("w", v))
			return out.Bytes()
		},
		"slog json": func(v any) []byte {
			var out bytes.Buffer
			slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "v", v, slog.Group("g", "w", v))
			return out.Bytes()
		},
		"print": func(v any) []byte { return []byte(fmt.Sprintln(v)) },
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "% x",
		"%o", "%b", "%c"} {
		all[verb] = func(v any) []byte { return []byte(fmt.Sprintf(verb, v)) }
	}
	return all
}

// found returns the form in which a text contains four consecutive bytes of the secret, or "".
func found(text []byte) string {
	lower := bytes.ToLower(text)
	// Numbers are compared without what separates them, so that "1, 2" equals "[1 2".
	numbers := strings.Join(strings.FieldsFunc(string(text),
		func(r rune) bool { return r < '0' || r > '9' }), " ")
	numbers = " " + numbers + " "
	for i := range len(secret) - 3 {
		four := secret[i:][:4]
		spaced := fmt.Sprintf("% x", four)
		forms := map[string]bool{
			"raw":        bytes.Contains(text, four),
			"hex":        bytes.Contains(lower, []byte(hex.EncodeToString(four))),
			"spaced hex": bytes.Contains(lower, []byte(spaced)),
			"Go syntax": bytes.Contains(lower,
				fmt.Appendf(nil, "0x%x, 0x%x, 0x%x, 0x%x", four[0], four[1], four[2], four[3])),
			"decimal": strings.Contains(numbers,
				fmt.Sprintf(" %d %d %d %d ", four[0], four[1], four[2], four[3])),
			"a big-endian word": strings.Contains(numbers,
				" "+strconv.FormatUint(uint64(binary.BigEndian.Uint32(four)), 10)+" "),
			"a little-endian one": strings.Contains(numbers,
				" "+strconv.FormatUint(uint64(binary.LittleEndian.Uint32(four)), 10)+" "),
		}
		// base64 has three alignments, and the first and last characters have bits of other bytes
		for before := range 3 {
			encoded := base64.StdEncoding.EncodeToString(append(make([]byte, before),
				append(bytes.Clone(four), 0, 0)...))
			whole := encoded[(8*before+5)/6 : 8*(before+4)/6]
			forms["base64"] = forms["base64"] || bytes.Contains(text, []byte(whole)) ||
				bytes.Contains(text, []byte(strings.NewReplacer("+", "-", "/", "_").Replace(whole)))
		}
		for form, is := range forms {
			if is {
				return fmt.Sprintf("bytes %d to %d, %s", i, i+3, form)
			}
		}
	}
	return ""
}

func TestNothingPrintsAKey(t *testing.T) {
	for name, holder := range holders(t) {
		for where, value := range inside(holder) {
			for printer, print := range printers() {
				text := print(value)
				if form := found(text); form != "" {
					t.Errorf("%s, %s, %s: prints %s: %.200q", name, where, printer, form, text)
				}
			}
		}
	}
}

// The search finds the key in every form that it knows.
func TestASecretIsFound(t *testing.T) {
	four := secret[9:13]
	for name, text := range map[string]string{
		"raw":          "x" + string(four) + "x",
		"hex":          fmt.Sprintf("%x", four),
		"upper case":   fmt.Sprintf("%X", four),
		"spaced":       fmt.Sprintf("% x", four),
		"Go syntax":    fmt.Sprintf("%#v", four),
		"decimal":      fmt.Sprint(four),
		"JSON numbers": fmt.Sprintf("[%d,%d,%d,%d]", four[0], four[1], four[2], four[3]),
		"base64":       base64.StdEncoding.EncodeToString(secret[:]),
		"base64, +1":   base64.StdEncoding.EncodeToString(append([]byte{1}, secret[:]...)),
		"base64, +2":   base64.URLEncoding.EncodeToString(append([]byte{1, 2}, secret[:]...)),
		"words":        fmt.Sprint([]uint32{binary.BigEndian.Uint32(four)}),
		"a slog field": fmt.Sprintf("key=%v", secret),
	} {
		if found([]byte(text)) == "" {
			t.Errorf("%s: not found in %q", name, text)
		}
	}
}

// Logs have the fingerprint.
func TestKeysPrintTheirFingerprints(t *testing.T) {
	k := keytest.Key(secret[:]...)
	want := fmt.Sprintf("%016x", k.Fingerprint())
	for printer, print := range printers() {
		if printer != "gob" && !strings.Contains(string(print(k)), want) {
			t.Errorf("%s prints %q, want the fingerprint %s", printer, print(k), want)
		}
	}
}

// holders has every exported type that holds a key. Add a new type to it.
func TestAllHoldersAreKnown(t *testing.T) {
	known := holders(t)
	shared := map[string]bool{"key.Key": true} // types of other packages that fields may have
	for _, name := range keyHolders(t, "..", shared) {
		shared[name] = true
	}
	if !shared["filter.Keyed"] || !slices.Contains(keyHolders(t, "../deletable", shared),
		"deletable.Filter") {
		t.Error("a filter that embeds what holds a key is not found")
	}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || entry.Name() == "testdata" {
			return err
		}
		for _, name := range keyHolders(t, path, shared) {
			_, ok := known[name]
			if pkg, isConfig := strings.CutSuffix(name, ".Config"); isConfig {
				// holders has kinds of filters too, whose key is a field
				_, ok = known[pkg+".Filter"]
				_, itself := known[name]
				ok = ok || itself
			}
			if !ok {
				t.Errorf("%s holds a key, and is not looked at", name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// keyHolders returns the exported types of the package in a folder that may hold a key. Such a type
// is, or has a field of, one of the shared types of other packages, a type called secret, or
// another such type of the package.
func keyHolders(t *testing.T, folder string, shared map[string]bool) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	types, name := map[string]ast.Expr{}, ""
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		name = file.Name.Name
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				switch spec.Type.(type) {
				// also an alias of a type that holds one
				case *ast.StructType, *ast.SelectorExpr, *ast.Ident:
					types[spec.Name.Name] = spec.Type
				}
			}
			return true
		})
	}
	holding := map[string]bool{"secret": true}
	for range len(types) { // enough rounds for any chain of types that hold each other
		for name, is := range types {
			if id, ok := is.(*ast.Ident); ok && holding[id.Name] {
				holding[name] = true
			}
			ast.Inspect(is, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncType:
					return false // the parameter of a function is not held
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && shared[x.Name+"."+n.Sel.Name] {
						holding[name] = true
					}
				case *ast.Field:
					if id, ok := named(n.Type).(*ast.Ident); ok && holding[id.Name] {
						holding[name] = true
					}
				}
				return true
			})
		}
	}
	for holder := range holding {
		if ast.IsExported(holder) {
			names = append(names, name+"."+holder)
		}
	}
	slices.Sort(names)
	return names
}

// named returns the type that a pointer points to.
func named(t ast.Expr) ast.Expr {
	if star, ok := t.(*ast.StarExpr); ok {
		return star.X
	}
	return t
}
