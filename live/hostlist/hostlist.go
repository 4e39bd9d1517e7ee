package hostlist

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrList says that a text is no list of hosts.
var ErrList = errors.New("not a list of hosts")

// mostHosts is how many names one list may stand for: more than any cluster has.
const mostHosts = 1 << 17

// Expand reads Slurm's short form for many names: "a1", "n[1-3,7],m[08-10]",
// "r[1-2]n[1-4]". An empty list is one.
func Expand(list string) ([]string, error) {
	var all []string
	for rest := list; rest != ""; {
		var one string
		one, rest = cutOutside(rest)
		if one == "" {
			return nil, fmt.Errorf("%w: an empty name in %q", ErrList, list)
		}
		names, err := expandOne(one)
		if err != nil {
			return nil, err
		}
		if all = append(all, names...); len(all) > mostHosts {
			return nil, fmt.Errorf("%w: more than %d names", ErrList, mostHosts)
		}
	}
	return all, nil
}

// cutOutside cuts a list at its first comma that is in no brackets.
func cutOutside(list string) (one, rest string) {
	depth := 0
	for i, c := range list {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth <= 0:
			return list[:i], list[i+1:]
		}
	}
	return list, ""
}

// expandOne reads a name with any number of ranges in it.
func expandOne(text string) ([]string, error) {
	before, rest, ranges := strings.Cut(text, "[")
	if strings.ContainsAny(before, "] \t\n") || len(before) > 255 {
		return nil, fmt.Errorf("%w: %.80q", ErrList, text)
	}
	if !ranges {
		return []string{before}, nil
	}
	inside, after, closed := strings.Cut(rest, "]")
	if !closed {
		return nil, fmt.Errorf("%w: %.80q", ErrList, text)
	}
	tails := []string{""}
	if after != "" {
		var err error
		if tails, err = expandOne(after); err != nil {
			return nil, err
		}
	}
	var names []string
	for part := range strings.SplitSeq(inside, ",") {
		numbers, err := expandRange(part)
		if err != nil {
			return nil, err
		}
		if len(names)+len(numbers)*len(tails) > mostHosts {
			return nil, fmt.Errorf("%w: more than %d names", ErrList, mostHosts)
		}
		for _, n := range numbers {
			for _, tail := range tails {
				names = append(names, before+n+tail)
			}
		}
	}
	return names, nil
}

// expandRange reads "7" or "08-11": numbers as wide as the first.
func expandRange(text string) ([]string, error) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	from, err := strconv.ParseUint(low, 10, 32)
	to, err2 := strconv.ParseUint(high, 10, 32)
	if err = errors.Join(err, err2); err != nil || from > to || len(low) > 20 || to-from >= mostHosts {
		return nil, fmt.Errorf("%w: range %.80q", ErrList, text)
	}
	var numbers []string
	for n := from; n <= to; n++ {
		numbers = append(numbers, fmt.Sprintf("%0*d", len(low), n))
	}
	return numbers, nil
}
