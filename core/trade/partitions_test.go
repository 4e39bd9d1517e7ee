package trade

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/libra-market/libra/core/market"
)

// Partitions have names, factors that are more than nothing and not beyond counting, and one
// that is meant where none is named; there is a most of them.
func TestPartitionsThatMakeSense(t *testing.T) {
	many := func(n int) map[string]int64 {
		all := map[string]int64{}
		for i := range n {
			all[fmt.Sprint("p", i)] = 1
		}
		return all
	}
	for name, c := range map[string]struct {
		rates Rates
		wrong string // in what is wanted; "": nothing is
	}{
		"none":                   {Rates{}, ""},
		"one, which is meant":    {Rates{Partitions: many(1)}, ""},
		"two":                    {Rates{Partitions: many(2), Partition: "p1"}, ""},
		"none of two is meant":   {Rates{Partitions: many(2)}, "where none is named"},
		"another is meant":       {Rates{Partitions: many(2), Partition: "p2"}, "one of the partitions"},
		"one is meant of none":   {Rates{Partition: "p0"}, "one of the partitions"},
		"the most":               {Rates{Partitions: many(64), Partition: "p0"}, ""},
		"more":                   {Rates{Partitions: many(65), Partition: "p0"}, "at most 64"},
		"a factor of nothing":    {Rates{Partitions: map[string]int64{"a": 0}}, "partition a, more than 0"},
		"a negative one":         {Rates{Partitions: map[string]int64{"a": -1}}, "partition a, more than 0"},
		"the largest":            {Rates{Partitions: map[string]int64{"a": 1e12}}, ""},
		"a larger one":           {Rates{Partitions: map[string]int64{"a": 1e12 + 1}}, "at most 1000000"},
		"a name that is no word": {Rates{Partitions: map[string]int64{"a b": 1}}, "names of partitions"},
	} {
		if err := c.rates.Validate(); (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Who names no partition is in the usual one, which is the only one if there is but one. A job
// that is in none, since there was none when it came, may stay so; and where there are none any
// more, so may one that is in one.
func TestTheUsualPartition(t *testing.T) {
	none, one := Rates{}, Rates{Partitions: map[string]int64{"only": 1}}
	three := Rates{Partitions: map[string]int64{"a": 1, "m": 1, "z": 1}, Partition: "m"}
	for _, c := range []struct {
		rates      *Rates
		asks, is   string
		names      string
		knows, has bool // one that is gone; none
	}{
		{&none, "x", "", "[]", true, true},
		{&one, "", "only", "[only]", false, true},
		{&three, "", "m", "[m a z]", false, true},
		{&three, "z", "z", "[m a z]", false, true},
	} {
		q := Request{Partition: c.asks}
		if err := c.rates.Settle(&q); err != nil || q.Partition != c.is || fmt.Sprint(c.rates.Names()) != c.names {
			t.Errorf("%q among %v is in %q, %v, want %q among %s", c.asks, c.rates.Names(), q.Partition, err, c.is, c.names)
		}
		if c.rates.Knows("gone") != c.knows || c.rates.Knows("") != c.has {
			t.Errorf("%v: one that is gone %v, none %v", c.rates.Names(), c.rates.Knows("gone"), c.rates.Knows(""))
		}
	}
	if err := three.Settle(&Request{Partition: "gone"}); err == nil || !strings.Contains(err.Error(), "m, a, z") {
		t.Error(err)
	}
}

// Memory, disk and GPUs cost as many times as much as their partition is dearer, and that is
// what is said of how the price was worked out.
func TestWhatAPartitionKeepsCosts(t *testing.T) {
	r := Rates{MemoryHour: 1_000_000, DiskHour: 2_000_000, GPUHour: 3_000_000, Partitions: map[string]int64{"a": 1_000_000, "b": 2_500_000}, Partition: "a"}
	asked := func(partition string) *market.Job {
		j := &market.Job{Width: 1, Memory: 1 << 10, Disk: 3 << 10, GPUs: 2}
		if partition != "" {
			j.Where = &market.Where{Partition: partition}
		}
		return j
	}
	prices := func(s *Storage, j *market.Job) (all []float64) {
		for _, in := range s.Inputs(&r, j) {
			if strings.HasSuffix(in.Name, " price") {
				all = append(all, in.Value)
			}
		}
		return all
	}
	plain, dear := r.Storage(asked(""), true, 3600_000), r.Storage(asked("b"), true, 3600_000)
	if plain.Price <= plain.GPUs || plain.GPUs <= 0 || *r.Storage(asked("a"), true, 3600_000) != *plain {
		t.Fatalf("%+v", plain)
	}
	if 2*dear.GPUs != 5*plain.GPUs || 2*(dear.Price-dear.GPUs) != 5*(plain.Price-plain.GPUs) {
		t.Errorf("%+v is not 2.5 times %+v", dear, plain)
	}
	of, than := prices(dear, asked("b")), prices(plain, asked(""))
	if len(of) != 3 || len(than) != 3 {
		t.Fatalf("%v, %v", of, than)
	}
	for i := range of {
		if than[i] <= 0 || math.Abs(of[i]-2.5*than[i]) > 1e-9*of[i] {
			t.Errorf("%v are not 2.5 times %v", of, than)
		}
	}
}
