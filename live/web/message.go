package web

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/libra-market/libra/client/v1"
)

// newChange is what there is to say of a job as it stands.
func newChange(j *v1.Job) change {
	return change{ID: j.ID, State: j.State, Starting: j.Starting, Suspended: j.Suspended, Share: finite(j.Share), Work: j.Work, Price: j.Price, Penalty: j.Penalty}
}

// change is what a page is told of one job.
type change struct {
	ID        int64    `json:"id"`
	State     v1.State `json:"state"`
	Starting  bool     `json:"starting,omitempty"`
	Suspended bool     `json:"suspended,omitempty"`
	Share     float64  `json:"share"`
	Work      int64    `json:"work"`
	Price     int64    `json:"price"`
	Penalty   int64    `json:"penalty"`
	Row       string   `json:"row,omitempty"` // the whole row, where it is new
}

// rows makes the rows of jobs that are new or have ended, in both forms.
func (b *hub) rows(ctx context.Context, now *round) map[int64][2]string {
	rows := map[int64][2]string{}
	for id, fresh := range now.fresh {
		if !fresh {
			continue
		}
		if len(rows) >= mostRows {
			now.lost = true // so many that looking again is cheaper
			break
		}
		j, err := b.h.market.Job(ctx, id)
		if err != nil {
			continue
		}
		var both [2]string
		for i := range both {
			if both[i], err = b.h.pages.part("jobs", "row", b.h.row(ctx, &j, i == 1)); err != nil {
				break
			}
		}
		if err == nil {
			rows[id] = both
		}
	}
	return rows
}

// jobsMessage is what has changed of the jobs that a page shows. Whose they are
// is looked at here again, whatever the market has sent.
func (a *audience) jobsMessage(ids []int64, now *round, rows map[int64][2]string) []byte {
	var list []change
	for _, id := range ids {
		n := now.moved[id]
		if id < a.from || a.to != 0 && id > a.to || a.user != "" && n.Owner != a.user {
			continue
		}
		c := change{
			ID: id, State: n.Job.State, Starting: n.Job.Starting, Suspended: n.Job.Suspended, Share: finite(n.Job.Share), Work: n.Job.Work, Price: n.Job.Price, Penalty: n.Job.Penalty,
		}
		if both, has := rows[id]; has && a.topic == "jobs" {
			c.Row = both[btoi(a.table)]
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil
	}
	return event("jobs", list)
}

func (b *hub) marketMessage(ctx context.Context, span string) []byte {
	v, err := b.h.marketNow(ctx, span)
	if err != nil {
		return nil
	}
	return b.swap("market", v, "now", "past", "free")
}

// ownerMessage is how the cluster stands, and as of when its business was added up.
func (b *hub) ownerMessage(ctx context.Context) (message []byte, asOfUS int64) {
	nodes, err := b.h.nodesNow(ctx)
	if err != nil {
		return nil, 0
	}
	today, err := b.h.tally(ctx)
	if err != nil {
		return nil, 0
	}
	v := &ownerView{Nodes: nodes, Today: today, NowUS: b.h.now().UnixMicro()}
	if err := b.h.accountsNow(ctx, v); err != nil {
		return nil, 0
	}
	return b.swap("owner", v, "today", "nodes", "accounts"), today.ToUS
}

// swap is a message with parts of a page to put in place.
func (b *hub) swap(page string, data any, parts ...string) []byte {
	html := map[string]string{}
	for _, name := range parts {
		text, err := b.h.pages.part(page, name, data)
		if err != nil {
			return nil
		}
		html[name] = text
	}
	return event("swap", html)
}

// event is a server-sent event.
func event(name string, data any) []byte {
	text, err := json.Marshal(data)
	if err != nil {
		return nil
	}
	return slices.Concat([]byte("event: "+name+"\ndata: "), text, []byte("\n\n"))
}

func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
