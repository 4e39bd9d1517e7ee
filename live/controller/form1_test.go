package controller_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/store"
)

// TestNumbersOfForm1 reads a log of the first version in which requests that
// failed have used up the numbers 1 and 3 to 5, and one was taken whose threads
// are beyond every bound: jobs keep the numbers that people were told.
func TestNumbersOfForm1(t *testing.T) {
	const opened = int64(1_790_000_000_000_000)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	st := have(store.Open(ctx, filepath.Join(t.TempDir(), "market.db")))(t)
	defer st.Close()
	user := `"by":{"user":"al","role":"user"}`
	var entries []store.Entry
	for i, e := range []struct {
		after      int64
		kind, body string
	}{
		{0, "open", `{"cmd":{"by":{"user":"","role":"owner"},"open":{"policy":"libra","rates":{"processor_micros_per_s":1000000,"memory_micros_per_mb":0,"disk_micros_per_mb":0},"version":"1"}}}`},
		{10, "money", `{"cmd":{"by":{"user":"root","role":"owner"},"money":{"op":"open","to":"al"}}}`},
		{20, "money", `{"cmd":{"by":{"user":"root","role":"owner"},"money":{"op":"grant","to":"al","amount_micros":1000000000000}}}`},
		{347386, "enlist", `{"cmd":{"by":{"user":"n1","role":"node"},"enlist":{"node":"n1","processors":4,"rating":0.97,"memory_mb":8000,"disk_mb":100000,"boot":"b","agent":"x","limits":"cgroup v2","user":"","speed":1,"missing":[]}},"steps":[{"at":0.347386,"in":[{"kind":"node-up"}],"n":0,"sum":0}]}`},
		{349438, "submit", `{"cmd":{` + user + `,"submit":{"request":{"argv":["w"],"estimate_ms":1000,"threads":4294967298}}},"steps":[{"at":0.349438,"in":[{"kind":"submitted","job":2,"spec":{"id":2,"submit":0.349438,"estimate":1,"deadline":"never","budget":"never","width":2,"threads":2,"owner":"al"}}],"n":2,"sum":0}]}`},
		{353290, "submit", `{"cmd":{` + user + `,"submit":{"request":{"argv":["w"],"estimate_ms":1000}}},"steps":[{"at":0.35329,"in":[{"kind":"submitted","job":6,"spec":{"id":6,"submit":0.35329,"estimate":1,"deadline":"never","budget":"never","width":1,"owner":"al"}}],"n":3,"sum":0}]}`},
	} {
		entries = append(entries, store.Entry{Seq: int64(i + 1), At: opened + e.after, Kind: e.kind, Version: 1, Body: []byte(e.body)})
	}
	if err := st.Append(ctx, store.Batch{Entries: entries}); err != nil {
		t.Fatal(err)
	}
	c := have(controller.Start(ctx, st, controller.Default()))(t)
	by := trade.Identity{User: "al", Role: trade.RoleUser}
	for id, want := range map[int64]trade.State{2: trade.Cancelled, 6: trade.Stopping} { // nobody would ever say that 2 has ended
		o, _, err := c.Do(ctx, trade.Command{By: by, Cancel: &trade.Cancel{Job: id}}, trade.Key{})
		if err != nil || o.Job == nil || o.Job.State != want {
			t.Errorf("cancel %d: %v, %+v", id, err, o.Job)
		}
	}
	for _, id := range []int64{1, 3} {
		if _, _, err := c.Do(ctx, trade.Command{By: by, Cancel: &trade.Cancel{Job: id}}, trade.Key{}); err == nil {
			t.Errorf("there is a job %d", id)
		}
	}
	stop()
	<-c.Done()
}
