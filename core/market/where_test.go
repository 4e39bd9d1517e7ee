package market_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
)

func TestWhereAJobMayBe(t *testing.T) {
	n := &market.Node{Name: "n1", Features: "fast,ib"}
	for where, want := range map[market.Where]bool{
		{}: true, {Nodes: "n1"}: true, {Nodes: "n2,n1"}: true, {Nodes: "n2,n11"}: false, {Nodes: "n"}: false,
		{Exclude: "n1"}: false, {Exclude: "n11,n"}: true, {Nodes: "n1", Exclude: "n1"}: false,
		{Constraint: "fast"}: true, {Constraint: "fas"}: false, {Constraint: "fast&ib"}: true, {Constraint: "fast&gpu"}: false,
		{Constraint: "gpu|ib"}: true, {Constraint: "gpu|big"}: false, {Nodes: "n1", Constraint: "gpu"}: false,
	} {
		if where.Takes(n) != want {
			t.Errorf("%+v takes the node: %v", where, !want)
		}
	}
	if !(*market.Where)(nil).Takes(n) {
		t.Error("a job that says nothing may not be there")
	}
	if (&market.Where{Constraint: "a"}).Takes(&market.Node{}) {
		t.Error("a node without features has one")
	}
}

func TestConstraints(t *testing.T) {
	for text, good := range map[string]bool{
		"fast": true, "fast&ib": true, "amd|intel": true, "x-1_2.3": true,
		"": false, "a&b|c": false, "a|b&c": false, "a&": false, "|a": false, "a,b": false, "[a|b]": false, "a*2": false, "(a)": false, "a b": false,
	} {
		if err := market.CheckConstraint(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, good := range map[string]bool{"": true, "fast,ib": true, "fast,": false, "a b": false, "a&b": false} {
		if err := market.CheckFeatures(text); (err == nil) != good {
			t.Errorf("features %q: %v", text, err)
		}
	}
}
