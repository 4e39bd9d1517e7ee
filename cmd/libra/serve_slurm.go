package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os/exec"
	"strings"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/policy"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/controller"
	"github.com/libra-market/libra/live/front"
	"github.com/libra-market/libra/live/slurm"
	"github.com/libra-market/libra/live/slurm/association"
	"github.com/libra-market/libra/live/slurm/client"
	"github.com/libra-market/libra/live/slurm/limit"
	"github.com/libra-market/libra/live/slurm/survey"
	"github.com/libra-market/libra/live/wire"
)

// onSlurm is a market whose jobs Slurm runs: what concerns nodes goes through
// the backend.
type onSlurm struct {
	front.Market
	backend *slurm.Backend
	config  *config.Config
	keeper  *association.Keeper // nil: accounts do not follow Slurm's
}

var _ api.Market = onSlurm{}

func (m onSlurm) Hello(ctx context.Context, h task.Hello) (task.Welcome, error) {
	w, err := m.backend.Hello(ctx, h)
	w.Leader = m.Leader()
	return w, err
}

func (m onSlurm) Desired(ctx context.Context, node string, after int64, wait time.Duration) (task.Desired, error) {
	d, err := m.backend.Desired(ctx, node, after, wait)
	d.Leader = m.Leader()
	return d, err
}

func (m onSlurm) Report(ctx context.Context, r task.Report) (task.Reply, error) {
	reply, err := m.backend.Report(ctx, r)
	reply.Leader = m.Leader()
	return reply, err
}

func (m onSlurm) Chunk(ctx context.Context, node, id string, c task.Chunk) error {
	return m.backend.Chunk(ctx, node, id, c)
}

func (m onSlurm) Measure(ctx context.Context) (map[string]float64, error) {
	numbers, err := m.Market.Measure(ctx)
	if err == nil {
		maps.Copy(numbers, m.backend.Measure())
	}
	return numbers, err
}

// Do refuses what Slurm cannot carry out before the market promises it, and who calls a
// job of plain sbatch the one that is bought: that is for the desk to say, which knows what
// it asks for.
func (m onSlurm) Do(ctx context.Context, c trade.Command, key api.Key) (api.Outcome, bool, error) {
	if c.Submit != nil && slurm.NamesGuest(c.Submit.Request.Env) || c.Quote != nil && slurm.NamesGuest(c.Quote.Request.Env) {
		return api.Outcome{}, false, &trade.FieldError{Field: "env", Want: "no " + slurm.GuestVariable + ": it is the market's own"}
	}
	return m.sell(ctx, c, key)
}

// sell hands a command on that Slurm can carry out.
func (m onSlurm) sell(ctx context.Context, c trade.Command, key api.Key) (api.Outcome, bool, error) {
	nameQOS(&c, strings.ToLower) // as Slurm writes it
	if err := m.possible(&c); err != nil {
		return api.Outcome{}, false, err
	}
	if err := m.qosOfQuote(ctx, &c); err != nil {
		return api.Outcome{}, false, err
	}
	asks, err := m.asks(ctx, &c)
	if err != nil {
		return api.Outcome{}, false, err
	}
	if asks == nil {
		if c.Begin != nil { // it is placed now
			m.backend.Announce(ctx, &trade.Request{})
			return m.letGo(ctx, c, key)
		}
		return m.take(ctx, c, key)
	}
	if err = m.settle(ctx, asks); err != nil {
		return api.Outcome{}, false, err
	}
	waits, err := m.letsWait(ctx, asks)
	if err != nil {
		return api.Outcome{}, false, err
	}
	asks.Account = m.namedBy(ctx, c.By, asks.Account) // of plain sbatch
	m.backend.Fill(ctx, asks)
	if c.Submit != nil && m.backend.Keeps(c.Submit.Quote) {
		if !waits && !m.backend.KeepsLicenses(c.Submit.Quote, asks.Env) {
			return api.Outcome{}, false, &trade.FieldError{Field: "env", Want: "the licences that were quoted, or none: no others are kept for it"}
		}
		return m.take(ctx, c, key)
	}
	ticket, over, err := m.admit(ctx, &c, asks, waits)
	for err == nil && over != nil && (c.Submit == nil || c.Submit.Quote == "") && fewerAtATime(asks, over) {
		ticket, over, err = m.admit(ctx, &c, asks, waits)
	}
	if err != nil {
		return api.Outcome{}, false, err
	}
	if over != nil {
		// One that was taken before and is asked for again has its answer.
		if o, replayed, bad := m.Again(ctx, key); replayed || bad != nil {
			return o, replayed, bad
		}
		if err = noSuchQOS(over); err != nil {
			return api.Outcome{}, false, err
		}
		return m.refuse(ctx, c.By, *asks, over), false, nil
	}
	m.backend.Announce(ctx, asks)
	o, replayed, err := m.Market.Do(ctx, c, key)
	if c.Quote != nil && o.Quote != nil && o.Quote.Binding && !replayed && err == nil {
		m.backend.Keep(ticket, o.Quote.ID, o.Quote.ExpiresUS)
		return o, false, nil
	}
	var job int64
	if c.Submit != nil && !replayed {
		job = sold(&o)
	}
	m.backend.Settle(ticket, job)
	if job != 0 && err == nil {
		m.lineUp(ctx, o.Job)
	}
	return o, replayed, err
}

