package task

import (
	"fmt"
	"strconv"
	"strings"
)

// mostLicenses bounds how many of one name can be asked for.
const mostLicenses = 1_000_000

// ReadLicenses reads what is asked for of licences that a batch system counts: matlab,
// fluent:2 (or fluent=2), all of which are wanted.
func ReadLicenses(text string) (map[string]int, error) {
	want := map[string]int{}
	for word := range strings.SplitSeq(text, ",") {
		name, number, some := strings.Cut(strings.ReplaceAll(word, "=", ":"), ":")
		n := 1
		if some {
			var err error
			if n, err = strconv.Atoi(number); err != nil {
				n = 0
			}
		}
		if name == "" || strings.ContainsFunc(name, oddLicense) || n < 1 || n > mostLicenses {
			return nil, fmt.Errorf("%q: want a licence, or several, as matlab or fluent:2,matlab", text)
		}
		if _, twice := want[name]; twice {
			return nil, fmt.Errorf("%q: %s is named twice", text, name)
		}
		want[name] = n
	}
	return want, nil
}

func oddLicense(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.@/", r))
}

// LicensesOf are those that go along with a job's variables; what makes no sense is an error.
func LicensesOf(env []string) (map[string]int, error) {
	text, some := "", false
	for _, setting := range env {
		if v, is := strings.CutPrefix(setting, Licenses+"="); is {
			text, some = v, true
		}
	}
	if !some {
		return nil, nil
	}
	return ReadLicenses(text)
}
