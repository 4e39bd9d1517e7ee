package exchange_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
)

func (p *play) say(format string, a ...any) { fmt.Fprintf(&p.said, "  "+format+"\n", a...) }

// clock is a time as seconds of the play.
func (p *play) clock(us int64) string { return plain(float64(us-p.start) / 1e6) }

// command carries one out and says everything that came of it.
func (p *play) command(c trade.Command) {
	o, err := p.x.Do(p.now, c)
	p.outcome(o, err)
	if total := p.x.LedgerTotal(); total != 0 {
		p.Fatalf("the books sum to %s after %s", total, c.Kind())
	}
	fx := p.x.Effects()
	for i := range fx.Txs {
		p.tx(&fx.Txs[i])
	}
	for _, j := range fx.Jobs {
		p.change(&j, fx.First[j.ID])
	}
	p.durable(&fx)
	for _, name := range fx.Nodes {
		p.orders(name, ":")
	}
	for _, name := range fx.Reshared { // what is not urgent
		p.orders(name, " later:")
	}
}

// durable checks what holds of the effects of every command.
func (p *play) durable(fx *exchange.Effects) {
	if fx.Money != (len(fx.Txs) > 0) {
		p.Errorf("money moved: %v, with %d transactions", fx.Money, len(fx.Txs))
	}
	for _, j := range fx.Jobs {
		if j.State == trade.Running && fx.First[j.ID] && len(fx.Steps) == 0 {
			p.Errorf("job %d runs, and the log does not say why", j.ID)
		}
	}
	if !slices.IsSorted(fx.Nodes) || !slices.IsSorted(fx.Reshared) {
		p.Errorf("nodes %v and %v are in no order", fx.Nodes, fx.Reshared)
	}
}

// outcome says how a command was answered. Of a job it says nothing: what
// changed of it follows.
func (p *play) outcome(o trade.Outcome, err error) {
	if err != nil {
		p.say("error: %v", err)
	}
	if r := o.Refusal; r != nil {
		p.say("refused: %s (%s)", r.Reason, r.Detail)
		for i := range r.Offers {
			p.say("  offer %s: %s", r.Offers[i].Quote.ID, r.Offers[i].Detail)
		}
	}
	if q := o.Quote; q != nil {
		p.say("%s", p.quote(q))
	}
	if e := o.Epoch; e != nil {
		p.say("epoch %d: %s from %s", e.Number, e.Policy, p.clock(e.FromUS))
	}
	if n := o.Node; n != nil && n.Up {
		p.say("node %d %s is up", n.Index, n.Node)
	} else if n != nil {
		p.say("node %d %s is down: %s", n.Index, n.Node, n.Why)
	}
}

func (p *play) quote(q *trade.Quote) string {
	text := fmt.Sprintf("quote %s: %s", q.ID, money(q.Price))
	if q.Firm {
		text += fmt.Sprintf(", done by %s", p.clock(q.FinishUS))
	}
	if q.PredictedUS != 0 {
		text += fmt.Sprintf(", likely at %s", p.clock(q.PredictedUS))
	}
	text += fmt.Sprintf(", odds %s, share %s, width %d", plain(q.Odds), plain(q.Share), q.Width)
	if q.ExpiresUS != 0 {
		text += ", until " + p.clock(q.ExpiresUS)
	}
	if q.Gain != 0 || q.OptionalMost != 0 {
		text += fmt.Sprintf(", gain %s, optional at most %s", money(q.Gain), money(q.OptionalMost))
	}
	return text
}

func (p *play) tx(tx *ledger.Tx) {
	var parts []string
	for _, post := range tx.Postings {
		parts = append(parts, fmt.Sprintf("%s %s %s", post.Account, post.Side, signed(int64(post.Amount))))
	}
	what := fmt.Sprintf("tx %d %s", tx.Seq, tx.Kind)
	if tx.Job != ledger.NoJob {
		what += fmt.Sprintf(" job %d", tx.Job)
	}
	if tx.Kind == ledger.KindLimit {
		limit := "none"
		if tx.Limit != ledger.NoLimit {
			limit = tx.Limit.String()
		}
		parts = append(parts, fmt.Sprintf("%s limit %s, credit %s", tx.Account, limit, tx.Credit))
	}
	if len(parts) == 0 {
		parts = append(parts, string(tx.Account))
	}
	p.say("%s: %s", what, strings.Join(parts, ", "))
}

func signed(micros int64) string {
	if micros > 0 {
		return "+" + money(micros)
	}
	return money(micros)
}

