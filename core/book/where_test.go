package book

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/core/market"
)

// A job that names thousands of nodes costs, once that is known, as much for each processor as
// one that names one: policies ask of all of them.
func TestLongListsAreNotReadForEachProcessor(t *testing.T) {
	v := New(market.PlainNodes(2000)).View()
	var names []string
	for i := range 5000 {
		names = append(names, fmt.Sprintf("elsewhere%d", i))
	}
	ask := func(exclude string) time.Duration {
		j := &market.Job{Width: 1, Where: &market.Where{Exclude: exclude}}
		return least(func() {
			for proc := range v.Processors() {
				if !v.Room(proc, j) {
					t.Fatalf("no room on %d", proc)
				}
			}
		})
	}
	if one, many := ask("elsewhere"), ask(strings.Join(names, ",")); many > 20*one {
		t.Errorf("with 5,000 names %v, with one %v", many, one)
	}
}

// What each of a thousand jobs says of nodes is remembered as what ten of them say: policies go
// through all who wait, again and again.
func TestWhatManyJobsSayIsRemembered(t *testing.T) {
	v := New(market.PlainNodes(2000)).View()
	ask := func(different int) time.Duration {
		jobs := make([]market.Job, 1000)
		for i := range jobs {
			jobs[i] = market.Job{Width: 1, Where: &market.Where{Exclude: fmt.Sprintf("elsewhere%d", i%different)}}
		}
		return least(func() {
			for i := range jobs {
				if !v.Room(i, &jobs[i]) {
					t.Fatalf("no room on %d", i)
				}
			}
		})
	}
	if few, many := ask(10), ask(1000); many > 20*few {
		t.Errorf("1,000 jobs that say as many things %v, ten things %v", many, few)
	}
}

// least is how long something takes when the machine does nothing else.
func least(do func()) time.Duration {
	least := time.Hour
	for range 20 {
		began := time.Now()
		do()
		least = min(least, time.Since(began))
	}
	return least
}
