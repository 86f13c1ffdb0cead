// Command release makes versions of the modules that users name.
//
//	go run ./release -version v0.1.0 -proxy DIR   a module proxy in files, as the Go command downloads from
//	go run ./release -version v0.1.0 -write       the same go.mod, go.sum and go.work files in the checkout
//	go run ./release -version v0.1.0 -tags        the tags of the modules
//
// In the checkout the modules require each other in version v0.0.0, which go.work replaces by the
// checkout itself. A version of theirs requires that version of the others, with its checksum: a
// module that replaces another cannot be installed by its path. go.work then replaces that version
// too, so that a checkout of the version has all of it. The files are those that git tracks. The
// script .ci/release makes the tags.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// root is the path of the module at the top of the tree. Those of the others are below it, as their
// folders are.
const root = "github.com/bloomlane/bloomlane"

// folders are those of the modules that users name, each after the ones that it requires.
var folders = []string{
	".", "filter/family", "interop/parquet", "interop/beam", "report", "xdp", "packets",
	"cmd/bloomlane",
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	version := flag.String("version", "", "semantic `version` of all modules, such as v0.1.0")
	proxy := flag.String("proxy", "", "write a module proxy into this empty `folder`")
	write := flag.Bool("write", false, "write the go.mod, go.sum and go.work files into the checkout")
	tags := flag.Bool("tags", false, "print the tags")
	checkout := flag.String("checkout", "..", "the `folder` of the checkout")
	flag.Parse()
	if *tags {
		for _, folder := range folders {
			fmt.Println(tag(folder, *version))
		}
		return
	}
	if err := run(*checkout, *version, *proxy, *write); err != nil {
		log.Fatal(err)
	}
}

// tag returns the tag of a version of the module in a folder: see "go help module-vcs" and
// go.dev/ref/mod#vcs-version.
func tag(folder, version string) string { return strings.TrimPrefix(folder+"/"+version, "./") }

func run(checkout, version, proxy string, write bool) error {
	if semver.Canonical(version) != version || version == "" || semver.Major(version) > "v1" {
		return fmt.Errorf("-version is %q, expected one such as v0.1.0, below v2", version)
	}
	if (proxy == "") == !write {
		return errors.New("expected one of -proxy and -write")
	}
	var sums []byte // of the versions that are made so far
	for _, folder := range folders {
		v, err := newVersion(checkout, folder, version, sums)
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		lines, err := v.sum()
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		sums = append(sums, lines...)
		if write {
			err = v.write(filepath.Join(checkout, folder))
		} else {
			err = v.publish(proxy)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	return nil
}

// moduleVersion is a version of a module.
type moduleVersion struct {
	module.Version
	gomod   []byte
	changed map[string][]byte // files, go.mod too, that are others than those in the checkout
	zip     []byte
}

// newVersion returns a version of the module in a folder, which requires versions of ours that have
// these checksums.
func newVersion(checkout, folder, version string, sums []byte) (*moduleVersion, error) {
	path := root
	if folder != "." {
		path += "/" + folder
	}
	v := &moduleVersion{Version: module.Version{Path: path, Version: version}}
	text, err := os.ReadFile(filepath.Join(checkout, folder, "go.mod"))
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, err
	}
	if file.Module.Mod.Path != path {
		return nil, fmt.Errorf("found module %s, expected %s", file.Module.Mod.Path, path)
	}
	if len(file.Replace) > 0 {
		return nil, errors.New("go.mod replaces a module: it cannot be installed by its path")
	}
	for _, r := range file.Require {
		if r.Mod.Path != root && !strings.HasPrefix(r.Mod.Path, root+"/") {
			continue
		}
		if !bytes.Contains(sums, []byte(r.Mod.Path+" "+version+" ")) {
			return nil, fmt.Errorf("requires %s, which has no version yet", r.Mod.Path)
		}
		if err := file.AddRequire(r.Mod.Path, version); err != nil {
			return nil, err
		}
	}
	if v.gomod, err = file.Format(); err != nil {
		return nil, err
	}
	gosum, err := os.ReadFile(filepath.Join(checkout, folder, "go.sum"))
	if err != nil {
		return nil, err
	}
	v.changed = map[string][]byte{"go.mod": v.gomod, "go.sum": append(gosum, sums...)}
	if folder == "." {
		if v.changed["go.work"], err = workspace(checkout, version); err != nil {
			return nil, err
		}
	}
	return v, v.pack(checkout, filepath.Join(checkout, folder))
}

// workspace returns the go.work file that replaces our modules in a version, too, by the checkout.
func workspace(checkout, version string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(checkout, "go.work"))
	if err != nil {
		return nil, err
	}
	file, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range slices.Clone(file.Replace) {
		if err := file.AddReplace(r.Old.Path, version, r.New.Path, ""); err != nil {
			return nil, err
		}
	}
	return modfile.Format(file.Syntax), nil
}

