package api

import (
	"net/http"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/wire"
)

func listNodes(c *call) error {
	list, err := c.h.floor.Nodes(c.r.Context())
	if err != nil {
		return err
	}
	if !c.owner() {
		list = c.veil(list)
	}
	return c.answer(http.StatusOK, v1.NodeList{Nodes: some(list)})
}

// veil hides whose jobs the others are. How much of a processor is taken is
// public: it is what prices come from.
func (c *call) veil(list []v1.NodeView) []v1.NodeView {
	out := make([]v1.NodeView, len(list))
	for i := range list {
		out[i] = list[i]
		out[i].Loads = make([]v1.ProcessorView, len(list[i].Loads))
		for j, p := range list[i].Loads {
			jobs := make([]v1.Tenant, len(p.Jobs))
			for k, t := range p.Jobs {
				if t.Owner != c.who.User {
					t = v1.Tenant{Share: t.Share}
				}
				jobs[k] = t
			}
			p.Jobs = jobs
			out[i].Loads[j] = p
		}
	}
	return out
}

func prices(c *call) error {
	p, err := c.h.floor.Prices(c.r.Context())
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, &p)
}

func listEpochs(c *call) error {
	list, err := c.h.floor.Epochs(c.r.Context())
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, v1.EpochList{Epochs: some(list)})
}

func beginEpoch(c *call) error {
	var want v1.Epoch
	if err := c.decode(&want); err != nil {
		return err
	}
	if want.Policy == "" {
		return badField("policy", "the name of a policy")
	}
	o, err := c.do(trade.Command{Epoch: wire.ToEpoch(&want)})
	if err != nil {
		return err
	}
	if o.Epoch == nil {
		return errEmpty
	}
	return c.answer(http.StatusCreated, o.Epoch)
}

func tally(c *call) error {
	p, err := c.query()
	if err != nil {
		return err
	}
	period := p.period(c.h.options.Now())
	if p.err != nil {
		return p.err
	}
	t, err := c.h.floor.Tally(c.r.Context(), period.Start, period.End)
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, &t)
}

func listClusters(c *call) error {
	all, err := c.h.records.Clusters(c.r.Context())
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, &v1.ClusterList{Clusters: some(all)})
}

// verifyWait is how long checking the whole ledger may take.
const verifyWait = 10 * time.Minute

func verifyLedger(c *call) error {
	c.takesLong(verifyWait)
	v, err := c.h.records.VerifyLedger(c.r.Context())
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, &v)
}

func history(c *call) error {
	after, limit, err := c.page()
	if err != nil {
		return err
	}
	page := v1.History{}
	if page.Jobs, err = c.h.records.History(c.r.Context(), after, limit+1); err != nil {
		return err
	}
	page.Jobs = some(page.Jobs)
	if len(page.Jobs) > limit {
		page.Jobs = page.Jobs[:limit]
		page.Next = page.Jobs[limit-1].ID
		c.next("after", page.Next)
	}
	return c.answer(http.StatusOK, &page)
}

func readLog(c *call) error {
	after, limit, err := c.page()
	if err != nil {
		return err
	}
	page := v1.LogPage{}
	if page.Entries, err = c.h.records.Log(c.r.Context(), after, limit+1); err != nil {
		return err
	}
	page.Entries = some(page.Entries)
	if len(page.Entries) > limit {
		page.Entries = page.Entries[:limit]
		page.Next = page.Entries[limit-1].Seq
		c.next("after", page.Next)
	}
	return c.answer(http.StatusOK, &page)
}

// page reads where a list goes on and how much of it is wanted.
func (c *call) page() (after int64, limit int, err error) {
	p, err := c.query()
	if err != nil {
		return 0, 0, err
	}
	after = p.number("after", 0, 0, 1<<62)
	limit = int(p.number("limit", defaultPage, 1, maxPage))
	return after, limit, p.err
}
