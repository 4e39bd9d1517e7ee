package experiment

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var offersLog = flag.String("offers", "", "the log for which the table of what users keep is printed")

// Where the offer is charged, offering half of what a job is worth pays; at a posted price it does not.
func TestOfferingLess(t *testing.T) {
	ways := []Way{
		{"`make-way`", "make-way", ""},
		{"`make-way`, `follow=0.5`", "make-way", "follow=0.5"},
		{"`make-way`, `price=posted`, `follow=0.5`", "make-way", "follow=0.5,price=posted"},
	}
	if *offersLog != "" {
		log, err := OpenTrace(*offersLog)
		if err != nil {
			t.Fatal(err)
		}
		o := Offers{Parts: []float64{2, 1, 0.75, 0.5, 0.25, 0.1}, Turns: 20}
		if err := o.Table(t.Context(), &Lab{}, log, 5000, []float64{0.25, 0.5, 1}, ways, os.Stdout); err != nil {
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
	if bid := kept[ways[0].Name]; bid[0] > 1e-9 || bid[0] < -1e-9 {
		t.Errorf("who pays what a job is worth keeps %v %%", bid[0])
	}
}
