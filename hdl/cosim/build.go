package cosim

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

//go:embed driver/driver.cpp
var driver string

// Install is how the tools that Build needs are installed on Debian.
const Install = "apt-get install verilator g++ make"

// NotInstalledError says that a tool that Build needs is not on the search path. Any other error of
// Build comes from a tool that is installed.
type NotInstalledError struct {
	Tool string // its command: verilator, g++ or make
	Err  error  // what looking for it returned
}

func (e *NotInstalledError) Error() string {
	return fmt.Sprintf("cosim: %s is not installed: %s", e.Tool, Install)
}

func (e *NotInstalledError) Unwrap() error { return e.Err }

// Available returns nil if the tools that Build needs are installed, and a *NotInstalledError if
// not.
func Available() error {
	for _, tool := range []string{"verilator", "g++", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			return &NotInstalledError{tool, err}
		}
	}
	return nil
}

// versions returns the versions of the tools, which are a part of a program's key.
var versions = sync.OnceValues(func() (string, error) {
	text := runtime.GOOS + " " + runtime.GOARCH + "\n"
	for _, tool := range []string{"verilator", "g++"} {
		out, err := exec.Command(tool, "--version").Output()
		if err != nil {
			return "", fmt.Errorf("cosim: %s --version: %w", tool, err)
		}
		text += string(out)
	}
	return text, nil
})

// A Program is a model that is built: a file in the user's cache folder, which can be started any
// number of times.
type Program struct {
	layout
	model Model
	path  string
}

var (
	// by key: a *sync.Mutex that its builder holds
	building sync.Map
	slots    = make(chan struct{}, max(1, runtime.NumCPU())) // one for each builder that is at work
	unused   = 30 * 24 * time.Hour                           // after this time a program is removed
)

// Build returns the program of a model, from the user's cache folder if it is there. If it is not
// there, Build makes it in another folder and renames that folder, so that concurrent builders, in
// this process or others, see no part of it. The error is a *NotInstalledError if a tool is
// missing. If a tool fails, it has the tool's output.
func Build(ctx context.Context, model Model) (*Program, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	tools, err := versions()
	if err != nil {
		return nil, err
	}
	files, err := model.files()
	if err != nil {
		return nil, err
	}
	cache, err := cacheFolder()
	if err != nil {
		return nil, err
	}
	key := model.key(files, tools)
	mutex, _ := building.LoadOrStore(key, new(sync.Mutex))
	mutex.(*sync.Mutex).Lock()
	defer mutex.(*sync.Mutex).Unlock()

	program := &Program{model: model, path: filepath.Join(cache, key, "program")}
	if err := program.load(); err == nil {
		return program, nil
	}
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("cosim: build %s: %w", model, ctx.Err())
	}
	defer func() { <-slots }()
	aside, err := os.MkdirTemp(cache, key+".*.tmp")
	if err != nil {
		return nil, fmt.Errorf("cosim: %w", err)
	}
	defer os.RemoveAll(aside)
	if err := build(ctx, aside, model, files); err != nil {
		return nil, fmt.Errorf("cosim: build %s: %w", model, err)
	}
	// If another process was faster, its program serves as well.
	if err := os.Rename(filepath.Join(aside, "whole"), filepath.Join(cache, key)); err != nil &&
		program.load() != nil {
		return nil, fmt.Errorf("cosim: %w", err)
	}
	trim(cache)
	return program, program.load()
}

// cacheFolder returns the folder of all programs, and creates it.
func cacheFolder() (string, error) {
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cosim: %w", err)
	}
	cache := filepath.Join(user, "bloomlane", "cosim")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", fmt.Errorf("cosim: %w", err)
	}
	return cache, nil
}

// load reads the layout of a program that is built, and marks it as used.
func (p *Program) load() error {
	folder := filepath.Dir(p.path)
	text, err := os.ReadFile(filepath.Join(folder, "layout.json"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &p.layout); err != nil {
		return fmt.Errorf("cosim: %s: %w", folder, err)
	}
	now := time.Now()
	_ = os.Chtimes(folder, now, now) // only trim wants it
	return nil
}

// trim removes programs that were not used for long, and the files of killed builders.
func trim(cache string) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > unused {
			_ = os.RemoveAll(filepath.Join(cache, entry.Name()))
		}
	}
}

