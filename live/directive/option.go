package directive

import (
	"errors"
	"strings"
)

var errNoValue = errors.New("its value is missing")

// takes says whether an option has a value.
type takes uint8

const (
	noValue  takes = iota
	aValue         // --name=value, --name value, -n value, -nvalue
	perhapsA       // --name or --name=value
)

// option is an option of another system's submit command. Exactly one of set,
// idle and never says what comes of it.
type option struct {
	names []string // "-J", "--job-name"
	takes takes
	set   func(o *occurrence) error
	idle  string // it means nothing here and does no harm: why
	never string // it cannot be had here: why
}

// occurrence is an option as it stands in a script.
type occurrence struct {
	*Head
	reader *reader
	line   line
	text   string // as it is written
	value  string
}

func (o *occurrence) note(text string) { o.reader.note(o.line, o.text, text) }

// read follows a line of options. The first mistake ends the line: what comes
// after it may be its value.
func (r *reader) read(l line, options []option) error {
	words, err := optionWords(l.text)
	if err != nil {
		return r.unread(l, "", err)
	}
	return r.readWords(l, words, options)
}

func (r *reader) readWords(l line, words []string, options []option) error {
	for len(words) > 0 {
		var err error
		if words, err = r.readOption(l, words, options); err != nil {
			return err
		}
	}
	return nil
}

// readOption follows the first option and returns the words after it.
func (r *reader) readOption(l line, words []string, options []option) ([]string, error) {
	word, rest := words[0], words[1:]
	if word == "hetjob" || word == "packjob" {
		return nil, r.wrong(l, word, errors.New("a job of unlike parts is not sold: hand them in one by one"))
	}
	name, value, given := word, "", false
	switch {
	case strings.HasPrefix(word, "--"):
		name, value, given = strings.Cut(word, "=")
	case strings.HasPrefix(word, "-") && len(word) > 2:
		name, value, given = word[:2], word[2:], true
	}
	if full := fullName(options, name); full != name {
		word, name = full+strings.TrimPrefix(word, name), full
	}
	known, found := findOption(options, name)
	if !found {
		return nil, r.unread(l, name, unknown(name, optionNames(options)))
	}
	switch {
	case known.takes == noValue && given && !strings.HasPrefix(word, "--"):
		rest = append([]string{"-" + value}, rest...) // several letters in one word
		value = ""
	case known.takes == noValue && given:
		return nil, r.unread(l, word, errors.New("it has no value"))
	case known.takes == aValue && !given:
		if len(rest) == 0 {
			return nil, r.unread(l, name, errNoValue)
		}
		value, rest = rest[0], rest[1:]
	}
	written := name
	if known.takes != noValue && value != "" {
		written = name + " " + value
		if strings.HasPrefix(name, "--") {
			written = name + "=" + value
		}
	}
	switch {
	case known.never != "":
		return nil, r.wrong(l, written, errors.New(known.never))
	case known.set == nil:
		r.note(l, written, known.idle)
		return rest, nil
	}
	if err := known.set(&occurrence{Head: r.head, reader: r, line: l, text: written, value: value}); err != nil {
		return nil, r.unread(l, written, err)
	}
	return rest, nil
}

func findOption(options []option, name string) (option, bool) {
	for _, o := range options {
		for _, n := range o.names {
			if n == name {
				return o, true
			}
		}
	}
	return option{}, false
}

// fullName is the name of the one option that a long name is the beginning of, as getopt takes
// it: --job for --job-name.
func fullName(options []option, name string) string {
	const shortest = len("--x")
	if _, exact := findOption(options, name); exact || !strings.HasPrefix(name, "--") || len(name) < shortest {
		return name
	}
	full, count := name, 0
	for i := range options {
		for _, n := range options[i].names {
			if strings.HasPrefix(n, name) {
				full = n
				count++
				break
			}
		}
	}
	if count != 1 {
		return name
	}
	return full
}

func optionNames(options []option) []string {
	var names []string
	for _, o := range options {
		names = append(names, o.names...)
	}
	return names
}