// change says what is new of a job, and all of its bill.
func (p *play) change(j *trade.Job, first bool) {
	was, known := p.all[j.ID]
	if known && was.State.Final() {
		p.Errorf("job %d ended as %s and now is %s", j.ID, was.State, j.State)
	}
	if known == first {
		p.Errorf("job %d: first %v, written before %v", j.ID, first, known)
	}
	p.all[j.ID] = *j
	facts := p.facts(j)
	var news []string
	for i, fact := range facts {
		if known && p.jobs[j.ID][i] != fact || !known && !strings.HasSuffix(fact, " 0") && !strings.HasSuffix(fact, " -") {
			news = append(news, fact)
		}
	}
	p.jobs[j.ID] = facts
	p.say("job %d %s %s", j.ID, j.State, strings.Join(news, ", "))
	if r := j.Receipt; r != nil {
		var inputs []string
		for _, in := range r.Inputs {
			inputs = append(inputs, in.Name+"="+plain(in.Value))
		}
		p.say("  bill %s v%s: charged %s, penalty %s, net %s; %s; tx %v", r.Policy, r.Version, money(r.Charged), money(r.Penalty), money(r.Net),
			strings.Join(inputs, " "), r.TxSeqs)
		for _, line := range r.Lines {
			p.say("  %s: %s = %s", line.What, line.Formula, money(int64(line.Amount)))
		}
	}
}

// facts are what there is to say of a job, in an order that stays.
func (p *play) facts(j *trade.Job) []string {
	when := func(name string, us int64) string {
		if us == 0 {
			return name + " -"
		}
		return name + " " + p.clock(us)
	}
	text := func(name, s string) string {
		if s == "" {
			return name + " -"
		}
		return name + " " + s
	}
	promise := when("promised", j.PromisedUS)
	if j.PromisedUS != 0 && !j.Firm {
		promise += " (void)"
	}
	var places []string
	for _, at := range j.Places {
		places = append(places, at.Node+":"+strconv.Itoa(at.Processor))
	}
	extended := 0.0
	for _, e := range j.Extensions {
		extended += float64(e.Price) / 1e6
	}
	return []string{
		text("of", j.Owner), text("name", j.Name), text("reason", j.Reason), text("detail", strconvQuote(j.Detail)), text("quote", j.Quote),
		when("started", j.StartedUS), when("ended", j.EndedUS), when("due", j.DueUS), promise,
		"price " + plain(float64(j.Price)/1e6), "held " + plain(float64(j.Held)/1e6), "charged " + plain(float64(j.Charged)/1e6),
		"penalty " + plain(float64(j.Penalty)/1e6), "work " + plain(float64(j.Work)/1e3), "extra " + plain(float64(j.Extra)/1e3),
		"extensions cost " + plain(extended), "attempt " + strconv.Itoa(j.Attempt), text("on", strings.Join(places, " ")),
		text("part", string(j.Part)), when("mandatory", j.MandatoryUS), "optional " + plain(float64(j.OptionalMS)/1e3),
		"optional cost " + plain(float64(j.Optional)/1e6),
	}
}

func strconvQuote(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}

// orders says which orders of a node are new, and which are gone.
func (p *play) orders(node, how string) {
	now := map[string]bool{}
	for _, o := range p.x.Orders(node) {
		text := order(&o)
		now[text] = true
		if !p.running[node][text] {
			p.say("%s%s %s", node, how, text)
		}
		if key := o.Spec.Key.String(); !p.running[node][key] {
			p.say("  %s", p.spec(&o.Spec))
		}
		now[o.Spec.Key.String()] = true
	}
	for _, text := range slices.Sorted(maps.Keys(p.running[node])) {
		if !strings.Contains(text, " ") && !now[text] {
			p.say("%s%s no more %s", node, how, text)
		}
	}
	p.running[node] = now
}

func order(o *task.Order) string {
	text := fmt.Sprintf("%s cpu %s on %d", o.Spec.Key, plain(o.CPU), o.Processor)
	for _, more := range o.More {
		text += "+" + strconv.Itoa(more)
	}
	if o.Weight != o.CPU {
		text += ", weight " + plain(o.Weight)
	}
	if o.MostUS != 0 {
		text += ", at most " + plain(float64(o.MostUS)/1e6)
	}
	if o.Stop != task.GoOn {
		text += ", stop: " + string(o.Stop)
	}
	return text
}