// build builds a program in the folder aside. Only its subfolder whole is kept.
func build(ctx context.Context, aside string, model Model, files map[string]string) error {
	whole, obj := filepath.Join(aside, "whole"), filepath.Join(aside, "obj")
	if err := errors.Join(os.Mkdir(whole, 0o700),
		os.Mkdir(filepath.Join(aside, "rtl"), 0o700)); err != nil {
		return err
	}
	args := append(model.flags(), "driver.cpp")
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(aside, "rtl", name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	// Verilator finds the other modules by their names, in the folder that -I names.
	args = append(args, "rtl/"+model.Top+".v")
	if err := os.WriteFile(filepath.Join(aside, "driver.cpp"), []byte(driver), 0o600); err != nil {
		return err
	}
	if err := tool(ctx, aside, "verilator", args...); err != nil {
		return err
	}
	header, err := os.ReadFile(filepath.Join(obj, "Vmodel.h"))
	if err != nil {
		return err
	}
	l, err := parseHeader(string(header))
	if err != nil {
		return err
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := errors.Join(
		os.WriteFile(filepath.Join(obj, "model_ports.h"), []byte(l.header()), 0o600),
		os.WriteFile(filepath.Join(obj, "program.mk"), []byte(rules), 0o600),
		os.WriteFile(filepath.Join(whole, "layout.json"), text, 0o600),
		library(ctx, obj, model),
	); err != nil {
		return err
	}
	if err := makeIn(ctx, obj, model, "program"); err != nil {
		return err
	}
	return os.Rename(filepath.Join(obj, "program"), filepath.Join(whole, "program"))
}

// rules are read after the makefile that Verilator writes. They compile the model and the driver as
// one source, which takes half the time of two because both include Verilator's headers.
const rules = `
program: driver.cpp Vmodel__ALL.cpp $(VK_GLOBAL_OBJS)
	$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(OPT_FAST) -include Vmodel__ALL.cpp $< $(VK_GLOBAL_OBJS) $(LDFLAGS) $(LDLIBS) $(LIBS) -o $@
library: $(VK_GLOBAL_OBJS)
`

// makeIn makes a target of the rules in the folder obj. OPT_FAST is for the model and the driver,
// OPT_GLOBAL for Verilator's library. With -O2 instead of -O1 a model takes twice as long to
// compile, and gains nothing, because Go does not make records faster. Verilator 5.006 asks for a
// parallel build, which has no Vmodel__ALL.cpp, if a model has more than one constant table;
// --output-split does not change that.
func makeIn(ctx context.Context, obj string, model Model, target string) error {
	level := "OPT_FAST=-O1"
	if model.coverage || model.netlist || model.brief { // the first two: statements for every bit
		level = "OPT_FAST=-O0"
	}
	return tool(ctx, obj, "make", "-f", "Vmodel.mk", "-f", "program.mk", target, level,
		"OPT_GLOBAL=-O1", "VM_PARALLEL_BUILDS=0")
}

// library puts the object files of Verilator's library into the folder obj of a build: compiling
// them takes most of its time, and they are the same for every model with the same instrumentation.
func library(ctx context.Context, obj string, model Model) error {
	libraries.Lock()
	defer libraries.Unlock()
	kind := [2]bool{model.coverage, model.waves}
	if kept := libraries.kept[kind]; kept != nil {
		for name, content := range kept {
			if err := os.WriteFile(filepath.Join(obj, name), content, 0o600); err != nil {
				return err
			}
		}
		return nil
	}
	if err := makeIn(ctx, obj, model, "library"); err != nil {
		return err
	}
	names, err := fs.Glob(os.DirFS(obj), "verilated*.[od]")
	if err != nil {
		return err
	}
	kept := map[string][]byte{}
	for _, name := range names {
		if kept[name], err = os.ReadFile(filepath.Join(obj, name)); err != nil {
			return err
		}
	}
	libraries.kept[kind] = kept
	return nil
}

// libraries has the object files of Verilator's library that this process has built.
var libraries = struct {
	sync.Mutex
	kept map[[2]bool]map[string][]byte
}{kept: map[[2]bool]map[string][]byte{}}

// ToolError says that a tool failed, with what it printed, in lines.
type ToolError struct {
	Command string
	Output  string
	Err     error
}

func (e *ToolError) Error() string { return fmt.Sprintf("%s: %v\n%s", e.Command, e.Err, e.Output) }

// Unwrap returns e.Err.
func (e *ToolError) Unwrap() error { return e.Err }

// patience is how long a tool, or a simulation with the records of one Run, may take: some hundred
// times what it needs on an idle machine.
const patience = 10 * time.Minute

// tool runs a tool in a folder. The error is a *[ToolError].
func tool(ctx context.Context, folder, name string, args ...string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no end after %v", patience))
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second // what it has started may hold its output
	cmd.Dir = folder
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return &ToolError{name + " " + strings.Join(args, " "), output.String(), err}
	}
	return nil
}
