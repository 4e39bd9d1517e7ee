package policy

import (
	"fmt"
	"slices"

	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/market"
)

// Watching is libra-sla that holds what it knows of processors in a grove against what is there, at every answer, and says how
// many have a twin.
func Watching(say func(twins int, wrong error)) Policy { return &watching{newLibraSLA(), say} }

type watching struct {
	*libraSLA
	say func(int, error)
}

func (p *watching) Admit(v book.View, j *market.Job, a *Answer) {
	p.admit(v, j, a, func(l *libraSLA, v book.View, j *market.Job, added *book.Task) {
		l.list(v, j, added)
		if l.inOrder(v, j, added) {
			p.say(l.check(v, added))
		}
	})
}

// check finds a processor that is not where its twins are, and one that would bring more than its bound.
func (p *libraSLA) check(v book.View, added *book.Task) (twins int, wrong error) {
	r, seen := &p.ahead, map[int32]bool{}
	a := newAsking(added, v.Now())
	for number := range r.families.all {
		family := &r.families.all[number]
		for place, proc := range family.procs {
			if s := r.families.seats[proc]; seen[proc] || int(s.family) != number+1 || int(s.place) != place {
				return 0, fmt.Errorf("processor %d is in family %d, place %d, and should be in %d, %d", proc, s.family-1, s.place, number, place)
			}
			if place > 0 && !slices.Equal(v.Tasks(int(proc)), v.Tasks(int(family.procs[0]))) {
				return 0, fmt.Errorf("processors %d and %d are no twins", proc, family.procs[0])
			}
			seen[proc] = true
		}
		if len(family.procs) == 0 {
			continue
		}
		twins += len(family.procs) - 1
		leaf := &r.grove.boughs[r.grove.leaf[number]-1]
		bound := leaf.fruits[leaf.place(market.Int32(number))].bound(&a)
		worth, ok := p.worthwhileClosely(v, int(family.procs[0]), added)
		if ok && bound < worth*(1-1e-9) {
			return 0, fmt.Errorf("processor %d is bounded by %v, and would bring %v", family.procs[0], bound, worth)
		}
	}
	for proc := range v.Processors() {
		if seen[market.Int32(proc)] != (len(v.Tasks(proc)) > 0) {
			return 0, fmt.Errorf("processor %d with %d tasks: %v", proc, len(v.Tasks(proc)), seen[market.Int32(proc)])
		}
	}
	return twins, nil
}
