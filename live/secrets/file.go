package secrets

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrOpen says that others can read a file with a secret, or change it.
var ErrOpen = errors.New("others can read it")

// forOthers are the bits of a mode that let in anybody but the owner of a file.
const forOthers = 0o077

// Check refuses a file that others can read. Where there is none, the error is
// fs.ErrNotExist.
func Check(path string) error {
	about, err := os.Stat(path)
	if err != nil {
		return err
	}
	return check(path, about)
}

func check(path string, about os.FileInfo) error {
	if mode := about.Mode().Perm(); mode&forOthers != 0 {
		return fmt.Errorf("%s holds a token and %w (mode %04o): chmod 600 %s", path, ErrOpen, mode, path)
	}
	return nil
}

// Read is what a file holds, if others cannot read it. The file that is looked at
// is the one that is read, whatever is put in its place meanwhile.
func Read(path string) (text []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	about, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err = check(path, about); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// Token is the token in a file of its own.
func Token(path string) (string, error) {
	text, err := Read(path)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("%s: there is no token in it", path)
	}
	return token, nil
}
