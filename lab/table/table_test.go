package table_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/lab/table"
)

// read reads a table of a name, a number and perhaps a whole number to its end.
func read(text string) (names []string, err error) {
	t, err := table.Open(strings.NewReader(text), "t.csv", []string{"id", "x"}, []string{"n"})
	if err != nil {
		return nil, err
	}
	for {
		if err := t.Next(); errors.Is(err, io.EOF) {
			return names, nil
		} else if err != nil {
			return nil, err
		}
		name, err := t.Name("id")
		if err != nil {
			return nil, err
		}
		if _, err := t.Number("x"); err != nil {
			return nil, err
		}
		if t.Has("n") {
			if _, err := t.Whole("n"); err != nil {
				return nil, err
			}
		}
		names = append(names, name)
	}
}

func TestColumnsComeInAnyOrder(t *testing.T) {
	for _, text := range []string{"id,x\na,1\nb,2.5\n", "x,id\n1,a\n2.5,b", "\xef\xbb\xbfn, id ,x\r\n3,a,1\r\n4,b,-0\r\n"} {
		if names, err := read(text); err != nil || strings.Join(names, "") != "ab" {
			t.Errorf("%q: %v, %v", text, names, err)
		}
	}
}

func TestMistakesNameThePlace(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "t.csv: no header line (want id,x)",
		"id\n":                `t.csv line 1: no column "x" (needed: id, x)`,
		"id,x,y\n":            `t.csv line 1: unknown column "y" (want id, x, n)`,
		"id,x,id\n":           `t.csv line 1: column "id" is there twice`,
		"id,x\na\n":           "t.csv line 2: 1 columns, the header line has 2",
		"id,x\na,ten\n":       `t.csv line 2: x: "ten" is not a number`,
		"id,x\na,Inf\n":       `t.csv line 2: x: "Inf" is not a number`,
		"id,x\na,\n":          "t.csv line 2: x: empty, but needed",
		"id,x\n,1\n":          "t.csv line 2: id: empty, but needed",
		"id,x\na,1\na,2\n":    `t.csv line 3: id: "a" is there twice, first in line 2`,
		"id,x,n\na,1,1.5\n":   `t.csv line 2: n: "1.5" is not a whole number that fits`,
		"id,x\n\"a,1\n":       `t.csv line 2: column 6: extraneous or missing " in quoted-field`,
		"id,x\n\"a\x01\",1\n": `t.csv line 2: id: "a\x01" has a control character in it`,
	} {
		_, err := read(text)
		if err == nil || err.Error() != want {
			t.Errorf("%q\n got %v\nwant %s", text, err, want)
		}
		if _, ok := errors.AsType[*market.PlaceError](err); !ok {
			t.Errorf("%q: %T has no place", text, err)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add("id,x\na,1\n")
	f.Add("x,n,id\n1,2,a\n")
	f.Fuzz(func(t *testing.T, text string) {
		names, err := read(text)
		seen := map[string]bool{}
		for _, name := range names {
			if name == "" || seen[name] {
				t.Errorf("name %q", name)
			}
			seen[name] = true
		}
		if err != nil && !strings.HasPrefix(err.Error(), "t.csv") {
			t.Errorf("no place: %v", err)
		}
	})
}
