package main

import (
	"fmt"
	"io"
	"os"
)

// mostNames is how much is read of a file of names of nodes: one that has no end, or no names, is a mistake.
const mostNames = 1 << 20

// nodefile is what is in a file of names of nodes.
func nodefile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostNames+1))
	if err == nil && len(text) > mostNames {
		err = fmt.Errorf("%s has more than %d bytes, which is too much for names of nodes", name, mostNames)
	}
	return string(text), err
}
