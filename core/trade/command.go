package trade

import (
	"github.com/libra-market/libra/core/roster"
	"github.com/libra-market/libra/core/task"
)

// Role is what somebody may do.
type Role string

// The roles.
const (
	RoleUser  Role = "user"  // own jobs, own account
	RoleOwner Role = "owner" // the cluster: every job, every account, the levers
	RoleNode  Role = "node"  // an agent: its own node
)

// Identity is who asks.
type Identity struct {
	User string `json:"user"`
	Role Role   `json:"role"`
}

// Command is one thing that is asked of the exchange, or that happened to it.
// Exactly one of its parts is set (Allow goes with Enlist). Commands are the log: the same commands
// give the same state.
type Command struct {
	By     Identity          `json:"by"`
	Open   *Open             `json:"open,omitempty"`
	Epoch  *Epoch            `json:"epoch,omitempty"`
	Enlist *task.Hello       `json:"enlist,omitempty"`
	Allow  *roster.Allowance `json:"allow,omitempty"` // of Enlist: the node is held to it
	Node   *NodeChange       `json:"node,omitempty"`
	Quote  *AskQuote         `json:"quote,omitempty"`
	Submit *Submit           `json:"submit,omitempty"`
	Cancel *Cancel           `json:"cancel,omitempty"`
	Void   *Void             `json:"void,omitempty"`
	Begin  *Begin            `json:"begin,omitempty"`
	Watch  *Watch            `json:"watch,omitempty"`
	Report *Measured         `json:"report,omitempty"`
	Tick   *Tick             `json:"tick,omitempty"`
	Resume *Resume           `json:"resume,omitempty"`
	Money  *MoneyCommand     `json:"money,omitempty"`
}

// Resume says in which store the market goes on. In another one than before, which
// was restored from a backup, numbers of jobs have been given out that it does not
// know of: nodes may still run those jobs, and would take new ones for them.
type Resume struct {
	Generation string `json:"generation"`
	Skip       int64  `json:"skip,omitempty"` // how many numbers are left out; 0, as it was before: Skipped
}

// Numbers of jobs that are left out then: so many at the least, and more the older the
// backup is. One that is restored again is older by then, and gives out other numbers
// than after the first time, unless there were more jobs than so many a second between.
const (
	Skipped       = 1_000_000
	SkippedSecond = 1_000
	SkippedMost   = 1 << 42 // of a clock that is wrong by a century
)

// Skip is how many numbers are left out of a store in which was last written so many
// microseconds ago.
func Skip(agoUS int64) int64 {
	return Skipped + min(max(0, agoUS)/(1_000_000/SkippedSecond), SkippedMost)
}

// Kind names the part that is set.
func (c *Command) Kind() string {
	switch {
	case c.Open != nil:
		return "open"
	case c.Epoch != nil:
		return "epoch"
	case c.Enlist != nil:
		return "enlist"
	case c.Node != nil:
		return "node"
	case c.Quote != nil:
		return "quote"
	case c.Submit != nil:
		return "submit"
	case c.Cancel != nil:
		return "cancel"
	case c.Void != nil:
		return "void"
	case c.Begin != nil:
		return "begin"
	case c.Watch != nil:
		return "watch"
	case c.Report != nil:
		return "report"
	case c.Resume != nil:
		return "resume"
	case c.Tick != nil:
		return "tick"
	case c.Money != nil:
		return "money"
	default:
		return ""
	}
}

// Open is the first command of every log.
type Open struct {
	Policy   string            `json:"policy"`
	Settings map[string]string `json:"settings,omitempty"`
	Rates    Rates             `json:"rates"`
	Version  string            `json:"version"`
}

// Epoch changes the policy, its settings or the base prices from now on.
type Epoch struct {
	Policy   string            `json:"policy"`
	Settings map[string]string `json:"settings,omitempty"`
	Rates    *Rates            `json:"rates,omitempty"` // absent: as they are
}

// NodeChange says that a node is gone, or back, or is leaving for good.
type NodeChange struct {
	Node string `json:"node"`
	Up   bool   `json:"up"`
	Why  string `json:"why,omitempty"`
	Door Door   `json:"door,omitempty"` // not empty: it is up or not as before, and Up says nothing

	AheadUS int64 `json:"ahead_us,omitempty"` // of Door: it is somebody else's from then on; 0: of nobody that is known

	Withheld *int `json:"withheld,omitempty"` // not nil: so many of its GPUs are somebody else's, and all else is as before
}

// Door says whether a node that is up takes new jobs.
type Door string

// How the door of a node can be left.
const (
	DoorClosed Door = "closed" // the jobs it has run on
	DoorOpen   Door = "open"
)

// AskQuote asks for a binding quote.
type AskQuote struct {
	TTLMS   int64   `json:"ttl_ms"` // how long it binds
	Request Request `json:"request"`
}

// Submit hands in a job.
type Submit struct {
	Request Request `json:"request"`
	Quote   string  `json:"quote,omitempty"` // take this quote

	// Settled says how the jobs of Request.After ended that are no longer under
	// way: the exchange forgets a job when it has ended, the controller looks
	// it up.
	Settled []Settled `json:"settled,omitempty"`
}

// Settled is how a job of the past ended.
type Settled struct {
	Job   int64  `json:"job"`
	Owner string `json:"owner"`
	State State  `json:"state"`

	BeganUS int64 `json:"began_us,omitempty"` // or when it ended, if it never began
	Array   bool  `json:"array,omitempty"`
	Good    []int `json:"good,omitempty"` // of an array whose elements somebody follows: those that have succeeded
}

