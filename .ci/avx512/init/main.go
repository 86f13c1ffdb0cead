//go:build linux

// Command init is process 1 of the machine that .ci/avx512/run boots.
// It runs /test with the arguments listed in /args and the environment listed
// in /env (both NUL-terminated) in the folder /work, prints the test's exit
// code on the console and powers the machine off.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// mark starts the line the script looks for; it is alone on its line even when
// the test's last line has no end.
const mark = "AVX512-EMULATED-EXIT "

// failed is the exit code for a test that could not be run at all.
const failed = 125

func main() {
	code := run()
	fmt.Printf("\n%s%d\n", mark, code)
	// The serial line is slow: wait until the last byte has left.
	time.Sleep(500 * time.Millisecond)
	if err := syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF); err != nil {
		fmt.Println("init: power off:", err)
	}
	select {}
}

func run() int {
	for _, m := range []struct{ dir, fs string }{
		{"/proc", "proc"}, {"/sys", "sysfs"}, {"/dev", "devtmpfs"}, {"/tmp", "tmpfs"},
	} {
		if err := os.MkdirAll(m.dir, 0o755); err != nil {
			fmt.Println("init:", err)
		}
		if err := syscall.Mount(m.fs, m.dir, m.fs, 0, ""); err != nil {
			fmt.Println("init: mount", m.dir, err)
		}
	}
	args, err := list("/args")
	if err != nil {
		fmt.Println("init:", err)
		return failed
	}
	env, err := list("/env")
	if err != nil {
		fmt.Println("init:", err)
		return failed
	}

	cmd := exec.Command("/test", args...)
	cmd.Dir = "/work"
	cmd.Env = append([]string{"HOME=/tmp", "PATH=/"}, env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	start := time.Now()
	err = cmd.Run()
	fmt.Printf("init: the test took %.1f s of the guest's time\n", time.Since(start).Seconds())
	if err == nil {
		return 0
	}
	fmt.Println("init:", err)
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return failed
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal()) // as shells report it
	}
	return exit.ExitCode()
}

// list reads a file of NUL-terminated strings.
func list(name string) ([]string, error) {
	b, err := os.ReadFile(name)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), nil
}
