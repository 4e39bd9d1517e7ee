package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

// Job reads a job.
func (m *Market) Job(_ context.Context, id int64) (v1.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	j, ok := m.jobs[id]
	if !ok {
		return j, fmt.Errorf("job %d: %w", id, trade.ErrUnknown)
	}
	return j, m.err
}

// Jobs lists jobs, newest first.
func (m *Market) Jobs(_ context.Context, q v1.JobQuery) ([]v1.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids := slices.Sorted(maps.Keys(m.jobs))
	slices.Reverse(ids)
	var out []v1.Job
	for _, id := range ids {
		j := m.jobs[id]
		if q.Batch != 0 && j.Batch != fmt.Sprint(q.Batch) || q.Owner != "" && j.Owner != q.Owner || !strings.Contains(j.Name, q.Name) || q.Before != 0 && id >= q.Before ||
			len(q.States) > 0 && !slices.Contains(q.States, j.State) || len(out) >= q.Limit {
			continue
		}
		j.Request.Script = ""
		out = append(out, j)
	}
	return out, m.err
}

// CountJobs counts jobs by state.
func (m *Market) CountJobs(_ context.Context, owner string) (map[v1.State]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[v1.State]int64{}
	for _, j := range m.jobs {
		if owner == "" || j.Owner == owner {
			out[j.State]++
		}
	}
	return out, m.err
}

// Explain says little.
func (m *Market) Explain(ctx context.Context, id int64) (v1.Explanation, error) {
	j, err := m.Job(ctx, id)
	return v1.Explanation{Job: id, State: j.State, Summary: "it is " + string(j.State)}, err
}

// Quote reads a quote.
func (m *Market) Quote(_ context.Context, id string) (v1.Quote, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	q, ok := m.quotes[id]
	if !ok {
		return q, fmt.Errorf("quote %s: %w", id, trade.ErrUnknown)
	}
	return q, m.err
}

// Tail reads what Write wrote.
func (m *Market) Tail(_ context.Context, job int64, _ int, _ *int, _ bool, offset, limit int64) (v1.Chunk, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.outputs[job]
	size := int64(len(text))
	if !ok {
		return v1.Chunk{Error: "no such file"}, m.err
	}
	if offset < 0 {
		offset += size
	}
	offset = min(max(offset, 0), size)
	end := min(offset+limit, size)
	return v1.Chunk{Offset: offset, Size: size, Data: slices.Clone(text[offset:end])}, m.err
}

// Nodes lists two processors on a node, with a job of everybody's.
func (m *Market) Nodes(context.Context) ([]v1.NodeView, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var load v1.ProcessorView
	for _, id := range slices.Sorted(maps.Keys(m.jobs)) {
		j := m.jobs[id]
		load.Jobs = append(load.Jobs, v1.Tenant{Job: id, Owner: j.Owner, Name: j.Name, Share: 0.25, DueUS: 5})
	}
	return []v1.NodeView{{Node: "n1", Up: true, Loads: []v1.ProcessorView{load, {}}}}, m.err
}

// Prices is a price.
func (m *Market) Prices(context.Context) (v1.Prices, error) {
	return v1.Prices{Policy: "libra", Samples: []v1.PricePoint{{Factor: 2, Price: 1e6}}}, m.failed()
}

// Epochs is one epoch.
func (m *Market) Epochs(context.Context) ([]v1.EpochView, error) {
	return []v1.EpochView{{Number: 1, Policy: "libra"}}, m.failed()
}

// Tally counts the jobs.
func (m *Market) Tally(_ context.Context, fromUS, toUS int64) (v1.Tally, error) {
	return v1.Tally{FromUS: fromUS, ToUS: toUS, Reasons: map[string]int64{"cannot_meet_deadline": 1}}, m.failed()
}

// Statement is one grant.
func (m *Market) Statement(_ context.Context, account string, subtree bool, fromUS, toUS int64) (ledger.Statement, error) {
	s := ledger.NewStatement(market.Account(account), subtree, ledger.Period{Start: fromUS, End: toUS})
	s.Lines = append(s.Lines, ledger.Line{Seq: 1, At: fromUS, Kind: ledger.KindGrant, Job: ledger.NoJob, Amount: 5e6, Balance: 5e6})
	s.Closing = 5e6
	return *s, m.failed()
}