// sold is the number of the job that came of a submission, 0 of none. One that is refused has a
// number too, and keeps nothing from others.
func sold(o *api.Outcome) int64 {
	if o.Job == nil || o.Refusal != nil {
		return 0
	}
	return o.Job.ID
}

// settle gives a request its partition: what Slurm allows depends on it.
func (m onSlurm) settle(ctx context.Context, r *trade.Request) error {
	if len(m.config.Slurm.Partitions()) == 1 {
		return nil
	}
	epoch, err := m.Controller.Epoch(ctx)
	if err != nil {
		return err
	}
	return epoch.Rates.Settle(r)
}

// letsWait reports whether jobs may wait for processors under the policy: they have their licences
// when they begin. It refuses a reservation without a deadline then: nobody could say whether it
// lasts until the job is done.
func (m onSlurm) letsWait(ctx context.Context, r *trade.Request) (waits bool, err error) {
	epoch, err := m.Controller.Epoch(ctx)
	if err != nil {
		return false, err
	}
	kind, err := policy.Find(epoch.Policy)
	waits = err == nil && kind.LetsWait()
	if waits && r.Reservation != "" && r.DeadlineMS == 0 {
		err = &trade.FieldError{Field: "deadline_ms", Want: "a deadline with a reservation under " + epoch.Policy + ", which lets jobs wait: the job is to be done before the reservation ends"}
	}
	return waits, err
}

// take hands on what Slurm was asked about before, or need not be. Of a quote that is taken,
// or dropped, the room that was kept within Slurm's limits is its job's, or free.
func (m onSlurm) take(ctx context.Context, c trade.Command, key api.Key) (api.Outcome, bool, error) {
	o, replayed, err := m.Market.Do(ctx, c, key)
	switch {
	case err != nil || replayed:
	case c.Submit != nil && o.Job != nil:
		m.backend.Take(c.Submit.Quote, sold(&o))
		m.lineUp(ctx, o.Job)
	case c.Cancel != nil:
		m.backend.Take(c.Cancel.Quote, 0)
		m.backend.StandDown(c.Cancel.Job)
		m.backend.AskAnew(c.Cancel.Job)
	}
	return o, replayed, err
}

