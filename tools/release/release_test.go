package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/dirhash"
)

const checkout, version = "../..", "v0.0.1-test"

// user is somebody who has the Go command, an empty folder and an empty module cache.
type user struct {
	t           *testing.T
	folder, bin string
	cache       string
	environment []string
}

func newUser(t *testing.T, proxy string) *user {
	u := &user{t: t, folder: t.TempDir(), bin: t.TempDir(), cache: t.TempDir()}
	ask := func(variable string) string {
		out, err := exec.Command("go", "env", variable).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	downloaded := "file://" + filepath.Join(ask("GOMODCACHE"), "cache", "download")
	u.environment = append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw -trimpath",
		"GOBIN="+u.bin, "GOMODCACHE="+u.cache,
		"GOPROXY=file://"+proxy+","+downloaded+","+ask("GOPROXY"), "GONOSUMDB="+root)
	return u
}

// patience is how long a test waits for a command, which may compile and download.
const patience = 5 * time.Minute

var errPatience = fmt.Errorf("it has not ended after %v", patience)

// run runs a command in the folder, and returns what it prints.
func (u *user) run(input string, command ...string) string {
	u.t.Helper()
	limit, cancel := context.WithTimeoutCause(u.t.Context(), patience, errPatience)
	defer cancel()
	cmd := exec.CommandContext(limit, command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = u.folder, u.environment, strings.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		u.t.Fatalf("%v: %v (%v)\n%s%s", command, err, context.Cause(limit), out, &stderr)
	}
	return string(out)
}

// downloaded returns the modules whose archives were downloaded.
func (u *user) downloaded() (modules []string) {
	base := filepath.Join(u.cache, "cache", "download")
	err := filepath.WalkDir(base, func(path string, _ os.DirEntry, err error) error {
		if module, _, is := strings.Cut(path, "/@v/"); is && strings.HasSuffix(path, ".zip") {
			modules = append(modules, strings.TrimPrefix(module, base+"/"))
		}
		return err
	})
	if err != nil {
		u.t.Fatal(err)
	}
	slices.Sort(modules)
	return modules
}

func publish(t *testing.T) (proxy string) {
	t.Helper()
	proxy = t.TempDir()
	if err := run(checkout, version, proxy, false); err != nil {
		t.Fatal(err)
	}
	return proxy
}

