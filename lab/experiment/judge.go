package experiment

import (
	"fmt"
	"math"
	"strings"
)

// The ways in which statements are judged. Each says in words what was seen.

// everywhere holds if a is above b at every x by more than margin.
func everywhere(name string, a, b curve, margin float64) verdict {
	l := a.overBy(b, margin)
	return verdict{holds: l.least > margin, measured: name + ": " + l.String(), counts: []count{l.above}}
}

// onAverage holds if a is above b by at least margin, taken over all x.
func onAverage(name string, a, b curve, margin float64) verdict {
	l := a.over(b)
	return verdict{holds: l.mean >= margin, measured: name + ": " + l.String(), counts: []count{l.above}}
}

// both holds if all do.
func both(verdicts ...verdict) verdict {
	all := verdict{holds: true}
	var words []string
	for _, v := range verdicts {
		all.holds = all.holds && v.holds
		all.counts = append(all.counts, v.counts...)
		words = append(words, v.measured)
	}
	all.measured = strings.Join(words, "; ")
	return all
}

// above holds if a number is larger than another by more than margin.
func above(name string, a float64, other string, b, margin float64) verdict {
	return verdict{holds: a-b > margin, measured: fmt.Sprintf("%s %s, %s %s", name, tenth(a), other, tenth(b))}
}

// rising holds if a curve ends above its start and no step goes down by more
// than slack, which allows for the noise of a few seeds.
func rising(name string, c curve, slack float64) verdict {
	fall, at := c.worstFall()
	up := c.steps(1)
	text := fmt.Sprintf("%s %s to %s, up at %s steps", name, tenth(c.first()), tenth(c.last()), up)
	if fall > 0 {
		text += fmt.Sprintf(", largest step down %.1f at %s", fall, number(at))
	}
	return verdict{holds: c.last() > c.first() && fall <= slack, measured: text, counts: []count{up}}
}

// falling is rising upside down.
func falling(name string, c curve, slack float64) verdict {
	turned := make(curve, len(c))
	for i, p := range c {
		turned[i] = p
		turned[i].Mean = -p.Mean
	}
	climb, at := turned.worstFall()
	down := c.steps(-1)
	text := fmt.Sprintf("%s %s to %s, down at %s steps", name, tenth(c.first()), tenth(c.last()), down)
	if climb > 0 {
		text += fmt.Sprintf(", largest step up %.1f at %s", climb, number(at))
	}
	return verdict{holds: c.last() < c.first() && climb <= slack, measured: text, counts: []count{down}}
}

// about holds if a number is within tolerance of what the paper states.
func about(name string, got, want, tolerance float64) verdict {
	return verdict{holds: math.Abs(got-want) <= tolerance, measured: strings.TrimSpace(fmt.Sprintf("%s %s", name, tenth(got)))}
}

// ordered holds if each value is larger than the one before it by more than
// -slack.
func ordered(names []string, values []float64, slack float64) verdict {
	v := verdict{holds: true}
	var words []string
	for i, value := range values {
		words = append(words, fmt.Sprintf("%s %s", names[i], tenth(value)))
		if i > 0 && !(value-values[i-1] > -slack) {
			v.holds = false
		}
	}
	v.measured = strings.Join(words, ", ")
	return v
}

// reversed gives slices in the other order, for ordered to fall.
func reversed[T any](list []T) []T {
	turned := make([]T, len(list))
	for i, x := range list {
		turned[len(list)-1-i] = x
	}
	return turned
}
