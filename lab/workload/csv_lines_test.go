package workload

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// Lines are cut as encoding/csv cuts them, and what is wrong is found in the same
// place, in buffers of any size.
func TestLinesAreCutAsEverywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const letters = "aab,,,\"\"\n\n\r "
	for range 200_000 {
		text := make([]byte, r.IntN(24))
		for i := range text {
			text[i] = letters[r.IntN(len(letters))]
		}
		theirs := csv.NewReader(strings.NewReader(string(text)))
		theirs.FieldsPerRecord = -1
		mine := newRecords(bufio.NewReaderSize(strings.NewReader(string(text)), 16))
		for {
			want, wantErr := theirs.Read()
			fields, err := mine.read()
			if wantErr != nil || err != nil {
				if place(wantErr) != place(err) {
					t.Fatalf("%q: %v, want %v", text, err, wantErr)
				}
				break
			}
			got := make([]string, len(fields))
			for i := range fields {
				got[i] = string(fields[i])
			}
			line, _ := theirs.FieldPos(0)
			if fmt.Sprintf("%d %q", mine.line, got) != fmt.Sprintf("%d %q", line, want) {
				t.Fatalf("%q: line %d %q, want %d %q", text, mine.line, got, line, want)
			}
		}
	}
}

func place(err error) string {
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Sprint(wrong.Line, wrong.Column)
	}
	if errors.Is(err, io.EOF) {
		return "end"
	}
	return fmt.Sprint(err)
}

// An id that was there before is found, whether the ids before it rose or not.
func TestIDsThatAreThereTwice(t *testing.T) {
	for text, want := range map[string]string{
		"1 2 3 3":     "3 3",
		"1 2 3 2":     "2 2",
		"5 7 6 07 5":  "5 1",
		"1 2 02 2":    "2 2",
		"a b a":       "a 1",
		"1 2 x 1":     "1 1",
		"0 1 00 0":    "0 1",
		"1 2 3 10 11": "",
	} {
		var seen ids
		got := ""
		for i, id := range strings.Fields(text) {
			if before, twice := seen.add(id, int64(i+1)); twice {
				got = fmt.Sprint(id, " ", before)
				break
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
