package roster_test

import (
	"testing"

	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
)

// joined is a roster with nodes that are up.
func joined(all ...task.Hello) *roster.Roster {
	r := roster.New()
	for i := range all {
		r.Add(&all[i])
		r.Raise(r.Name())
	}
	return r
}

func in(reservation string) *market.Where { return &market.Where{Reservation: reservation} }

// What a node could take a job of is what it has, as long as it takes any, and as it is set aside.
func TestCould(t *testing.T) {
	is := roster.Node{Hello: task.Hello{Node: "n1", Processors: 2, Rating: 1, Speed: 1, MemoryMB: 100, DiskMB: 100, GPUs: 1}}
	for name, c := range map[string]struct {
		change func(*roster.Node)
		job    market.Job
		could  bool
	}{
		"anything":                  {job: market.Job{}, could: true},
		"all of its memory":         {job: market.Job{Memory: 100}, could: true},
		"more memory":               {job: market.Job{Memory: 101}},
		"all of its disk":           {job: market.Job{Disk: 100}, could: true},
		"more disk":                 {job: market.Job{Disk: 101}},
		"its GPU":                   {job: market.Job{GPUs: 1}, could: true},
		"more GPUs":                 {job: market.Job{GPUs: 2}},
		"its GPU, of all threads":   {job: market.Job{GPUs: 1, Threads: 2}, could: true},
		"more threads":              {job: market.Job{Threads: 3}},
		"it is retired":             {change: func(n *roster.Node) { n.Retired = true }},
		"it is closed":              {change: func(n *roster.Node) { n.Closed = true }},
		"it is set aside":           {change: func(n *roster.Node) { n.Reserved = "course" }},
		"it is set aside for it":    {change: func(n *roster.Node) { n.Reserved = "course" }, job: market.Job{Where: in("course")}, could: true},
		"it is set aside for other": {change: func(n *roster.Node) { n.Reserved = "course" }, job: market.Job{Where: in("other")}},
		"it is not set aside":       {job: market.Job{Where: in("course")}},
	} {
		n := is
		if c.change != nil {
			c.change(&n)
		}
		if n.Could(&c.job) != c.could {
			t.Errorf("%s: %v, want %v", name, !c.could, c.could)
		}
	}
}

// The nodes that are up for a job are those that are set aside for it, or for nobody where it is
// in no reservation, and the fastest is of them, wherever it stands among them.
func TestPlacesThatAreUp(t *testing.T) {
	node := func(name string, rating float64, reserved string) task.Hello {
		return task.Hello{Node: name, Processors: 1, Rating: rating, Speed: rating, MemoryMB: 1, DiskMB: 1, Reserved: reserved}
	}
	r := joined(node("n1", 2, ""), node("n2", 3, ""), node("n3", 1, ""), node("n4", 9, ""), node("n5", 5, "course"), node("n6", 4, "course"))
	r.Lower(3, "gone")
	for reservation, want := range map[string]struct {
		nodes   int
		fastest float64
	}{"": {3, 3}, "course": {2, 5}, "other": {0, 0}} {
		if p := r.Places(in(reservation)); p.Up != want.nodes || p.Fastest != want.fastest {
			t.Errorf("%q: %d nodes, the fastest %v, want %d, %v", reservation, p.Up, p.Fastest, want.nodes, want.fastest)
		}
	}
	if up := r.Places(nil).Up; up != 3 {
		t.Errorf("for who asks for nothing: %d nodes", up)
	}
}

// A node that comes as it was with other labels has them at once, and what is counted of it is
// counted anew; undone, it has those that it had.
func TestLabelsOfANode(t *testing.T) {
	was := task.Hello{Node: "n1", Processors: 1, Rating: 1, Speed: 1, MemoryMB: 1, DiskMB: 1, Features: "ib", Partition: "fast", Reserved: "course"}
	for name, change := range map[string]func(*task.Hello){
		"features":    func(h *task.Hello) { h.Features = "amd" },
		"partition":   func(h *task.Hello) { h.Partition = "slow" },
		"reservation": func(h *task.Hello) { h.Reserved = "" },
		"GPUs and more": func(h *task.Hello) {
			h.GPUs, h.GPUKind, h.Features, h.Partition, h.Reserved = 2, "a100", "amd", "slow", "other"
		},
	} {
		r, is := joined(was), was
		change(&is)
		r.Census()
		undo, has := r.Equip(&is)
		if (is.GPUs > 0) != has {
			t.Fatalf("%s: it is equipped: %v", name, has)
		}
		if !has {
			if undo, has = r.Label(&is); !has {
				t.Fatalf("%s: it is not other than it was", name)
			}
		}
		if h := r.At(0).Hello; h.GPUs != is.GPUs || h.GPUKind != is.GPUKind || h.Features != is.Features || h.Partition != is.Partition || h.Reserved != is.Reserved {
			t.Errorf("%s: it says %+v and is %+v", name, is, h)
		}
		if n := r.CensusOf(is.Partition).Processors; n != 1 {
			t.Errorf("%s: there are %d processors in its partition", name, n)
		}
		same := task.Hello{Node: "n1", GPUs: task.SameGPUs, Features: "x", Partition: "x", Reserved: "x"}
		if h := r.Recall(&same); h.GPUs != is.GPUs || h.GPUKind != is.GPUKind || h.Features != is.Features || h.Partition != is.Partition || h.Reserved != is.Reserved {
			t.Errorf("%s: it says that nothing has changed, and is %+v", name, h)
		}
		undo()
		if h := r.At(0).Hello; h.GPUs != 0 || h.GPUKind != "" || h.Features != "ib" || h.Partition != "fast" || h.Reserved != "course" {
			t.Errorf("%s: undone it is %+v", name, h)
		}
		if n := r.CensusOf("fast").Processors; n != 1 {
			t.Errorf("%s: undone there are %d processors in its partition", name, n)
		}
	}
	r := joined(was)
	if _, other := r.Label(&was); other {
		t.Error("it is other than it was")
	}
	more := was
	more.Processors, more.Reserved = 2, ""
	if _, other := r.Label(&more); other || r.At(0).Reserved != "course" {
		t.Error("another node of its name has its labels")
	}
	stranger := task.Hello{Node: "n9", GPUs: task.SameGPUs, GPUKind: "a100", Features: "x", Partition: "x", Reserved: "x"}
	if h := r.Recall(&stranger); h.GPUs != 0 || h.GPUKind != "" || h.Features != "" || h.Partition != "" || h.Reserved != "" {
		t.Errorf("one that was never here is %+v", h)
	}
}