// Usage is one job of the account and one of an account below it.
func (m *Market) Usage(_ context.Context, account string, fromUS, _ int64) ([]ledger.Usage, error) {
	u := ledger.Usage{Job: 1, Name: "one", Account: market.Account(account), Start: fromUS, End: fromUS + 1e6, Quantity: 1, Charge: 2e6}
	below := u
	below.Job, below.Account = 2, market.Account(account+"/below")
	return []ledger.Usage{u, below}, m.failed()
}

// VerifyLedger finds nothing wrong.
func (m *Market) VerifyLedger(context.Context) (v1.Verified, error) {
	return v1.Verified{Transactions: 1, Entries: 2, Head: "00"}, m.failed()
}

// History lists jobs in order of submission.
func (m *Market) History(_ context.Context, after int64, limit int) ([]v1.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []v1.Job
	for _, id := range slices.Sorted(maps.Keys(m.jobs)) {
		if id > after && len(out) < limit {
			out = append(out, m.jobs[id])
		}
	}
	return out, m.err
}

// kindOf names the part of a command that is set, as a log does.
func kindOf(c *trade.Command) string {
	switch {
	case c.Quote != nil:
		return "quote"
	case c.Submit != nil:
		return "submit"
	case c.Cancel != nil:
		return "cancel"
	case c.Money != nil:
		return "money"
	}
	return "epoch"
}

// Clusters lists none.
func (m *Market) Clusters(context.Context) ([]v1.ClusterRecord, error) { return nil, m.failed() }

// Archives lists none.
func (m *Market) Archives(context.Context) (v1.Archives, error) {
	return v1.Archives{Files: []v1.ArchiveFile{}}, m.failed()
}

// MoveOld moves nothing.
func (m *Market) MoveOld(context.Context, *time.Duration) (v1.ArchiveStep, error) {
	return v1.ArchiveStep{}, m.failed()
}

// Log lists the commands.
func (m *Market) Log(_ context.Context, after int64, limit int) ([]v1.LogEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []v1.LogEntry
	for i := range m.commands {
		if seq := int64(i + 1); seq > after && len(out) < limit {
			body, err := json.Marshal(m.commands[i])
			if err != nil {
				return nil, err
			}
			out = append(out, v1.LogEntry{Seq: seq, Kind: kindOf(&m.commands[i]), Body: body, Hash: "00"})
		}
	}
	return out, m.err
}

// Healthy is what Fail said.
func (m *Market) Healthy(context.Context) error { return m.failed() }

// Measure is a few numbers, some of them badly named.
func (m *Market) Measure(context.Context) (map[string]float64, error) {
	return map[string]float64{
		`jobs{state="running"}`: 3, `jobs{state="queued"}`: 1, "inbox_depth": 2, "revenue_micros_total": 7e6, "Bad Name{": 1,
	}, m.failed()
}

// Hello lets a node in.
func (m *Market) Hello(_ context.Context, h task.Hello) (task.Welcome, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.nodes[h.Node] = h
	return task.Welcome{Index: len(m.nodes) - 1, LeaseMS: 30_000, ReportMS: 1000}, m.err
}

// Want makes a new version of what the nodes should do.
func (m *Market) Want() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.desired++
}

// Desired waits for a newer version.
func (m *Market) Desired(ctx context.Context, _ string, after int64, wait time.Duration) (task.Desired, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for {
		m.mu.Lock()
		version, err := m.desired, m.err
		m.mu.Unlock()
		if version > after || err != nil {
			return task.Desired{Version: version, Orders: []task.Order{{CPU: 0.5}}}, err
		}
		select {
		case <-look.C:
		case <-timer.C:
			return task.Desired{Version: version}, nil
		case <-ctx.Done():
			return task.Desired{}, ctx.Err()
		}
	}
}

// Report answers that all that has ended can be forgotten.
func (m *Market) Report(_ context.Context, r task.Report) (task.Reply, error) {
	var out task.Reply
	for i := range r.Tasks {
		if r.Tasks[i].State.Final() {
			out.Forget = append(out.Forget, r.Tasks[i].Key)
		}
	}
	return out, m.failed()
}

// Refused changes nothing.
func (m *Market) Refused(context.Context, string, task.Refusal) error { return m.failed() }

// Chunk keeps a piece of output.
func (m *Market) Chunk(_ context.Context, node, id string, c task.Chunk) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.chunks[node+" "+id] = c
	return m.err
}

// Handed is the piece of output that a node handed over.
func (m *Market) Handed(node, id string) task.Chunk {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.chunks[node+" "+id]
}