func (p *play) spec(s *task.Spec) string {
	text := fmt.Sprintf("%s runs %s > %s", s.User, strings.Join(s.Argv, " "), s.Output)
	if s.Error != s.Output {
		text += " 2> " + s.Error
	}
	text += fmt.Sprintf(", rank %d of %d on %s, threads %d, grace %d", s.Rank, s.Size, strings.Join(s.Nodes, " "), s.Threads, s.GraceMS)
	if s.Memory != 0 {
		text += fmt.Sprintf(", memory %d", s.Memory)
	}
	if s.DueUS != 0 {
		text += ", due " + p.clock(s.DueUS)
	}
	if s.Len() > 0 {
		listed := s.Listed()
		text += fmt.Sprintf(", elements %v", listed.Elements)
	}
	if s.Once {
		text += ", once"
	}
	if s.Optional != nil {
		text += fmt.Sprintf(", then %v", s.Optional.Argv)
	}
	return text
}

// look says what somebody who asks is shown.
func (p *play) look(what string, args []string) error {
	p.x.At(p.now)
	switch what {
	case "show":
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return err
		}
		p.show(id)
	case "accounts":
		for _, a := range p.x.Accounts("") {
			text := fmt.Sprintf("%s free %s, held %s, spent %s, credit %s", a.Path, money(a.Free), money(a.Held), money(a.Spent), money(a.Credit))
			if a.Sent != 0 {
				text += ", sent " + money(a.Sent)
			}
			if a.Limit != nil {
				text += ", limit " + money(*a.Limit)
			}
			p.say("%s", text)
		}
	case "nodes":
		for _, n := range p.x.Nodes() {
			p.say("%s up %v, free %d MB", n.Node, n.Up, n.FreeMB)
			for i, load := range n.Loads {
				var jobs []string
				for _, t := range load.Jobs {
					jobs = append(jobs, fmt.Sprintf("%d at %s", t.Job, plain(t.Share)))
				}
				p.say("  %d: given %s, kept %s: %s", i, plain(load.Share), plain(load.Kept), strings.Join(jobs, ", "))
			}
		}
	case "prices":
		prices := p.x.Prices()
		p.say("%d of %d processors up, given %s, kept %s", prices.Up, prices.Processors, plain(prices.Utilization), plain(prices.Kept))
		for _, s := range prices.Samples {
			answer := s.Refused
			if answer == "" {
				answer = money(s.Price)
			}
			p.say("  factor %s: %s", plain(s.Factor), answer)
		}
	case "timeline":
		for _, at := range p.job(int64(p.number(args[0]))).Timeline {
			p.say("%s: %s", p.clock(at.AtUS), plain(at.Share))
		}
	case "news": // would a report of this be worth a command?
		key, err := p.key(args[0])
		if err != nil {
			return err
		}
		s := task.Status{Key: key, State: task.Running, CPUUS: micros(p.number(args[1]))}
		for _, node := range []string{"", p.x.NodesUp()[0]} {
			p.say("%d from %q", len(p.x.News(node, []task.Status{s})), node)
		}
	case "next":
		at, asked := p.x.Next()
		p.say("%v %s", asked, p.clock(max(at, p.start)))
	case "settings":
		for _, e := range p.x.Epochs() {
			p.say("%d from %s: %s %v, rates %v", e.Number, p.clock(e.FromUS), e.Policy, e.Settings, e.Rates)
		}
	case "owned":
		for _, path := range args {
			all, held := p.x.Owned(path, true)
			own, ownHeld := p.x.Owned(path, false)
			p.say("%s owns %s, of which %s held; itself %s and %s", path, all, held, own, ownHeld)
		}
		p.say("speed %s, %d under way", plain(p.x.Speed()), p.x.Underway())
	case "track":
		p.say("%+v, %v", p.x.Record(), p.x.Counts())
	default:
		return fmt.Errorf("unknown command")
	}
	return nil
}

func (p *play) number(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		p.Fatal(err)
	}
	return x
}

func (p *play) show(id int64) {
	e, live := p.x.Explain(id)
	if !live {
		ended := p.job(id)
		e = trade.Epilogue(&ended)
	}
	j := p.job(id)
	p.say("%s: %s", e.State, e.Summary)
	for _, because := range e.Because {
		p.say("  %s", because)
	}
	text := fmt.Sprintf("share %s, need %s, work %s, cost %s, penalty %s, odds %s (%s)", plain(e.Share), plain(e.Need), plain(float64(j.Work)/1e3),
		money(e.CostNow), money(e.PenaltyNow), plain(e.Odds), e.OddsFrom)
	if e.PredictedUS != 0 {
		text += ", likely at " + p.clock(e.PredictedUS)
	}
	if e.Ahead != 0 {
		text += fmt.Sprintf(", %d ahead", e.Ahead)
	}
	p.say("%s", text)
}
