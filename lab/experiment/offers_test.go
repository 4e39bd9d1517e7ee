package experiment

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var (
	offersLog = flag.String("offers", "", "the log for which the table of what users keep is printed")
	offersOf  = flag.String("offers-of", "make-way", "the policy of that table")
)

// Where the offer is charged, offering half of what a job is worth pays; at a posted price it does not.
func TestOfferingLess(t *testing.T) {
	ways := []Way{
		{"`make-way`", "make-way", ""},
		{"`make-way`, `follow=0.5`", "make-way", "follow=0.5"},
		{"`make-way`, `price=posted`, `follow=0.5`", "make-way", "follow=0.5,price=posted"},
		{"`going-rate`", "going-rate", ""},
		{"`going-rate`, `price=posted`, `follow=0.5`", "going-rate", "follow=0.5,price=posted"},
		{"`going-rate`, `price=posted`, `follow=1`", "going-rate", "follow=1,price=posted"},
	}
	if *offersLog != "" {
		log, err := OpenTrace(*offersLog)
		if err != nil {
			t.Fatal(err)
		}
		ways = slices.DeleteFunc(ways, func(w Way) bool { return w.Policy != *offersOf })
		o, factors := Offers{Parts: []float64{2, 1, 0.75, 0.5, 0.25, 0.1}, Turns: 20}, []float64{0.25, 0.5, 1}
		if *offersOf == "going-rate" { // one job in ten
			o, factors = Offers{Parts: []float64{1, 0.9, 0.7, 0.5}, Turns: 10}, []float64{0.5}
		}
		if err := o.Table(t.Context(), &Lab{}, log, 5000, factors, ways, os.Stdout); err != nil {
			t.Fatal(err)
		}
		return
	}
	log := smallTrace(t, 600)
	log.Nodes = 64
	o := Offers{Parts: []float64{1, 0.5, 0.25}, Turns: 10}
	kept := map[string][]float64{}
	for _, way := range ways {
		got, err := o.Kept(t.Context(), Cell{Policy: way.Policy, Set: way.Set, Nodes: log.Nodes, Jobs: Jobs{Base: log.Last(600), Model: "libra-plus", Seed: 1, Factor: 1}})
		if err != nil {
			t.Fatal(err)
		}
		kept[way.Name] = got
		if paysLess := got[1] > got[0]+1; paysLess == strings.Contains(way.Name, "posted") {
			t.Errorf("%s: who offers half keeps %.1f %%, who offers all %.1f %%", way.Name, got[1], got[0])
		}
	}
	for _, name := range []string{"`make-way`", "`going-rate`"} {
		if bid := kept[name]; bid[0] > 1e-9 || bid[0] < -1e-9 {
			t.Errorf("%s: who pays what a job is worth keeps %v %%", name, bid[0])
		}
	}
}
