package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Store is the directory of a report. What is finished is written at once,
// whole files only, so that an interrupted repetition goes on where it was.
type Store struct {
	dir   string
	fresh bool
	// Reused counts the sets of figures that were found here.
	Reused int
}

// keptDir has the measured numbers, for the next run; the files beside it are
// for people.
const keptDir = "measured"

// OpenStore opens the directory, making it where there is none. A fresh one
// measures everything again.
func OpenStore(dir string, fresh bool) (*Store, error) {
	if err := os.MkdirAll(filepath.Join(dir, keptDir), 0o777); err != nil {
		return nil, err
	}
	return &Store{dir: dir, fresh: fresh}, nil
}

// kept is a set of figures as it lies in the store.
type kept struct {
	Key     string   `json:"key"`
	Figures []Figure `json:"figures"`
}

// key tells sets of figures apart: by all that they hang on.
func (o Options) key(name string, params any) (string, error) {
	trace := ""
	if o.Trace != nil {
		trace = o.Trace.Name + " " + o.Trace.Sum + fmt.Sprint(" ", o.Trace.Nodes)
	}
	text, err := json.Marshal([]any{name, params, trace, o.Build, o.Reading.name()})
	if err != nil {
		return "", fmt.Errorf("parameters of %s: %w", name, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:24], nil
}

func (s *Store) path(name string) string { return filepath.Join(s.dir, keptDir, name+".json") }

// load finds figures that an earlier run kept. A file that cannot be read is
// as good as none: it will be measured again and replaced.
func (s *Store) load(name, key string) ([]Figure, bool) {
	if s.fresh {
		return nil, false
	}
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		return nil, false
	}
	var k kept
	if json.Unmarshal(text, &k) != nil || k.Key != key {
		return nil, false
	}
	s.Reused++
	return k.Figures, true
}

func (s *Store) save(name, key string, figures []Figure) error {
	text, err := json.Marshal(kept{key, figures})
	if err != nil {
		return err
	}
	return writeWhole(s.path(name), text)
}

// publish writes the drawing and the numbers of each figure.
func (s *Store) publish(figures []Figure) error {
	for i := range figures {
		f := &figures[i]
		var numbers bytes.Buffer
		if err := f.WriteCSV(&numbers); err != nil {
			return fmt.Errorf("figure %s: %w", f.ID, err)
		}
		if err := s.write(f.ID+".csv", numbers.Bytes()); err != nil {
			return err
		}
		if err := s.write(f.ID+".svg", f.Draw().SVG()); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) write(name string, text []byte) error {
	return writeWhole(filepath.Join(s.dir, name), text)
}

// writeWhole writes all of a file or none of it. A file that is already as it
// should be is left alone.
func writeWhole(path string, text []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return nil
	}
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
	if err := os.WriteFile(temp, text, fs.FileMode(0o666)); err != nil {
		_ = os.Remove(temp) // it may not even be there
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		_ = os.Remove(temp)
		return err
	}
	return nil
}