// The library can be had by its path, in a module that has nothing yet. A program that links the
// kernels downloads two modules beside it, and no command line.
func TestGet(t *testing.T) {
	u := newUser(t, publish(t))
	u.run("", "go", "mod", "init", "example.com/streams")
	u.run("", "go", "get", root+"/kernel@"+version)
	program := `package main

import (
	"fmt"

	"github.com/bloomlane/bloomlane/kernel"
)

func main() {
	table := kernel.NewTable512(1000)
	table.QueryInsertBatch([]uint64{1 << 60, 2 << 60, 3 << 60}, nil)
	fmt.Println(table.Query(2<<60), table.Delete(2<<60), table.Query(2<<60))
}
`
	if err := os.WriteFile(filepath.Join(u.folder, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := u.run("", "go", "run", "."); got != "true deleted false\n" {
		t.Errorf("the program prints %q", got)
	}
	want := []string{"github.com/bloomlane/bloomlane", "github.com/klauspost/cpuid/v2",
		"golang.org/x/sys"}
	if got := u.downloaded(); !slices.Equal(got, want) {
		t.Errorf("downloaded %v, want %v", got, want)
	}
}

// A release is the files that git tracks, but for the versions and checksums in go.mod and go.sum.
func TestArchives(t *testing.T) {
	proxy := publish(t)
	for _, folder := range folders {
		path := filepath.Join(proxy, root, folder, "@v", version)
		archive, err := zip.OpenReader(path + ".zip")
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		var names []string
		for _, file := range archive.File {
			names = append(names, file.Name)
		}
		prefix := filepath.Join(root, folder) + "@" + version + "/"
		for _, name := range []string{"go.mod", "go.sum", "LICENSE"} {
			if !slices.Contains(names, prefix+name) {
				t.Errorf("%s has no %s", prefix, name)
			}
		}
		for _, name := range names {
			if strings.Contains(name, "/.build/") || strings.Contains(name, "@"+version+"/cmd/") ||
				strings.Contains(name, "/bench/") {
				t.Errorf("%s is in the archive of %s", name, folder)
			}
		}
		gomod, err := os.ReadFile(path + ".mod")
		if err != nil || bytes.Contains(gomod, []byte("v0.0.0\n")) {
			t.Errorf("%s requires a version that is not published (%v):\n%s", folder, err, gomod)
		}
	}
}

// The script makes a tag for each module, on a commit that requires the versions, and leaves the
// branch as it is. Its module proxy has what the Go command downloads from the tags, and somebody
// with no more than that gets and installs all modules. What it builds is built again, with the
// same checksums, from a clone in another folder.
func TestScript(t *testing.T) {
	clone := t.TempDir()
	limit, cancel := context.WithTimeoutCause(t.Context(), patience, errPatience)
	defer cancel()
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(limit, "git",
			append([]string{"-C", clone}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if out, err := exec.CommandContext(limit, "git", "clone", "--quiet", checkout,
		clone).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	git("config", "user.name", "A tester")
	git("config", "user.email", "tester@example.com")
	release := func(version string) (string, error) {
		cmd := exec.CommandContext(limit, ".ci/release", version, "linux/"+runtime.GOARCH)
		// What it compiles is in the cache, whatever the name of the clone.
		cmd.Dir, cmd.Env = clone, append(os.Environ(), "GOFLAGS=-trimpath")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := release("v7.7.7"); err == nil ||
		!strings.Contains(out, "CHANGELOG.md has no heading") {
		t.Errorf("a version that CHANGELOG.md does not have: %v\n%s", err, out)
	}
	help, err := release("--help")
	if err != nil || !strings.Contains(help, "CHANGELOG.md") ||
		!strings.Contains(help, "make test") {
		t.Errorf("the help (%v) is\n%s", err, help)
	}
	for _, folder := range folders {
		if tag := tag(folder, "VERSION"); !strings.Contains(help, " "+tag) {
			t.Errorf("the help does not name the tag %s", tag)
		}
	}
	committed, err := os.ReadFile(filepath.Join(clone, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	change := func(entry string) {
		t.Helper()
		before, after, found := strings.Cut(string(committed), "\n## Unreleased\n")
		if !found {
			t.Fatal("CHANGELOG.md has no heading for what is not released")
		}
		changes := before + "\n## Unreleased\n" + entry + after
		if err := os.WriteFile(filepath.Join(clone, "CHANGELOG.md"), []byte(changes),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	change(fmt.Sprintf("\n## %s, 2001-02-03\n\n## v0.0.0\n", version))
	if out, err := release(version); err == nil || !strings.Contains(out, "says nothing of") {
		t.Errorf("a version without an entry: %v\n%s", err, out)
	}
	change(fmt.Sprintf("\n## %s, 2001-02-03\n", version))
	if out, err := release(version); err == nil || !strings.Contains(out, "uncommitted") {
		t.Errorf("with changes that are not committed: %v\n%s", err, out)
	}
	git("commit", "--quiet", "-am", "CHANGELOG: a version")
	if out, err := release("v0.0.1"); err == nil ||
		!strings.Contains(out, "CHANGELOG.md has no heading") {
		t.Errorf("a version that begins that of a heading: %v\n%s", err, out)
	}
	before := git("rev-parse", "HEAD")
	if out, err := release(version); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if git("rev-parse", "HEAD") != before || git("status", "--porcelain") != "" {
		t.Error("the branch or the checkout changed")
	}
	for _, folder := range folders {
		tag := tag(folder, version)
		gomod := git("show", tag+":"+strings.TrimPrefix(folder+"/go.mod", "./"))
		if strings.Contains(gomod, "v0.0.0\n") || git("rev-parse", tag+"^{commit}~1") != before {
			t.Errorf("tag %s is not on the release:\n%s", tag, gomod)
		}
	}
	if out, err := release(version); err == nil || !strings.Contains(out, "exists") {
		t.Errorf("a second time: %v\n%s", err, out)
	}
	made := filepath.Join(clone, ".build/release", version)
	compareWithTags(t, clone, filepath.Join(made, "proxy"))
	useModules(t, filepath.Join(made, "proxy"))
	again := t.TempDir()
	if out, err := exec.CommandContext(limit, "git", "clone", "--quiet", "--branch", version, clone,
		again).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dist := exec.CommandContext(limit, ".ci/dist", "linux/"+runtime.GOARCH)
	dist.Dir, dist.Env = again, append(os.Environ(), "GOFLAGS=")
	if out, err := dist.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	first, err := os.ReadFile(filepath.Join(made, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(filepath.Join(again, ".build/dist/SHA256SUMS"))
	if err != nil || !bytes.Equal(first, second) || bytes.Count(first, []byte("\n")) != 3 ||
		!bytes.Contains(first, []byte(".deb\n")) {
		t.Errorf("once it makes\n%sand from another clone (%v)\n%swant two commands and a package",
			first, err, second)
	}
	check := exec.CommandContext(limit, "sha256sum", "--quiet", "--check", "SHA256SUMS")
	check.Dir = made
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("the checksums: %v\n%s", err, out)
	}
	command := filepath.Join(made, "bloomlane-linux-"+runtime.GOARCH)
	said, err := exec.CommandContext(limit, command, "version").CombinedOutput()
	if err != nil || !strings.Contains(string(said), version) {
		t.Errorf("the command is (%v) %s", err, said)
	}
}

// compareWithTags downloads the modules from the tags of a repository, as the Go command does
// without a proxy, and compares them with those of a proxy.
func compareWithTags(t *testing.T, repository, proxy string) {
	t.Helper()
	u := newUser(t, proxy)
	u.environment = append(u.environment, "GOPROXY=direct", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url."+repository+".insteadOf",
		"GIT_CONFIG_VALUE_0=https://github.com/bloomlane/bloomlane")
	for _, folder := range folders {
		path := strings.TrimSuffix(root+"/"+folder, "/.")
		var tagged struct{ Sum, GoModSum string }
		if err := json.Unmarshal([]byte(u.run("", "go", "mod", "download", "-json",
			path+"@"+version)), &tagged); err != nil {
			t.Fatal(err)
		}
		sum, err := dirhash.HashZip(filepath.Join(proxy, path, "@v", version+".zip"),
			dirhash.Hash1)
		if err != nil || sum != tagged.Sum {
			t.Errorf("%s: the proxy has %s (%v), and the tag %s", path, sum, err, tagged.Sum)
		}
	}
}

// useModules gets packages of all libraries into a new module, and installs both commands.
func useModules(t *testing.T, proxy string) {
	t.Helper()
	u := newUser(t, proxy)
	u.run("", "go", "mod", "init", "example.com/all")
	program, get := "package main\n\nimport (\n", []string{"go", "get"}
	for _, name := range []string{"filter/deletable", "filter/family/stable", "interop/parquet",
		"xdp"} {
		get = append(get, root+"/"+name+"@"+version)
		program += "\t_ \"" + root + "/" + name + "\"\n"
	}
	u.run("", get...)
	program += ")\n\nfunc main() {}\n"
	if err := os.WriteFile(filepath.Join(u.folder, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	u.run("", "go", "run", ".")
	gomod, err := os.ReadFile(filepath.Join(u.folder, "go.mod"))
	if err != nil || strings.Contains(string(gomod), "replace") ||
		strings.Count(string(gomod), version) != 4 {
		t.Errorf("go.mod (%v) is\n%s", err, gomod)
	}
	for _, command := range []string{"cmd/bloomlane", "packets"} {
		u.run("", "go", "install", root+"/"+command+"@"+version)
		if got := u.run("", filepath.Join(u.bin, filepath.Base(command)), "version"); !strings.
			Contains(got, version) {
			t.Errorf("version prints %q", got)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, version := range []string{"", "0.1.0", "v0.1", "v2.0.0", "v1.2.3+build"} {
		if err := run(checkout, version, t.TempDir(), false); err == nil {
			t.Errorf("%q is a version", version)
		}
	}
	if run(checkout, version, "", false) == nil || run(checkout, version, t.TempDir(),
		true) == nil {
		t.Error("both or none of -proxy and -write")
	}
}
