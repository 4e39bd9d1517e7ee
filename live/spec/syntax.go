package spec

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// late are the messages of the YAML library that name the line before the one
// they mean: its parser counts from 0 where its scanner counts from 1.
var late = []string{
	"did not find expected key",
	"did not find expected node content",
	"did not find expected <document start>",
	"did not find expected '-' indicator",
	"did not find expected ',' or ']'",
	"did not find expected ',' or '}'",
}

// syntaxError makes an [*Error] of a message of the YAML library, which has the
// line only in its text.
func syntaxError(file string, data []byte, err error) error {
	if errors.Is(err, errBroken) {
		return Errors{{File: file, Problem: err.Error()}}
	}
	line, problem := cutLine(strings.TrimPrefix(err.Error(), "yaml: "))
	if slices.Contains(late, problem) {
		line++
	}
	// A text that ends too soon is at fault in its last line, not after it.
	line = min(line, 1+bytes.Count(bytes.TrimRight(data, "\r\n"), []byte("\n")))
	return Errors{{File: file, Line: max(line, 1), Problem: "not YAML: " + problem}}
}

// cutLine takes "line 3: " off a message. A message without it is about the
// first line, which is line 0 to the library.
func cutLine(message string) (line int, problem string) {
	rest, found := strings.CutPrefix(message, "line ")
	digits, problem, cut := strings.Cut(rest, ": ")
	if !found || !cut {
		return 0, message
	}
	line, err := strconv.Atoi(digits)
	if err != nil {
		return 0, message
	}
	return line, problem
}
