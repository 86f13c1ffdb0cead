package architecture

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writtenFirst are the exported functions whose first slice is written and a later one only read,
// and why.
var writtenFirst = map[string]string{
	"(" + module + "/hdl/cosim.Port).SetBytes": "as binary.PutUint64: a port is a place in the record",
	"(" + module + "/hdl/cosim.Port).SetWords": "as binary.PutUint64: a port is a place in the record",
}

// A call takes what it reads before what it writes: keys, hashes; hashes, present. What a call is
// about stands in front of both, as a receiver does: a table, or a slice of a type with methods.
// Append functions take the slice that grows first, as in the standard library.
func TestSourcesStandBeforeDestinations(t *testing.T) {
	m := loadModule(t)
	m.solve()
	wrong, checked := map[string]bool{}, 0
	for name, f := range m.functions {
		if !f.public() || strings.HasPrefix(f.decl.Name.Name, "Append") {
			continue
		}
		both, destination := false, ""
		for i, param := range f.params {
			_, slice := param.Type().Underlying().(*types.Slice)
			if !slice || i == 0 && subject(param) {
				continue
			}
			if f.writes[i] {
				destination = param.Name()
			} else if destination != "" {
				wrong[name] = true
				if writtenFirst[name] == "" {
					t.Errorf("%s writes %s and then takes %s, which it only reads", name,
						destination, param.Name())
				}
			}
			both = both || i > 0 && f.writes[i]
		}
		if both {
			checked++
		}
	}
	for name := range writtenFirst {
		if !wrong[name] {
			t.Errorf("%s is an exception and needs none", name)
		}
	}
	// The walk sees through methods, interfaces and other packages, where it must.
	for name, want := range map[string]string{
		"(" + module + "/kernel.Table512).QueryBatch":         "present",
		"(" + module + "/kernel.Table256).DeleteBatch":        "status",
		"(*" + module + "/kernel.Block512).MatchBatch":        "present",
		"(" + module + "/filter/key.Key).HashFixedBatch":      "hashes",
		"(*" + module + "/filter.KeyedSet).InsertStringBatch": "present",
		"(*" + module + "/filter.KeyedCounter).CountBatch":    "counts",
		module + "/kernel/parquet.HashBatch":                  "hashes",
		module + "/kernel/parquet.InsertBytes":                "t",
	} {
		if f := m.functions[name]; f == nil {
			t.Errorf("%s is not there", name)
		} else if strings.Join(f.written(), " ") != want {
			t.Errorf("%s writes %q, want %q", name, f.written(), want)
		}
	}
	if checked < 60 {
		t.Errorf("only %d functions write what is not their first argument", checked)
	}
}

// subject reports whether a function is about a parameter, which then stands first.
func subject(param *types.Var) bool {
	named, ok := types.Unalias(param.Type()).(*types.Named)
	return ok && named.NumMethods() > 0 || slices.Contains([]string{"table", "part"}, param.Name())
}

type (
	// sources are the functions of a module, by their full names, which are the same in the package
	// that declares a function and in those that import it.
	sources struct {
		functions map[string]*function
		methods   map[string][]*function // by name, for calls by an interface
	}
	function struct {
		info   *types.Info
		object *types.Func
		decl   *ast.FuncDecl
		params []*types.Var // without the receiver, which has the index -1
		// Which parameters are written, and which memory the results are in.
		writes, returns map[int]bool
	}
)

func (f *function) public() bool {
	path := f.object.Pkg().Path()
	return f.object.Exported() && !strings.Contains(path, "/internal/") &&
		f.object.Pkg().Name() != "main" && path != module+"/asm"
}

func (f *function) written() (names []string) {
	for _, i := range slices.Sorted(maps.Keys(f.writes)) {
		if i >= 0 {
			names = append(names, f.params[i].Name())
		}
	}
	return names
}

// loadModule parses and checks the packages of the module, and takes the others from export data.
func loadModule(t *testing.T) sources {
	t.Helper()
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
	}
	exports, own := map[string]string{}, []listed{}
	list := json.NewDecoder(strings.NewReader(string(goCommand(t, "list", "-deps", "-export",
		"-json=ImportPath,Dir,Export,GoFiles", "./...", "./filter/family/...",
		"./interop/parquet/...", "./xdp/..."))))
	for {
		var p listed
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if under(p.ImportPath, module) {
			own = append(own, p)
		}
	}
	files := token.NewFileSet()
	config := types.Config{Importer: importerOf(files, exports)}
	m := sources{map[string]*function{}, map[string][]*function{}}
	for _, p := range own {
		info := &types.Info{
			Uses:  map[*ast.Ident]types.Object{},
			Defs:  map[*ast.Ident]types.Object{},
			Types: map[ast.Expr]types.TypeAndValue{},
		}
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
		if _, err := config.Check(p.ImportPath, files, parsed, info); err != nil {
			t.Fatal(err)
		}
		for _, file := range parsed {
			for _, decl := range file.Decls {
				if decl, ok := decl.(*ast.FuncDecl); ok {
					m.add(info, decl)
				}
			}
		}
	}
	return m
}

func (m sources) add(info *types.Info, decl *ast.FuncDecl) {
	object := info.Defs[decl.Name].(*types.Func)
	f := &function{info, object, decl, nil, map[int]bool{}, map[int]bool{}}
	f.params = slices.Collect(object.Signature().Params().Variables())
	m.functions[object.FullName()] = f
	if decl.Recv != nil {
		m.methods[decl.Name.Name] = append(m.methods[decl.Name.Name], f)
	}
}

// solve finds what each function writes, until nothing is found any more.
func (m sources) solve() {
	for found := true; found; {
		found = false
		for _, f := range m.functions {
			if f.decl.Body != nil {
				before := len(f.writes) + len(f.returns)
				m.walk(f)
				found = found || len(f.writes)+len(f.returns) > before
			}
		}
	}
}

