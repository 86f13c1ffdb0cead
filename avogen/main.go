package main

import (
	"log"
	"os"
	"path/filepath"
)

//go:generate go run .

func main() {
	log.SetFlags(0)
	log.SetPrefix("avogen: ")
	files, err := render()
	if err != nil {
		log.Fatal(err)
	}
	for path, content := range files {
		path = filepath.Join("..", filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			log.Fatal(err)
		}
	}
}
