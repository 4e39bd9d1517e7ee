package hostlist

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	for list, want := range map[string][]string{
		"":                    nil,
		"a":                   {"a"},
		"a,b-1.x":             {"a", "b-1.x"},
		"n[1-3]":              {"n1", "n2", "n3"},
		"n[08-10,12],m7":      {"n08", "n09", "n10", "n12", "m7"},
		"r[1-2]n[1-2]":        {"r1n1", "r1n2", "r2n1", "r2n2"},
		"n[5]-ib":             {"n5-ib"},
		"[1-2]":               {"1", "2"},
		"n[099-101]":          {"n099", "n100", "n101"},
		"a[1-2],b[1-2],c,d[]": nil,
	} {
		got, err := Expand(list)
		bad := strings.Contains(list, "[]")
		if (err != nil) != bad || !bad && !slices.Equal(got, want) {
			t.Errorf("%q is %q, %v", list, got, err)
		}
	}
	for _, bad := range []string{"n[", "n[1", "n]", "n[1-]", "n[2-1]", "n[a]", "n[1,]", ",", "a,,b", "a b", "n[1-99999999]", "n[1-1000][1-1000]", "n[-1]"} {
		if got, err := Expand(bad); !errors.Is(err, ErrList) {
			t.Errorf("%q is %d names, %v", bad, len(got), err)
		}
	}
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{"", "a,b", "n[1-3,07]", "r[1-2]n[0-9]", "n[", "[", "]", "n[1-2]]", "a[1][2]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, list string) {
		names, err := Expand(list)
		if err != nil {
			return
		}
		if len(names) > mostHosts {
			t.Fatalf("%d names", len(names))
		}
		for _, name := range names {
			if strings.ContainsAny(name, "[],") {
				t.Errorf("%q has the name %q in it", list, name)
			}
		}
		again, err := Expand(strings.Join(names, ","))
		if len(names) > 0 && (err != nil || strings.Join(again, ",") != strings.Join(names, ",")) && !strings.Contains(","+strings.Join(names, ",")+",", ",,") {
			t.Errorf("%q is %q and then %q, %v", list, names, again, err)
		}
	})
}
