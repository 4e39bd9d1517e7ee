package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	yaml "go.yaml.in/yaml/v3"
)

// Limits on a text. People write less; programs that write more want the
// workload formats.
const (
	// MaxBytes is the longest text that is read.
	MaxBytes = 1 << 20
	// MaxDepth is how many levels of lists and mappings a text may have.
	MaxDepth = 32
)

// errBroken says that the YAML parser itself broke on a text. No text is known
// that does it, but texts come from strangers.
var errBroken = errors.New("the YAML reader cannot cope with this text")

// documents reads a text and returns the top node of each document in it that
// is not empty.
func documents(file string, from io.Reader) ([]*yaml.Node, error) {
	data, err := io.ReadAll(io.LimitReader(from, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("read %s: %w: more than %d bytes", file, ErrTooLarge, MaxBytes)
	}
	docs, err := parse(surrogates(data))
	if err != nil {
		return nil, syntaxError(file, data, err)
	}
	g := guard{reader: reader{file: file}}
	for _, doc := range docs {
		g.visit(doc, "", 1)
	}
	return docs, g.done()
}

func parse(data []byte) (docs []*yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			docs, err = nil, fmt.Errorf("%w: %v", errBroken, p)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		err = decoder.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, err
		}
		if doc.Kind == yaml.DocumentNode && len(doc.Content) == 1 && !null(doc.Content[0]) {
			docs = append(docs, doc.Content[0])
		}
	}
}
