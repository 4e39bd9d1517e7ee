package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/epoch"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/task"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/web"
	"github.com/libra-market/libra/live/web/webtest"
)

// fairground is a real market whose clock stands still unless a test lets it go on, and
// which is looked at through its API, its commands and its pages.
type fairground struct {
	*webtest.Floor
	t       *testing.T
	at      time.Time
	api     *client.Client
	browser *http.Client
	base    string // of the pages of who is signed in
	work    map[int64]*task.Status
}

func openFairground(t *testing.T, policy string) *fairground {
	t.Helper()
	still(t)
	g := &fairground{t: t, at: noon, work: map[int64]*task.Status{}}
	g.Floor = webtest.OpenAt(t, g.at, func(o *trade.Open) {
		o.Policy, o.Settings = policy, epoch.Complete(policy, nil, epoch.LiveSettings())
		o.Rates = trade.Rates{ProcessorHour: 3600 * 137_731, MemoryHour: 41_357_113}
	})
	g.People(50_000, "root", "alice")
	g.Join("n1", 8)
	now := g.Clock.Now
	programs := api.New(g.Market, g.Keys, api.Options{Now: now, Poll: time.Millisecond})
	pages := web.New(g.Market, g.Keys, web.Options{Now: now})
	server := httptest.NewServer(web.Join(programs, pages))
	t.Cleanup(func() {
		programs.Close()
		pages.Close()
		server.Close()
	})
	noContext(t)
	if err := writeContext(marketContext{Server: server.URL, Token: g.Secret("root"), User: "root", Plain: true}); err != nil {
		t.Fatal(err)
	}
	var err error
	if g.api, err = client.New(server.URL, g.Secret("root"), client.Options{Plain: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.api.Close() })
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	g.browser = &http.Client{Jar: jar}
	_, key, _ := strings.Cut(pages.LoginLink(webtest.Root), "key=")
	res, err := g.browser.PostForm(server.URL+"/login", url.Values{"key": {key}})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	g.base = server.URL + strings.TrimSuffix(res.Request.URL.Path, "/jobs")
	return g
}

func (g *fairground) wait(seconds float64) {
	g.at = g.at.Add(time.Duration(seconds * float64(time.Second)))
	g.Clock.Set(g.at)
}

// hand is a job handed in by alice.
func (g *fairground) hand(name string, r v1.Request) int64 {
	g.Helper()
	r.Name = name
	o := g.Submit("alice", r)
	switch {
	case o.Job != nil:
		return o.Job.ID
	case o.Refusal != nil && o.Refusal.Job != 0:
		return o.Refusal.Job
	}
	g.Fatalf("%s: %+v", name, o)
	return 0
}

// say reports of the first task of a job that it has used so many seconds more, and
// whatever else there is to say.
func (g *fairground) say(job int64, seconds float64, more ...func(*task.Status)) {
	g.Helper()
	s := g.work[job]
	if s == nil {
		s = &task.Status{Key: task.Key{Job: job}, State: task.Running, StartedUS: g.at.UnixMicro(), Low: true} // taken in at once
		g.work[job] = s
	}
	s.CPUUS += int64(seconds * 1e6)
	for _, change := range more {
		change(s)
	}
	if _, err := g.Market.Report(context.Background(), task.Report{Node: "n1", Tasks: []task.Status{*s}}); err != nil {
		g.Fatal(err)
	}
}

func (g *fairground) ended(exit int) func(*task.Status) {
	return func(s *task.Status) { s.State, s.Exit, s.EndedUS = task.Ended, exit, g.at.UnixMicro() }
}

func (g *fairground) libra(args ...string) string {
	g.Helper()
	return mustLibra(g.t, args...)
}

// page is what a page says, as text and marks.
func (g *fairground) page(path string) string {
	g.Helper()
	res, err := g.browser.Get(g.base + path)
	if err != nil {
		g.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		g.Fatalf("%s: %d, %v", path, res.StatusCode, err)
	}
	return strings.ReplaceAll(html.UnescapeString(string(text)), "\u00a0", " ")
}

// on finds what a place of a page says; "" where it is not there.
func on(page, pattern string) string {
	found := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if found == nil {
		return ""
	}
	return found[1]
}

