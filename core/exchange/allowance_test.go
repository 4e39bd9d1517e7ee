package exchange_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// announced is what a node says of itself, but for its processors as any other.
func announced(name string, processors int) *task.Hello {
	return &task.Hello{Node: name, Processors: processors, Rating: 1, Speed: 1, MemoryMB: 1024, DiskMB: 1024, Boot: "b"}
}

// announce lets a node join within what is allowed.
func (f *floor) announce(h *task.Hello, a *roster.Allowance) error {
	f.Helper()
	_, err := f.try(trade.Command{By: trade.Identity{User: h.Node, Role: trade.RoleNode}, Enlist: h, Allow: a})
	return err
}

// A cluster that cannot be set up anew stays what it was.
func TestANodeThatIsTooMuchChangesNothing(t *testing.T) {
	f := open(t, "libra", 1)
	running := f.submit(alice, trade.Request{EstimateMS: 1_000, DeadlineMS: 40_000}).Job.ID
	before := encode(t, f.x)
	if err := f.announce(announced("n2", market.MaxWidth), nil); err == nil {
		t.Fatal("it joined")
	}
	if string(encode(t, f.x)) != string(before) {
		t.Error("something changed")
	}
	if o := f.submit(bob, trade.Request{EstimateMS: 1_000, DeadlineMS: 40_000}); o.Job == nil || len(f.x.Orders("n1")) != 2 {
		t.Errorf("the next job: %+v", o.Refusal)
	}
	f.end(task.Key{Job: running}, 1, 0)
	if j := f.job(running); j.State != trade.Completed {
		t.Errorf("the job that ran is %s", j.State)
	}
}

func TestNodesAnnounceWhatTheOwnerAllows(t *testing.T) {
	allow := roster.Allowance{
		Names: []string{"n*"}, Nodes: 3, Processors: 8, Rating: 4, Speed: 3, MemoryMB: 4096, DiskMB: 4096,
		GPUs: 4, AllGPUs: 6, AllProcessors: 12, AllMemoryMB: 1<<20 + 5000, AllDiskMB: 1<<20 + 5000,
	}
	long := string(make([]byte, 300))
	for name, c := range map[string]struct {
		change func(*task.Hello)
		field  string // that is refused; empty: none
	}{
		"as it was":              {func(*task.Hello) {}, ""},
		"another name":           {func(h *task.Hello) { h.Node = "m2" }, "node"},
		"processors":             {func(h *task.Hello) { h.Processors = 9 }, "processors"},
		"processors of all":      {func(h *task.Hello) { h.Processors = 7 }, "processors"},
		"fewer than all may":     {func(h *task.Hello) { h.Processors = 6 }, ""},
		"2^24 processors":        {func(h *task.Hello) { h.Processors = 1 << 24 }, "processors"},
		"rating":                 {func(h *task.Hello) { h.Rating, h.Speed = 5, 5 }, "speed"},
		"speed":                  {func(h *task.Hello) { h.Speed = 5 }, "speed"},
		"speed for its rating":   {func(h *task.Hello) { h.Speed = 3.1 }, "speed"},
		"as fast as it may be":   {func(h *task.Hello) { h.Speed = 3 }, ""},
		"memory":                 {func(h *task.Hello) { h.MemoryMB = 4097 }, "memory_mb"},
		"memory of all":          {func(h *task.Hello) { h.MemoryMB = 4096 }, "memory_mb"},
		"disk":                   {func(h *task.Hello) { h.DiskMB = 1 << 62 }, "disk_mb"},
		"disk of all":            {func(h *task.Hello) { h.DiskMB = 4096 }, "disk_mb"},
		"GPUs":                   {func(h *task.Hello) { h.GPUs = 5 }, "gpus"},
		"as many as it may have": {func(h *task.Hello) { h.GPUs = 4 }, ""},
		"GPUs of all":            {func(h *task.Hello) { h.Node, h.GPUs = "n3", 3 }, "gpus"},
		"long words":             {func(h *task.Hello) { h.Agent = long }, "node"},
		"a long seat":            {func(h *task.Hello) { h.Seat = long }, "node"},
		"long words it lacks":    {func(h *task.Hello) { h.Missing = []string{long} }, "node"},
		"many words":             {func(h *task.Hello) { h.Missing = make([]string, 33) }, "missing"},
		"one more, and not four": {func(h *task.Hello) { h.Node = "n3" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, "libra", 4) // n1 has 4 processors, and 1 << 20 MB of each
			for _, one := range []string{"n2", "n3"} {
				h := announced(one, 2)
				if one == "n2" && c.field == "gpus" {
					h.GPUs = 4
				}
				if err := f.announce(h, &allow); err != nil {
					t.Fatal(err)
				}
			}
			// A node that has joined is held to the same when it comes again, and so
			// is a new one in its place.
			h := announced("n2", 2)
			c.change(h)
			err := f.announce(h, &allow)
			var wrong *trade.FieldError
			switch {
			case c.field == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.field != "" && (!errors.As(err, &wrong) || wrong.Field != c.field):
				t.Errorf("%v, want %s to be refused", err, c.field)
			}
			if err := f.announce(announced("n4", 1), &allow); err == nil {
				t.Error("a fourth node has joined")
			}
			if o := f.submit(alice, trade.Request{EstimateMS: 1_000, DeadlineMS: 40_000}); o.Job == nil {
				t.Errorf("the market: %+v", o.Refusal)
			}
		})
	}
}

