package main

import (
	"encoding/json"
	"io"
	"unicode/utf8"

	"github.com/libra-market/libra/client"
)

// written is what a job wrote, for programs: all that is there, or with --follow piece by
// piece, each on a line of its own.
type written struct {
	Job     int64  `json:"job"`
	Rank    int    `json:"rank"`
	Element *int   `json:"element,omitempty"`
	Stderr  bool   `json:"stderr"`
	Text    string `json:"text"`
	Data    []byte `json:"data,omitempty"` // the same as it is, where it is no text
}

func writtenBy(id int64, which client.Output, data []byte) written {
	w := written{Job: id, Rank: which.Rank, Element: which.Element, Stderr: which.Stderr, Text: string(data)}
	if !utf8.Valid(data) {
		w.Data = data
	}
	return w
}

// pieces writes what comes as objects, each on a line. A character that has not come whole
// waits for the rest of it.
type pieces struct {
	to    io.Writer
	id    int64
	which client.Output
	rest  []byte
}

func (p *pieces) Write(data []byte) (int, error) {
	whole := append(p.rest, data...)
	cut := len(whole)
	for back := 1; back < utf8.UTFMax && back <= len(whole); back++ {
		if last := whole[len(whole)-back:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				cut = len(whole) - back
			}
			break
		}
	}
	p.rest = append([]byte(nil), whole[cut:]...)
	return len(data), p.say(whole[:cut])
}

// end writes what is left.
func (p *pieces) end() error {
	rest := p.rest
	p.rest = nil
	return p.say(rest)
}

func (p *pieces) say(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	line, err := json.Marshal(writtenBy(p.id, p.which, data))
	if err != nil {
		return err
	}
	_, err = p.to.Write(append(line, '\n'))
	return err
}