// said finds the line of a command's answer that begins with a word.
func said(out, word string) string {
	for line := range strings.Lines(out) {
		if rest, is := strings.CutPrefix(line, word+"  "); is {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// compare holds what is said in several places of one amount to each other.
func (g *fairground) compare(what, want string, places map[string]string) {
	g.Helper()
	for place, got := range places {
		if got != want {
			g.Errorf("%s is %q, and %s says %q", what, want, place, got)
		}
	}
}

func cr(micros int64) string { return market.Money(micros).Text() + " cr" }

// orDash is an amount that is not said where there is none.
func orDash(there bool, amount, dash string) string {
	if there {
		return amount
	}
	return dash
}

// look compares what the API, the commands and the pages say of a job at this moment.
func (g *fairground) look(id int64) v1.Job {
	g.Helper()
	ctx := g.Context()
	j, err := g.api.Job(ctx, id)
	if err != nil {
		g.Fatal(err)
	}
	what := fmt.Sprintf("job %d, %s, %s: ", id, j.Name, j.State)
	why, err := g.api.Explain(ctx, id)
	if err != nil {
		g.Fatal(err)
	}
	number := strconv.FormatInt(id, 10)
	list := v1.Job{}
	all, err := g.api.Jobs(ctx, v1.JobQuery{Limit: 100})
	if err != nil {
		g.Fatal(err)
	}
	for i := range all.Jobs {
		if all.Jobs[i].ID == id {
			list = all.Jobs[i]
		}
	}
	cost, listed := j.CostNow, list.CostNow
	if j.State.Final() {
		cost, listed = j.Charged, list.Charged
	}
	job, explain := g.libra("job", number), g.libra("explain", number)
	row := g.row("jobs", "--all", "-o", "csv", "--format", "job,price,cost,penalty", number)
	shown := strings.Fields(g.line(g.libra("jobs", "--all", "--format", "job,price,cost,penalty"), number))
	top := g.libra("top", "--once", "--all")
	table, page := g.page("/jobs?whose="), g.page("/jobs/"+number)
	table = on(table, `(?s)<tr id="j`+number+`"(.*?)</tr>`)

	if strings.Contains(page, "<dt>Processors</dt><dd>0") {
		g.t.Errorf("%sasks for no processor", what)
	}
	none := map[v1.State][2]string{v1.Rejected: {" was agreed", "no price was agreed"}, v1.Held: {" yet: it is agreed when the job can begin", "no price is agreed yet"}}
	if j.State == v1.Cancelled && j.StartedUS == 0 { // it was kept back
		none[j.State] = none[v1.Rejected]
	}
	if none := none[j.State]; none[0] != "" {
		g.compare(what+"that there is no price", "none", map[string]string{
			"libra job": strings.TrimSuffix(said(job, "price"), none[0]), "libra jobs": orDash(shown[1] == "-", "none", shown[1]),
			"the table of the page": orDash(strings.Contains(table, `title="`+none[1]+`"`), "none", table), "the page of the job": orDash(strings.Contains(page, none[1]+`</p>`), "none", page),
		})
	} else {
		g.compare(what+"the price", cr(j.Price), map[string]string{
			"the list of the API": cr(list.Price), "libra job": said(job, "price"), "libra jobs": shown[1] + " cr", "libra jobs -o csv": inCents(g, row[1]),
			"the table of the page": on(table, `title="([^"]*) agreed"`), "the page of the job": on(page, `(?:now; |<p class="soft">)([0-9][^<]*) agreed`),
		})
	}
	began := j.StartedUS != 0
	places := map[string]string{
		"the list of the API": cr(listed), "explain of the API": cr(why.CostNow), "libra jobs -o csv": inCents(g, row[2]), "the page of the job": on(page, `<p class="figure cost">([^<]*)`),
	}
	if j.State.Final() {
		places["libra job"], places["libra explain"] = said(job, "charged"), said(explain, "charged")
	} else {
		places["libra explain"] = said(explain, "costs")
		if began {
			places["libra job"] = said(job, "cost so far")
		}
	}
	g.compare(what+"the cost", cr(cost), places)
	g.compare(what+"the cost", orDash(began, cr(cost), "-"), map[string]string{
		"libra jobs": orDash(shown[2] != "-", shown[2]+" cr", "-"), "libra top": orDash(began, on(g.line(top, number), ` (<?[0-9.,]+) +[#.]{10}`)+" cr", "-"),
		"the table of the page": strings.ReplaceAll(on(table, `class="num cost"[^>]*>([^<]*)`), "–", "-"),
	})
	g.compare(what+"the penalty", orDash(j.Penalty != 0, cr(j.Penalty), "-"), map[string]string{
		"the list of the API": orDash(list.Penalty != 0, cr(list.Penalty), "-"), "libra job": orDash(said(job, "penalty") != "", said(job, "penalty"), "-"),
		"libra jobs": orDash(shown[3] != "-", shown[3]+" cr", "-"), "the table of the page": strings.ReplaceAll(on(table, `class="num penalty[^>]*>([^<]*)`), "–", "-"),
		"the page of the job": strings.ReplaceAll(on(page, `<p class="figure penalty[^>]*>([^<]*)`), "–", "-"),
	})
	if !j.State.Final() && began {
		if why.CancelNow == nil {
			g.Errorf("%snobody says what it would cost if it were cancelled", what)
			return j
		}
		terminal := said(explain, "if cancelled")
		if *why.CancelNow == why.CostNow {
			terminal = said(explain, "costs")
		}
		g.compare(what+"if it is cancelled now", cr(*why.CancelNow), map[string]string{
			"libra explain": terminal, "the page of the job": on(page, `<b id="cancelled" data-now>([^<]*)`),
		})
	}
	if j.State.Final() && j.Receipt != nil {
		g.receipt(what, &j, page)
	}
	return j
}

// receipt compares what a job was charged with its receipt, wherever that is.
func (g *fairground) receipt(what string, j *v1.Job, page string) {
	g.Helper()
	r, err := g.api.Receipt(g.Context(), j.ID)
	if err != nil {
		g.Fatal(err)
	}
	sum := int64(0)
	for _, line := range r.Lines {
		sum += line.Amount
	}
	if r.Charged != j.Charged || r.Net != j.Charged-j.Penalty || sum != r.Net || j.Receipt.Net != r.Net {
		g.Errorf("%scharged %d, penalty %d; the receipt has %d and comes to %d, its lines to %d", what, j.Charged, j.Penalty, r.Charged, r.Net, sum)
	}
	g.compare(what+"what it cost in the end", cr(r.Net), map[string]string{"the receipt on the page": on(page, `<td class="num total">([^<]*)`)})
}

// row is the line of a job in a CSV.
func (g *fairground) row(args ...string) []string {
	g.Helper()
	number := args[len(args)-1]
	rows, err := csv.NewReader(strings.NewReader(g.libra(args[:len(args)-1]...))).ReadAll()
	if err != nil {
		g.Fatal(err)
	}
	for _, row := range rows {
		if row[0] == number {
			return row
		}
	}
	g.Fatalf("no job %s in %v", number, rows)
	return nil
}

// line is the line of a job in a table.
func (g *fairground) line(table, number string) string {
	g.Helper()
	for line := range strings.Lines(table) {
		if strings.HasPrefix(strings.TrimLeft(line, "> "), number+" ") {
			return line
		}
	}
	g.Fatalf("no job %s in\n%s", number, table)
	return ""
}

func inCents(g *fairground, exact string) string {
	g.Helper()
	m, err := market.ParseMoney(exact)
	if err != nil {
		g.Fatal(err)
	}
	return cr(int64(m))
}

// accounts compares what is free, held and spent, and what the owner has of it.
func (g *fairground) accounts() {
	g.Helper()
	a, err := g.api.Account(g.Context(), "lab/alice")
	if err != nil {
		g.Fatal(err)
	}
	page := g.page("/account?path=lab/alice")
	figures := regexp.MustCompile(`<p class="eyebrow">(Free|Held|Spent this month)</p><p class="figure">([^<]*)`).FindAllStringSubmatch(page, -1)
	shown := strings.Fields(g.line(g.libra("account", "lab/alice"), "lab/alice"))
	if len(figures) != 3 || len(shown) < 4 {
		g.Fatalf("%v, %v", figures, shown)
	}
	for i, amount := range []int64{a.Free, a.Held, a.Spent} {
		g.compare("of alice's account "+figures[i][1], cr(amount), map[string]string{"the page": figures[i][2], "libra account": shown[i+1] + " cr"})
	}
	if a.Sent != 0 {
		sent := regexp.MustCompile(`and ([^<]*) sent to others`).FindStringSubmatch(page)
		if len(sent) != 2 || len(shown) < 5 {
			g.Fatalf("%v, %v", sent, shown)
		}
		g.compare("that alice's account has sent", cr(a.Sent), map[string]string{"the page": sent[1], "libra account": shown[4] + " cr"})
	}
	tally, err := g.api.Tally(g.Context(), 0, 0)
	if err != nil {
		g.Fatal(err)
	}
	report, owner := g.libra("report"), g.page("/owner")
	house, err := g.api.Account(g.Context(), "@owner")
	if err != nil {
		g.Fatal(err)
	}
	g.compare("income", cr(tally.Income), map[string]string{
		"libra report": on(report, `(?m)^income +(.*)$`), "the house's balance": cr(house.Free),
	})
	if today := cr(tally.Income); !strings.Contains(owner, today) {
		g.Errorf("income is %s, and the owner's page does not say so", today)
	}
}

// Whatever becomes of a job, what the API, the commands and the pages say of its money is
// the same at the same moment, to the cent.
func TestAmountsAreTheSameEverywhere(t *testing.T) {
	g := openFairground(t, "libra")
	fine, little := int64(777_777), int64(10_000)
	hold := v1.Request{EstimateMS: 100_000, DeadlineMS: 900_000}
	with := func(change func(*v1.Request)) v1.Request {
		r := hold
		change(&r)
		return r
	}
	jobs := map[string]int64{
		"runs":     g.hand("runs", hold),
		"memory":   g.hand("memory", with(func(r *v1.Request) { r.MemoryMB = 2500 })),
		"array":    g.hand("array", with(func(r *v1.Request) { r.Array = &v1.Array{First: 1, Last: 7}; r.EstimateMS = 13_000 })),
		"overruns": g.hand("overruns", with(func(r *v1.Request) { r.EstimateMS = 10_000 })),
		"late":     g.hand("late", with(func(r *v1.Request) { r.EstimateMS, r.DeadlineMS, r.PenaltyMicros, r.Soft = 30_000, 40_000, fine, true })),
		"done":     g.hand("done", with(func(r *v1.Request) { r.EstimateMS = 20_000; r.MemoryMB = 1111 })),
		"fails":    g.hand("fails", hold),
		"goes":     g.hand("goes", hold),
		"refused":  g.hand("refused", with(func(r *v1.Request) { r.Budget = &little })),
		"never":    g.hand("never", with(func(r *v1.Request) { r.EstimateMS, r.DeadlineMS = 10_000_000, 1_000_000 })),
	}
	jobs["waits"] = g.hand("waits", with(func(r *v1.Request) { r.After = []int64{jobs["runs"]} }))
	jobs["dropped"] = g.hand("dropped", with(func(r *v1.Request) { r.After = []int64{jobs["runs"]} }))
	states := func(moment string, want map[string]v1.State) {
		t.Helper()
		for name, id := range jobs {
			j := g.look(id)
			if s, named := want[name]; named && j.State != s {
				t.Errorf("%s: %s is %s, want %s", moment, name, j.State, s)
			}
		}
		g.accounts()
	}
	states("at first", map[string]v1.State{"refused": v1.Rejected, "never": v1.Rejected, "waits": v1.Held, "runs": v1.Running, "array": v1.Running})

	live := []string{"runs", "memory", "array", "overruns", "done", "fails", "goes"}
	for _, name := range live {
		g.say(jobs[name], 0)
	}
	g.say(jobs["late"], 0)
	g.wait(7.123457)
	for _, name := range live {
		g.say(jobs[name], 3.333333)
	}
	states("some work is done", nil)
	g.wait(0.654321) // nobody has said anything since
	states("between two reports", nil)

	g.wait(5)
	g.Do(trade.Command{By: webtest.Root, Money: &trade.MoneyCommand{Op: "transfer", From: "lab/alice", To: "lab/root", Amount: 12_345_678}})
	if a, err := g.api.Account(t.Context(), "lab/alice"); err != nil || a.Sent != 12_345_678 {
		t.Errorf("%+v, %v", a, err)
	}
	g.say(jobs["done"], 8.7654321, g.ended(0))
	g.say(jobs["fails"], 1.0000001, g.ended(3))
	g.say(jobs["overruns"], 6.6)
	g.Do(trade.Command{By: webtest.User("alice"), Cancel: &trade.Cancel{Job: jobs["goes"]}})
	g.Do(trade.Command{By: webtest.User("alice"), Cancel: &trade.Cancel{Job: jobs["dropped"]}})
	states("some have ended", map[string]v1.State{"done": v1.Completed, "fails": v1.Failed, "goes": v1.Stopping, "dropped": v1.Cancelled})
	g.say(jobs["goes"], 0.5, func(s *task.Status) { s.State, s.Signal, s.EndedUS = task.Ended, "SIGTERM", g.at.UnixMicro() })

	g.wait(4)
	g.say(jobs["overruns"], 2.2)
	g.wait(1)
	g.say(jobs["overruns"], 0.9)
	states("one over-runs", map[string]v1.State{"goes": v1.Cancelled, "overruns": v1.Running})
	if j := g.look(jobs["overruns"]); len(j.Extensions) == 0 || j.Work <= 10_000 {
		t.Errorf("it has had %d ms of 10000, and %d extensions", j.Work, len(j.Extensions))
	}

	g.wait(30) // past the deadline of one that was given next to nothing
	g.say(jobs["late"], 1.5)
	states("one is late", map[string]v1.State{"late": v1.Running})
	if j := g.look(jobs["late"]); j.Penalty == 0 {
		t.Error("a job past its deadline, of which next to nothing is done, has no penalty")
	}
	g.wait(3)
	g.say(jobs["late"], 28.5, g.ended(0))
	g.say(jobs["overruns"], 0.3, g.ended(0))
	states("all but a few have ended", map[string]v1.State{"late": v1.Completed, "overruns": v1.Completed})
	if j := g.look(jobs["late"]); j.Penalty == 0 {
		t.Error("a job that was late has no penalty")
	}
}

// Optional parts, which are paid for by what was executed of them, are no other.
func TestAmountsOfOptionalPartsAreTheSameEverywhere(t *testing.T) {
	g := openFairground(t, "mf-hbf")
	worth := int64(9_000_000)
	ask := func(name string) int64 {
		return g.hand(name, v1.Request{
			EstimateMS: 20_000, DeadlineMS: 300_000, Budget: &worth, Optional: &v1.Optional{WorkMS: 50_000, RateMicros: 223_457, Argv: []string{"refine"}},
		})
	}
	refines, ends := ask("refines"), ask("ends")
	both := []int64{refines, ends}
	look := func() {
		t.Helper()
		for _, id := range both {
			g.look(id)
		}
		g.accounts()
	}
	look()
	for _, id := range both {
		g.say(id, 0)
	}
	g.wait(8)
	for _, id := range both {
		g.say(id, 7.654321)
	}
	look()
	g.wait(13)
	for _, id := range both {
		g.say(id, 12.1, func(s *task.Status) {
			s.Part, s.MandatoryCPUUS, s.MandatoryUS = task.OptionalPart, s.CPUUS, g.at.UnixMicro()
		})
	}
	look()
	g.wait(9.87)
	for _, id := range both {
		g.say(id, 9.333333)
	}
	look()
	if j := g.look(refines); j.OptionalMS == 0 || j.Optional == 0 {
		t.Errorf("nothing of its optional part is done: %d ms, %d", j.OptionalMS, j.Optional)
	}
	g.wait(1.5)
	g.say(ends, 0.777, g.ended(0))
	look()
	if j := g.look(ends); j.State != v1.Completed || j.Optional == 0 {
		t.Errorf("%s, %d for its optional part", j.State, j.Optional)
	}
}