// A node that comes in ever other shapes does not make the cluster grow for ever.
func TestANodeHasSoManyShapes(t *testing.T) {
	f := open(t, "libra", 1)
	allow := roster.DefaultAllowance()
	shapes := 0
	for i := range 100 {
		if err := f.announce(announced("n2", 1+i%2), &allow); err != nil {
			break
		}
		shapes++
	}
	if shapes != 64 {
		t.Fatalf("it came in %d shapes", shapes)
	}
	if err := f.announce(announced("n2", 2), &allow); err != nil {
		t.Errorf("in the shape it has: %v", err)
	}
	if err := f.announce(announced("n3", 2), &allow); err != nil {
		t.Errorf("another node: %v", err)
	}
}

// What is listed of nodes does not grow with what they announce.
func TestTheListOfNodesIsBounded(t *testing.T) {
	f := open(t, "libra", 1)
	for i := range 3 {
		if err := f.announce(announced(fmt.Sprint("n", i+2), 200_000), nil); err != nil {
			t.Fatal(err)
		}
	}
	f.submit(alice, trade.Request{EstimateMS: 1_000, DeadlineMS: 2_000, Processors: 500_000, Budget: budget(1)})
	nodes := f.x.Nodes()
	text, err := json.Marshal(nodes)
	if err != nil || len(text) > 8<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	listed, given := 0, 0.0
	for i := range nodes {
		listed += len(nodes[i].Loads)
		given += nodes[i].Given
		if len(nodes[i].Loads)+nodes[i].More != nodes[i].Processors {
			t.Errorf("%s: %d listed, %d more, of %d", nodes[i].Node, len(nodes[i].Loads), nodes[i].More, nodes[i].Processors)
		}
	}
	if listed > 1<<14 {
		t.Errorf("%d processors are listed", listed)
	}
	if usage := f.x.Usage(); usage.Up != 600_001 {
		t.Errorf("%d processors are up", usage.Up)
	}
}

func TestAllowances(t *testing.T) {
	if a := roster.DefaultAllowance(); a.Validate() != nil {
		t.Error(a.Validate())
	}
	for _, a := range []roster.Allowance{{Names: []string{"["}}, {Names: []string{""}}, {Nodes: -1}, {Processors: -1}, {Rating: -1}, {AllDiskMB: -1}} {
		if a.Validate() == nil {
			t.Errorf("%+v makes sense", a)
		}
	}
}

// A rating by which a second of work takes longer than there is, or no time, is none.
func TestRatingsThatMakeNoSense(t *testing.T) {
	allow := roster.DefaultAllowance()
	for _, rating := range []float64{5e-324, 1e-300, 1e-9, 0.0009, 1e10, 1e300} {
		f := open(t, "libra", 1)
		h := announced("n2", 1)
		h.Rating, h.Speed = rating, rating
		if err := f.announce(h, &allow); err == nil {
			t.Errorf("rating %v: it joined", rating)
		}
		if err := f.announce(h, nil); err == nil && (rating < 1e-6 || rating > 1e9) {
			t.Errorf("rating %v, of which nobody says what is allowed: it joined", rating)
		}
	}
}
