package workload

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

// Header is the comments at the head of an SWF log, kept as they stand: many
// logs ask that they be kept in every copy.
type Header struct {
	// Lines are the header lines with their semicolon, without their line end.
	Lines []string
}

// Get returns the value of a line such as "; MaxProcs: 128", or "" where there
// is none. Keys are compared without regard to case.
func (h *Header) Get(key string) string {
	for _, line := range h.Lines {
		name, value, found := strings.Cut(strings.TrimLeft(line, "; \t"), ":")
		if found && strings.EqualFold(strings.TrimSpace(name), key) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// MaxProcs is the number of processors the header states, or 0.
func (h *Header) MaxProcs() int { return leadingInt(h.Get("MaxProcs")) }

// MaxNodes is the number of nodes the header states, or 0.
func (h *Header) MaxNodes() int { return leadingInt(h.Get("MaxNodes")) }

// Processors is the size of the machine: MaxProcs, or MaxNodes in a log that
// states only those, or 0.
func (h *Header) Processors() int {
	if n := h.MaxProcs(); n > 0 {
		return n
	}
	return h.MaxNodes()
}

// Add appends a line "; key: value".
func (h *Header) Add(key, value string) { h.Lines = append(h.Lines, "; "+key+": "+value) }

// leadingInt reads the digits at the start: logs put explanations after the
// number ("338 (batch partition; 512 total)").
func leadingInt(text string) int {
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(text[:end])
	if err != nil {
		return 0
	}
	return n
}

// readHeader takes the comments and empty lines before the first record.
func (s *SWF) readHeader() error {
	for {
		from, to, err := s.nextLine()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line := strings.TrimRight(string(s.buffer[from:to]), " \t\r")
		if line == "" {
			continue
		}
		if strings.TrimLeft(line, " \t")[0] != ';' {
			s.start = from // the first record: give it back
			s.line--
			return nil
		}
		s.header.Lines = append(s.header.Lines, line)
	}
}
