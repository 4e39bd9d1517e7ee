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
		j, least := &market.Job{Width: 1, Where: &market.Where{Exclude: exclude}}, time.Hour
		for range 20 { // the least, whatever else the machine does
			began := time.Now()
			for proc := range v.Processors() {
				if !v.Room(proc, j) {
					t.Fatalf("no room on %d", proc)
				}
			}
			least = min(least, time.Since(began))
		}
		return least
	}
	if one, many := ask("elsewhere"), ask(strings.Join(names, ",")); many > 20*one {
		t.Errorf("with 5,000 names %v, with one %v", many, one)
	}
}