// walk goes through a function until it knows no more of its variables.
func (m sources) walk(f *function) {
	memory := map[types.Object]map[int]bool{} // of parameters that a variable is of
	for i, param := range f.params {
		memory[param] = map[int]bool{i: true}
	}
	if receiver := f.object.Signature().Recv(); receiver != nil {
		memory[receiver] = map[int]bool{-1: true}
	}
	write := func(x ast.Expr) { maps.Copy(f.writes, m.find(f, memory, x)) }
	assign := func(to, from ast.Expr) {
		id, ok := to.(*ast.Ident)
		if !ok {
			write(to)
			return
		}
		object := f.info.ObjectOf(id)
		if object == nil {
			return
		}
		switch object.Type().Underlying().(type) {
		case *types.Basic, *types.Struct:
			return // a copy
		}
		if memory[object] == nil {
			memory[object] = map[int]bool{}
		}
		maps.Copy(memory[object], m.find(f, memory, from))
	}
	for known := -1; known != size(memory); {
		known = size(memory)
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, to := range n.Lhs {
					assign(to, n.Rhs[min(i, len(n.Rhs)-1)])
				}
			case *ast.IncDecStmt:
				if _, ok := n.X.(*ast.Ident); !ok {
					write(n.X)
				}
			case *ast.RangeStmt:
				if n.Value != nil {
					assign(n.Value, n.X)
				}
			case *ast.ReturnStmt:
				for _, x := range n.Results {
					maps.Copy(f.returns, m.find(f, memory, x))
				}
			case *ast.CallExpr:
				for x := range m.written(f, n) {
					write(x)
				}
			}
			return true
		})
	}
}

func size(memory map[types.Object]map[int]bool) (n int) {
	for _, of := range memory {
		n += 1 + len(of)
	}
	return n
}

// find returns the parameters in whose memory the value of an expression is, or may be.
func (m sources) find(f *function, memory map[types.Object]map[int]bool, x ast.Expr) map[int]bool {
	find := func(x ast.Expr) map[int]bool { return m.find(f, memory, x) }
	switch x := x.(type) {
	case *ast.Ident:
		return memory[f.info.ObjectOf(x)]
	case *ast.ParenExpr:
		return find(x.X)
	case *ast.SliceExpr:
		return find(x.X)
	case *ast.IndexExpr:
		return find(x.X)
	case *ast.StarExpr:
		return find(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return find(x.X)
		}
	case *ast.CallExpr:
		if f.info.Types[x.Fun].IsType() && len(x.Args) == 1 {
			return find(x.Args[0]) // a conversion
		}
		if of, ok := builtin(f.info, x); ok {
			if slices.Contains([]string{"append", "Slice", "SliceData"}, of) {
				return m.find(f, memory, x.Args[0])
			}
			return nil
		}
		all := map[int]bool{}
		for _, callee := range m.callees(f, x) {
			for i := range callee.returns {
				if arg := argument(x, i); arg != nil {
					maps.Copy(all, find(arg))
				}
			}
		}
		return all
	}
	return nil
}

// written returns the arguments that a call writes.
func (m sources) written(f *function, call *ast.CallExpr) map[ast.Expr]bool {
	all := map[ast.Expr]bool{}
	if name, ok := builtin(f.info, call); ok {
		if name == "copy" || name == "clear" {
			all[call.Args[0]] = true
		}
		return all
	}
	for _, callee := range m.callees(f, call) {
		for i := range callee.writes {
			if arg := argument(call, i); arg != nil {
				all[arg] = true
			}
		}
	}
	name := ""
	if of := static(f.info, call); of != nil {
		name = of.Name()
	}
	switch {
	case name == "ReadFull" && len(call.Args) == 2:
		all[call.Args[1]] = true
	case (strings.HasPrefix(name, "PutUint") || name == "Read") && len(call.Args) > 0:
		all[call.Args[0]] = true
	}
	return all
}

// argument returns an argument of a call, or what its method is called on.
func argument(call *ast.CallExpr, i int) ast.Expr {
	if i >= 0 {
		if i < len(call.Args) {
			return call.Args[i]
		}
		return nil
	}
	if of, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		return of.X
	}
	return nil
}

func builtin(info *types.Info, call *ast.CallExpr) (string, bool) {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		b, ok := info.Uses[f].(*types.Builtin)
		return f.Name, ok && b != nil
	case *ast.SelectorExpr:
		b, ok := info.Uses[f.Sel].(*types.Builtin)
		return f.Sel.Name, ok && b != nil
	}
	return "", false
}

// static returns the function that a call names.
func static(info *types.Info, call *ast.CallExpr) *types.Func {
	callee := ast.Unparen(call.Fun)
	switch instance := callee.(type) {
	case *ast.IndexExpr:
		callee = instance.X
	case *ast.IndexListExpr:
		callee = instance.X
	}
	var object types.Object
	switch name := callee.(type) {
	case *ast.Ident:
		object = info.Uses[name]
	case *ast.SelectorExpr:
		object = info.Uses[name.Sel]
	}
	f, _ := object.(*types.Func)
	return f
}

// callees returns the functions that a call may run: all methods of the name, if it is by an
// interface.
func (m sources) callees(f *function, call *ast.CallExpr) []*function {
	callee := static(f.info, call)
	if callee == nil {
		return nil
	}
	receiver := callee.Signature().Recv()
	if receiver != nil && types.IsInterface(receiver.Type()) {
		return m.methods[callee.Name()]
	}
	if known := m.functions[callee.Origin().FullName()]; known != nil {
		return []*function{known}
	}
	return nil
}