func (m onSlurm) Preview(ctx context.Context, by trade.Identity, r trade.Request) (api.Outcome, error) {
	r.QOS = strings.ToLower(r.QOS)
	if err := carried(&r); err != nil {
		return api.Outcome{}, err
	}
	if err := m.settle(ctx, &r); err != nil {
		return api.Outcome{}, err
	}
	waits, err := m.letsWait(ctx, &r)
	if err != nil {
		return api.Outcome{}, err
	}
	r.Account = m.namedBy(ctx, by, r.Account)
	m.backend.Fill(ctx, &r)
	ticket, over := m.backend.Admit(ctx, by.User, &r, waits)
	for over != nil && fewerAtATime(&r, over) {
		ticket, over = m.backend.Admit(ctx, by.User, &r, waits)
	}
	if err = noSuchQOS(over); err != nil {
		return api.Outcome{}, err
	}
	if over != nil {
		return m.refuse(ctx, by, r, over), nil
	}
	m.backend.Settle(ticket, 0)
	return m.Market.Preview(ctx, by, r)
}

// refuse says no in Slurm's place, and what would be within its limits.
func (m onSlurm) refuse(ctx context.Context, by trade.Identity, r trade.Request, over *limit.Excess) api.Outcome {
	no := v1.Refusal{Reason: market.CannotMeetResources.String(), Detail: over.Detail, Offers: []v1.Offer{}}
	change, less := withinLimit(&r, over)
	if change == "" {
		return api.Outcome{Refusal: &no}
	}
	ticket, still := m.backend.Admit(ctx, by.User, &r, false)
	if still != nil {
		return api.Outcome{Refusal: &no}
	}
	m.backend.Settle(ticket, 0)
	if o, err := m.Market.Preview(ctx, by, r); err == nil && o.Quote != nil {
		no.Offers = append(no.Offers, v1.Offer{Change: change, Detail: less + ", which Slurm allows, for " + wire.InUnit(market.Money(o.Quote.Price).Said(), m.Unit), Quote: *o.Quote})
	}
	return api.Outcome{Refusal: &no}
}

// withinLimit changes a request to the most that a limit allows, and says so.
func withinLimit(r *trade.Request, over *limit.Excess) (change, detail string) {
	switch most := over.Most; {
	case fewerAtATime(r, over):
		return "array", fewerInWords(r.Array.Limit, r.Array.Nodes)
	case most <= 0:
	case r.Array != nil && over.Field != "memory_mb" && over.Field != "deadline_ms": // not even one
	case over.Field == "processors":
		if r.Processors = int(most); r.Threads > 1 {
			r.Processors -= r.Processors % r.Threads
		}
		if r.Processors > 0 {
			return "processors", number(int64(r.Processors), "processor")
		}
	case over.Field == "gpus": // as many for each program
		if r.GPUs = int(most) / max(1, r.Procs()/max(1, r.Threads)); r.GPUs > 0 {
			return "gpus", number(int64(r.GPUs), "GPU") + " for each program"
		}
	case over.Field == "memory_mb":
		r.MemoryMB = most
		return "memory", fmt.Sprintf("%d MB", most)
	case over.Field == "deadline_ms" && r.EstimateMS <= most:
		r.DeadlineMS = most
		return "deadline", "deadline " + (time.Duration(most) * time.Millisecond).String()
	}
	return "", ""
}

func (m onSlurm) possible(c *trade.Command) error {
	switch {
	case c.Epoch != nil:
		if err := m.config.CheckPolicy(c.Epoch.Policy); err != nil {
			return &trade.FieldError{Field: "policy", Want: "one that Slurm can carry out: " + err.Error()}
		}
		if c.Epoch.Rates != nil {
			same := *c.Epoch.Rates
			if m.config.Divide(&same); !same.Equal(*c.Epoch.Rates) {
				return &trade.FieldError{Field: "rates", Want: "a factor of each partition of the market on Slurm (slurm.partition), and of no other: " + m.config.Slurm.Partition}
			}
		}
	case c.Submit != nil:
		return carried(&c.Submit.Request)
	case c.Quote != nil:
		return carried(&c.Quote.Request)
	}
	return nil
}

// behindSlurm is the controller as the backend needs it.
type behindSlurm struct{ *controller.Controller }

var _ slurm.Fleet = behindSlurm{}