// pack makes the archive of the files that git tracks in the folder.
func (v *moduleVersion) pack(checkout, folder string) error {
	list := exec.Command("git", "ls-files", "-z")
	list.Dir, list.Stderr = folder, os.Stderr
	out, err := list.Output()
	if err != nil {
		return err
	}
	var files []zip.File
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		file := packed{name: name, path: filepath.Join(folder, name)}
		file.content = v.changed[name]
		files = append(files, file)
	}
	// The Go command adds the licence of the repository to a module in a folder.
	licensed := func(file zip.File) bool { return file.Path() == "LICENSE" }
	if !slices.ContainsFunc(files, licensed) {
		files = append(files, packed{name: "LICENSE", path: filepath.Join(checkout, "LICENSE")})
	}
	var archive bytes.Buffer
	err = zip.Create(&archive, v.Version, files)
	v.zip = archive.Bytes()
	return err
}

// packed is a file of an archive: the one in the checkout, unless it has content of its own.
type packed struct {
	name, path string
	content    []byte
}

func (p packed) Path() string { return p.name }

func (p packed) Lstat() (fs.FileInfo, error) {
	info, err := os.Lstat(p.path)
	if err != nil || p.content == nil {
		return info, err
	}
	return sized{info, int64(len(p.content))}, nil
}

func (p packed) Open() (io.ReadCloser, error) {
	if p.content == nil {
		return os.Open(p.path)
	}
	return io.NopCloser(bytes.NewReader(p.content)), nil
}

type sized struct {
	fs.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }

// sum returns the lines of go.sum for the version.
func (v *moduleVersion) sum() (lines []byte, err error) {
	temporary, err := os.CreateTemp("", "release*.zip")
	if err != nil {
		return nil, err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(v.zip)
	if err := errors.Join(err, temporary.Close()); err != nil {
		return nil, err
	}
	all, err := dirhash.HashZip(temporary.Name(), dirhash.Hash1)
	if err != nil {
		return nil, err
	}
	gomod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(v.gomod)), nil
	})
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%s %s %s\n%s %s/go.mod %s\n", v.Path, v.Version.Version, all, v.Path,
		v.Version.Version, gomod), nil
}

// write writes the changed files into the checkout.
func (v *moduleVersion) write(folder string) (err error) {
	for name, content := range v.changed {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), content, 0o666))
	}
	return err
}

// publish writes what the Go command asks a module proxy for: see go help goproxy.
func (v *moduleVersion) publish(proxy string) error {
	escaped, err := module.EscapePath(v.Path)
	if err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{v.Version.Version, time.Unix(0, 0).UTC()})
	if err != nil {
		return err
	}
	folder := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"list": []byte(v.Version.Version + "\n"), v.Version.Version + ".info": info,
		v.Version.Version + ".mod": v.gomod,
		v.Version.Version + ".zip": v.zip,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}
