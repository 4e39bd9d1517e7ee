package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/allowance"
	"github.com/libra-market/libra/core/book"
	"github.com/libra-market/libra/core/cluster"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/quote"
	"github.com/libra-market/libra/core/underway"
)

// Image is an exchange as plain data that facts can be put into: what recovery
// builds. It has no policy and no cluster, so it can decide nothing.
type Image struct {
	state  Snapshot // but for what follows
	jobs   map[int64]*underway.Job
	quotes map[string]*quote.Held
	ledger *ledger.Ledger
	book   *book.Image

	accounts *accounts.Register
	income   *allowance.Book
}

// NewImage is that of an exchange to which nothing has happened.
func NewImage() *Image {
	return &Image{
		state: Snapshot{Next: 1, Wake: market.Never}, jobs: map[int64]*underway.Job{}, quotes: map[string]*quote.Held{},
		ledger: ledger.New(), book: book.EmptyImage(), accounts: accounts.New(), income: allowance.New(),
	}
}

// ReadForm1 reads a snapshot as the first version wrote it.
func ReadForm1(encoded []byte) (*Image, error) {
	encoded, err := fromForm1(encoded)
	if err != nil {
		return nil, fmt.Errorf("state of the exchange: %w", err)
	}
	return ReadImage(encoded)
}

// ReadImage reads a snapshot.
func ReadImage(encoded []byte) (*Image, error) {
	m := NewImage()
	if err := json.Unmarshal(encoded, &m.state); err != nil {
		return nil, fmt.Errorf("state of the exchange: %w", err)
	}
	s := &m.state
	var err error
	if m.ledger, err = ledger.Restore(s.Ledger); err != nil {
		return nil, err
	}
	for _, j := range s.Jobs {
		m.jobs[j.ID] = j
	}
	for _, q := range s.Quotes {
		m.quotes[q.ID] = q
	}
	if s.Cluster != nil {
		m.book = book.NewImage(&s.Cluster.Book)
	}
	for _, p := range s.People {
		m.accounts.Put(p)
	}
	for _, a := range s.Allowances {
		m.income.Put(a)
	}
	s.Jobs, s.Quotes, s.Cluster, s.People, s.Allowances = nil, nil, nil, nil, nil
	return m, nil
}

// Now is the time of the last facts.
func (m *Image) Now() int64 { return m.state.Now }

// Apply makes true what facts say.
func (m *Image) Apply(f *Facts) error {
	// 1. What time it is, and under which rules.
	m.applyTime(f)

	// 2. Who has joined or gone.
	for _, n := range f.Nodes {
		if err := m.applyNode(n); err != nil {
			return err
		}
	}

	// 3. Which quotes are open.
	for _, id := range f.Dropped {
		delete(m.quotes, id)
	}
	for _, q := range f.Quotes {
		m.quotes[q.ID] = q
	}

	// 4. Whose money is whose.
	if err := m.applyMoney(f); err != nil {
		return err
	}

	// 5. Which jobs are under way, and how they stand. They are on nodes of 2.
	for _, id := range f.Gone {
		delete(m.jobs, id)
	}
	for i := range f.Jobs {
		if err := m.applyJob(&f.Jobs[i]); err != nil {
			return err
		}
	}
	if err := f.Readings.apply(m.jobs); err != nil {
		return err
	}

	// 6. What the cluster gives each of them.
	if f.Book == nil {
		return nil
	}
	if err := m.book.Apply(f.Book); err != nil {
		return err
	}
	return m.applyShares(f.Book)
}

func (m *Image) applyTime(f *Facts) {
	s := &m.state
	if f.Origin != 0 {
		s.Origin = f.Origin
	}
	s.Now, s.Next, s.Wake, s.Record, s.Watched = f.Now, f.Next, f.Wake, f.Record, f.Watched
	for _, e := range f.Epochs {
		s.Epochs, s.Rates = append(s.Epochs, e), e.Rates
	}
	if f.Resumed != "" {
		s.Generation = f.Resumed
	}
}

