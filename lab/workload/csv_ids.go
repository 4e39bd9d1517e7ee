package workload

import "strconv"

// ids knows which ids were there, and in which line. Most files number their jobs,
// upwards: as long as that is so no table of them is needed.
type ids struct {
	rising []numbered       // while all of them rise
	lines  map[string]int64 // as of the first that does not
}

type numbered struct{ id, line int64 }

// add notes the id of a line, or says in which line it was before.
func (s *ids) add(id string, line int64) (before int64, twice bool) {
	if s.lines == nil {
		n, plain := wholeNumber(id)
		if plain && (len(s.rising) == 0 || n > s.rising[len(s.rising)-1].id) {
			s.rising = append(s.rising, numbered{n, line})
			return 0, false
		}
		s.lines = make(map[string]int64, len(s.rising)+1)
		for _, r := range s.rising {
			s.lines[strconv.FormatInt(r.id, 10)] = r.line
		}
		s.rising = nil
	}
	if before, twice = s.lines[id]; !twice {
		s.lines[id] = line
	}
	return before, twice
}

// wholeNumber reads a number written in the one way in which it can be.
func wholeNumber(text string) (int64, bool) {
	if text == "" || len(text) > 18 || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	n := int64(0)
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}
