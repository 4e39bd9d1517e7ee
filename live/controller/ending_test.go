package controller_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/store"
)

// meanwhile is a store in which something happens just after rows were read.
type meanwhile struct {
	store.Store
	happens func()
}

func (m *meanwhile) Jobs(ctx context.Context, q store.Query) ([]store.Job, error) {
	rows, err := m.Store.Jobs(ctx, q)
	if m.happens != nil {
		m.happens()
	}
	return rows, err
}

// A job that ends while a list is made is in it as it ended: its row was the one from
// when it was handed in, "starting" and nothing used.
func TestAJobEndsWhileItIsListed(t *testing.T) {
	f := open(t, nil)
	log := &meanwhile{Store: f.store}
	f.stop()
	<-f.Done()
	f.start(log)
	f.hello("n1", 4)
	ends := f.submit("a", trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000}).Job.ID
	stays := f.submit("b", trade.Request{EstimateMS: 10_000, DeadlineMS: 20_000}).Job.ID
	f.orders("n1", 2)
	log.happens = func() {
		log.happens = nil
		f.ended("n1", task.Key{Job: ends}, 6*time.Second)
	}
	list, err := f.Jobs(t.Context(), v1.JobQuery{Owner: "alice", Limit: 10})
	if err != nil || len(list) != 2 || list[0].ID != stays || list[1].ID != ends {
		t.Fatalf("%+v, %v", list, err)
	}
	if list[0].State != trade.Running {
		t.Errorf("what runs is %s", list[0].State)
	}
	whole := f.job(ends)
	if got := list[1]; got.State != trade.Completed || got.Starting || got.Charged != whole.Charged || got.Charged == 0 || got.Work != whole.Work || got.Work == 0 {
		t.Errorf("what ended meanwhile is %s (starting %t), %d ms done, charged %d; it is %s, %d ms, %d",
			got.State, got.Starting, got.Work, got.Charged, whole.State, whole.Work, whole.Charged)
	}
	after, err := f.Jobs(t.Context(), v1.JobQuery{Owner: "alice", Limit: 10})
	if err != nil || !reflect.DeepEqual(list[1], after[1]) {
		t.Errorf("a moment later it is\n%+v\nand was\n%+v (%v)", after[1], list[1], err)
	}
}