// Lose says that a node is gone.
func (f behindSlurm) Lose(ctx context.Context, node, why string) error {
	_, _, err := f.Do(ctx, trade.Command{
		By: trade.Identity{User: ownHand.User, Role: trade.RoleOwner}, Node: &trade.NodeChange{Node: node, Why: why},
	}, trade.Key{})
	return err
}

// Turn closes a node to new jobs, or opens it, and says from when on it is reserved.
func (f behindSlurm) Turn(ctx context.Context, node string, door trade.Door, why string, aheadUS int64) error {
	_, _, err := f.Do(ctx, trade.Command{
		By: trade.Identity{User: ownHand.User, Role: trade.RoleOwner}, Node: &trade.NodeChange{Node: node, Door: door, Why: why, AheadUS: aheadUS},
	}, trade.Key{})
	return err
}

// Withhold says how many GPUs of a node others hold.
func (f behindSlurm) Withhold(ctx context.Context, node string, gpus int) error {
	_, _, err := f.Do(ctx, trade.Command{
		By: trade.Identity{User: ownHand.User, Role: trade.RoleOwner}, Node: &trade.NodeChange{Node: node, Withheld: &gpus},
	}, trade.Key{})
	return err
}

// slurmOptions say where the Slurm of a configuration is.
func slurmOptions(c *config.Config) client.Options {
	return client.Options{Rest: c.Slurm.Rest, TokenFile: c.Slurm.TokenFile, Conf: c.Slurm.Conf, DoorKey: c.Slurm.DoorKey, SystemUsers: c.Slurm.SystemUsers, Now: time.Now}
}

// startSlurm puts a backend between the market and its nodes.
func (s *service) startSlurm(ctx, run context.Context, c *config.Config, log *slog.Logger) error {
	batch, err := client.Open(ctx, slurmOptions(c))
	if err != nil {
		return fmt.Errorf("slurm: %w", err)
	}
	if len(c.Slurm.Partitions()) > 1 { // a node that has two prices has none
		nodes, unheard := batch.Nodes(ctx, c.Slurm.Partition)
		if shared := survey.Shared(nodes); unheard == nil && len(shared) > 0 {
			return fmt.Errorf("slurm.partition: nodes are in several of the market's partitions, and each can have one price: %s; give each node to one of them in slurm.conf, or the market fewer partitions", strings.Join(shared, ", "))
		}
	}
	s.findings = survey.Inspect(ctx, &c.Slurm, batch)
	// This also waits until what nodes should be doing is known: a backend that
	// was told "nothing" would end what runs.
	epochs, err := s.market.Epochs(ctx)
	if err != nil {
		return err
	}
	if c.CheckPolicy(epochs[len(epochs)-1].Policy) != nil {
		other := *c
		other.Given.Policy = true // the one in force does not work there
		if err = s.adopt(ctx, &other); err != nil {
			return err
		}
	}
	srun, _ := exec.LookPath("srun") // where there is none, jobs look in the usual places
	var desk slurmDesk
	var guests slurm.Desk
	if c.Slurm.Offer {
		guests = &desk
	}
	var line slurmLine
	var anew slurmAnew
	var doors slurmDoors
	s.backend, err = slurm.New(ctx, slurm.Config{
		Desk: guests, Line: &line, Doors: &doors, Anew: &anew, Leads: s.leads, Path: slurm.PathWith(srun),
		Partition: c.Slurm.Partition, Control: slurm.Control(c.Slurm.Control), Now: time.Now, Log: log,
	}, behindSlurm{s.market.Controller}, batch, s.store)
	if err != nil {
		return err
	}
	if err = recallLicenses(ctx, s.market, s.backend); err != nil {
		return err
	}
	s.batch = onSlurm{s.market, s.backend, c, keeperOf(s.market, c, log)}
	desk.market, line.market, doors.market, anew.market = s.batch, s.batch, s.batch, s.batch
	s.backendEnded = make(chan struct{})
	go func() {
		s.backend.Run(run)
		close(s.backendEnded)
	}()
	if k := s.batch.keeper; k != nil {
		s.beside.Go(func() { k.Run(run) })
	}
	return nil
}