// Cancel takes a job, or a quote, back.
type Cancel struct {
	Job   int64  `json:"job,omitempty"`
	Quote string `json:"quote,omitempty"`

	Elements []int `json:"elements,omitempty"` // of a job that is an array and waits: these alone
}

// MaxReason bounds what the owner of a market says about a job.
const MaxReason = 256

// Void ends a job for its user and the market alike, as if it had not been.
type Void struct {
	Job    int64  `json:"job"`
	Reason string `json:"reason,omitempty"` // for people
}

// Measured is what agents said since the last time: how far running tasks are,
// and which have ended.
type Measured struct {
	Tasks []task.Status `json:"tasks"`
}

// Tick says that the time asked for has come.
type Tick struct {
	Came bool `json:"came,omitempty"` // somebody has, in vain: they may be welcome all the same
}

// InVain is what is left of a command that came to nothing: time has gone on, and who comes
// for the first time has an account, where they are welcome.
func (c *Command) InVain() Command {
	if c.Submit == nil && c.Quote == nil {
		return Command{Tick: &Tick{}}
	}
	return Command{By: c.By, Tick: &Tick{Came: true}}
}

// MoneyCommand moves money or changes an account. Op is one of open, bind, unbind, allow,
// grant, transfer, limit, credit, close.
type MoneyCommand struct {
	Op     string `json:"op"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"` // the account, for all but transfer
	Amount int64  `json:"amount_micros,omitempty"`
	None   bool   `json:"none,omitempty"` // limit: take it away
	Memo   string `json:"memo,omitempty"`

	User  string `json:"user,omitempty"`  // open, bind, unbind: who may spend from it
	Below bool   `json:"below,omitempty"` // and from all below it
	First bool   `json:"first,omitempty"` // it pays for them from now on, unless they name another

	EveryUS int64 `json:"every_us,omitempty"`    // allow: so often
	Most    int64 `json:"most_micros,omitempty"` // allow: up to this
	Each    bool  `json:"each,omitempty"`        // allow: for each account below it that somebody is bound to
	Welcome bool  `json:"welcome,omitempty"`     // allow: who is bound to nothing gets an account below it
}

// Outcome is the answer to a command. Refusals are outcomes too.
type Outcome struct {
	Job     *Job       `json:"job,omitempty"`
	Quote   *Quote     `json:"quote,omitempty"`
	Refusal *Refusal   `json:"refusal,omitempty"`
	Account *Account   `json:"account,omitempty"`
	Epoch   *EpochView `json:"epoch,omitempty"`
	Node    *NodeView  `json:"node,omitempty"`
}

// Told is the answer that is a job.
func Told(j Job) Outcome { return Outcome{Job: &j} }

// Account is how an account stands.
type Account struct {
	Path   string `json:"path"`
	Free   int64  `json:"free_micros"`
	Held   int64  `json:"held_micros"`
	Limit  *int64 `json:"limit_micros,omitempty"` // of its subtree, a month
	Spent  int64  `json:"spent_micros"`           // this month, by its subtree, without what is held or sent
	Sent   int64  `json:"sent_micros,omitempty"`  // this month, to accounts outside its subtree
	Used   int64  `json:"used_micros"`            // of the limit: what was spent and sent, and what is held for its subtree
	Credit int64  `json:"credit_micros"`
	Closed bool   `json:"closed,omitempty"`

	Users   []string `json:"users,omitempty"`    // who are bound to it
	PaysFor []string `json:"pays_for,omitempty"` // in lists: those of them for whom it pays unless they name another

	Allowance     int64 `json:"allowance_micros,omitempty"`      // that it gets by itself
	AllowanceMS   int64 `json:"allowance_every_ms,omitempty"`    // so often
	AllowanceMost int64 `json:"allowance_most_micros,omitempty"` // up to this
	AllowanceUS   int64 `json:"allowance_next_us,omitempty"`     // and next then
	AllowanceEach bool  `json:"allowance_each,omitempty"`        // not it, but each account below it that somebody is bound to
}

// EpochView is a span of the log under one policy.
type EpochView struct {
	Number   int       `json:"number"`
	FromUS   int64     `json:"from_us"`
	Policy   string    `json:"policy"`
	Settings []Setting `json:"settings"`
	Rates    Rates     `json:"rates"`
}

// NodeView is how a node stands.
type NodeView struct {
	task.Hello

	Index  int             `json:"index"`
	Up     bool            `json:"up"`
	Why    string          `json:"why,omitempty"`    // it is not, or is closed
	Closed bool            `json:"closed,omitempty"` // it is up, and takes no new jobs
	Rates  Rates           `json:"rates"`
	SeenUS int64           `json:"seen_us,omitempty"`
	Loads  []ProcessorView `json:"loads"` // by processor; of the first ones, where there are many
	FreeMB int64           `json:"free_mb"`
	// FreeGPUs is how many of its GPUs no job holds.
	FreeGPUs int `json:"free_gpus,omitempty"`
	// OthersGPUs is how many are somebody else's, who is none of the market's.
	OthersGPUs int `json:"others_gpus,omitempty"`

	More  int     `json:"more,omitempty"`  // processors that Loads leaves out; then there are the sums over all:
	Given float64 `json:"given,omitempty"` // given now
	Kept  float64 `json:"kept,omitempty"`  // promised
}

// ProcessorView is what runs on one processor.
type ProcessorView struct {
	Share float64  `json:"share"` // given now
	Kept  float64  `json:"kept"`  // promised: what admission reckons with
	Jobs  []Tenant `json:"jobs"`
}

// Tenant is a job on a processor.
type Tenant struct {
	Job   int64   `json:"job"`
	Owner string  `json:"owner"`
	Name  string  `json:"name"`
	Share float64 `json:"share"`
	DueUS int64   `json:"due_us,omitempty"`
}
