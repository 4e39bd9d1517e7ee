package agent

import (
	"os"
	"testing"

	"github.com/libra-market/libra/core/task"
)

// How far an array is can be seen while it runs, also after the agent was started again,
// and by a controller that has forgotten what it was told.
func TestAnArrayTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	n := newNode(t).start()
	order := n.shell(1, `[ $LIBRA_ARRAY_INDEX != 5 ] || exit 3; until [ -e go-$LIBRA_ARRAY_INDEX ]; do sleep 0.02; done`)
	order.Spec.Span = &task.Span{First: 5, Step: 2, Count: 3}
	key := order.Spec.Key
	n.order(order)
	at := func(ended, begun int) func() bool {
		return func() bool {
			l := n.lanes[key]
			return len(l.Ended) == ended && l.Begun != nil && l.Begun.Index == begun && l.Begun.StartedUS > 0 && l.Begun.EndedUS == 0
		}
	}
	n.await(t, "the second element", at(1, 7))
	n.mu.Lock()
	first := n.lanes[key].Ended[0]
	n.lanes[key] = task.Lane{} // it has forgotten
	n.mu.Unlock()
	if first.Index != 5 || first.Exit != 3 || first.StartedUS == 0 || first.EndedUS < first.StartedUS {
		t.Errorf("the first ended as %+v", first)
	}
	n.await(t, "the first to be told again", at(1, 7))

	n.stop()
	touch := func(name string) {
		if err := os.WriteFile(n.dir+"/"+name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	touch("go-7")
	n.start()
	n.await(t, "the third element", at(2, 9))
	touch("go-9")
	if got := n.end(t, key); len(got.Elements) != 3 || got.Elements[2].EndedUS == 0 {
		t.Errorf("it ended as %s", show(got))
	}
	n.empty()
}

// What is told at once is bounded, and what is written half is not read.
func TestALaneIsToldInPieces(t *testing.T) {
	r := &runner{key: task.Key{Job: 1}}
	r.lane.take([]byte(`{"index":1,"started_us":1}
{"index":1,"started_us":1,"ended_us":2}
{"index":2,"started_us":2,"ended_us":3,"error":"no such program"}
{"index":3,"started_us":3}
{"index":3,"sta`))
	said := r.laneNews(1)
	if said.After != 0 || len(said.Ended) != 1 || said.Begun != nil {
		t.Errorf("of two and one that runs: %+v", said)
	}
	r.laneTold(1)
	if said = r.laneNews(9); said.After != 1 || len(said.Ended) != 1 || said.Ended[0].Error == "" || said.Begun == nil || said.Begun.Index != 3 {
		t.Errorf("the rest: %+v", said)
	}
	r.laneTold(7) // there are two
	r.lane.take([]byte("nonsense\n{}\n"))
	if said = r.laneNews(9); said.After != 2 || len(said.Ended) != 0 || !r.lane.broken {
		t.Errorf("after nonsense: %+v", said)
	}
	r.status.State = task.Ended
	if said = r.laneNews(9); said != nil {
		t.Errorf("of a task that has ended: %+v", said)
	}
}
