package agent

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// seatOf names a state directory, once and for all: by that the controller tells
// two agents of one node from one that was started anew.
func seatOf(dir string) (string, error) {
	path := filepath.Join(dir, "seat")
	name, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		name = []byte(rand.Text()[:12])
		err = writeDurably(path, name)
	}
	return string(name), err
}