func (m *Image) applyMoney(f *Facts) error {
	for i := range f.Txs {
		if err := m.ledger.Apply(f.Txs[i]); err != nil {
			return err
		}
	}
	m.state.Bound = m.state.Bound || f.Bound
	for _, p := range f.People {
		m.accounts.Put(p)
	}
	for _, a := range f.Allowances {
		m.income.Put(a)
	}
	return nil
}

func (m *Image) applyNode(n NodeFact) error {
	nodes := m.state.Nodes
	switch {
	case n.Index == len(nodes):
		m.state.Nodes = append(nodes, &n.Node)
	case n.Index >= 0 && n.Index < len(nodes):
		nodes[n.Index] = &n.Node
	default:
		return fmt.Errorf("node %d of %d", n.Index, len(nodes))
	}
	return nil
}

// applyJob replaces what is known of a job.
func (m *Image) applyJob(f *underway.Job) error {
	j := *f
	j.Logged = true
	if was := m.jobs[j.ID]; was != nil {
		j.Timeline = was.Timeline
		if !j.Request.Said() {
			j.Request = was.Request
		}
		if len(j.Working.Inputs) == 0 {
			j.Working = was.Working
		}
	}
	if !j.Request.Said() {
		return fmt.Errorf("job %d: nobody knows what it asked for", j.ID)
	}
	if k, fits := j.Fits(len(m.state.Nodes)); !fits {
		return fmt.Errorf("job %d is on node %d of %d", j.ID, k, len(m.state.Nodes))
	}
	j.NotePoint(m.state.Now)
	m.jobs[j.ID] = &j
	return nil
}

// applyShares gives jobs the speeds that their processors give them. The share of a
// job is noted when all of its processors have said theirs.
func (m *Image) applyShares(f *book.Facts) error {
	given := map[int64]*underway.Job{}
	for _, pile := range f.Tasks {
		for i := range pile.Tasks {
			t := &pile.Tasks[i]
			if j := m.jobs[int64(t.Job)]; j != nil && !t.Reserved {
				j.SetSpeedOn(market.Int32(pile.Proc), float64(t.Speed))
				given[j.ID] = j
			}
		}
	}
	for _, j := range given {
		m.share(j)
	}
	set := func(id market.JobID, _ market.Work, speed float64) error {
		if j := m.jobs[int64(id)]; j != nil {
			j.SetSpeed(speed)
			m.share(j)
		}
		return nil
	}
	return errors.Join(f.Moved.Each(set), f.Used.Each(set))
}

func (m *Image) share(j *underway.Job) {
	j.ReckonShare(func(node int) float64 { return m.state.Nodes[node].Rating })
	j.NotePoint(m.state.Now)
}

// Snapshot is the image as it is written down whole.
func (m *Image) Snapshot() Snapshot {
	s := m.state
	s.Ledger, s.People, s.Allowances = m.ledger.State(), m.accounts.All(), m.income.All()
	for _, id := range slices.Sorted(maps.Keys(m.jobs)) {
		s.Jobs = append(s.Jobs, m.jobs[id])
	}
	for _, id := range slices.Sorted(maps.Keys(m.quotes)) {
		s.Quotes = append(s.Quotes, m.quotes[id])
	}
	if len(s.Nodes) > 0 {
		s.Cluster = &cluster.State{Punctual: true, Book: m.book.State(m.nodeStates())}
	}
	return s
}

func (m *Image) nodeStates() []book.NodeState {
	var nodes []book.NodeState
	for _, n := range m.state.Nodes {
		nodes = append(nodes, book.NodeState{Processors: n.Processors, Rating: market.Number(n.Rating), Down: !n.Up, Closed: n.Closed, Withheld: int64(n.Withheld)})
	}
	return nodes
}
