package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/config"
	"github.com/libra-market/libra/live/passwd"
)

type upOptions struct {
	dir     string
	listen  string
	socket  string
	policy  string
	set     []string
	verbose bool
	rate    string
	cpus    []int
	gpus    string
	gpuRate string
	limits  []string
	ca      string // of the certificates made for it, if any
}

func newUp(con *console) *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Run a whole market on this machine, nothing to configure",
		Long: `Up runs a controller, an agent for this machine and a store, makes accounts with
some money, and leaves a token where the other commands find it.

Ctrl-C stops it. Jobs that run go on; libra up finds them, and everything else,
as they were. As root, jobs run as the user who submits them, and yours as root,
because that is who you are: no other user of the system is allowed (see libra
agent --system-users). Otherwise all run as you.`,
		Example: `  libra up
  libra submit --estimate 10s --deadline 30s --budget 0.05 -- sh -c 'sleep 3; echo hello'
  libra jobs

  # another price, another policy, another place
  libra up --rate 0.50 --policy libra-plus --set beta=0.3 --dir /tmp/market --listen 127.0.0.1:7171`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runUp(cmd, con, &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "dir", "", "where to keep everything (default ~/.local/state/libra)")
	f.StringVar(&o.listen, "listen", "127.0.0.1:7070", "address of the API; one that others can reach gets certificates of its own")
	f.StringVar(&o.socket, "socket", ownSocket, "path of the socket by which commands and the agent reach the market")
	f.StringVar(&o.policy, "policy", "libra", "policy of the market (libra policies lists them)")
	f.StringArrayVar(&o.set, "set", nil, "name=value: a setting of the policy; may be repeated")
	completeFlag(cmd, "policy", policyNames()...)
	rateFlag(f, &o.rate, demoRate)
	limitFlag(f, &o.limits)
	f.IntSliceVar(&o.cpus, "cpus", nil, "the processors to offer (default: all)")
	f.StringVar(&o.gpus, "gpus", "", "GPUs to offer, numbered from 0: 2, a100:2 (default: none)")
	f.StringVar(&o.gpuRate, "gpu-rate", demoGPURate, "`amount` that a GPU costs by the hour: the base price of a new market with --gpus")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log every request")
	return cmd
}

func runUp(cmd *cobra.Command, con *console, o *upOptions) error {
	f := cmd.Flags()
	if f.Changed("gpu-rate") && o.gpus == "" {
		return usagef("--gpu-rate is the price of GPUs that are offered: give --gpus")
	}
	c, err := o.configure(config.Given{Policy: f.Changed("policy"), Processor: f.Changed("rate"), GPU: f.Changed("gpu-rate"), NewGPUs: o.gpus != ""})
	if err != nil {
		return err
	}
	log := newLog(con, o.verbose)
	s, err := startService(cmd.Context(), &c, log, nil)
	for said := false; noRoom(err, c.Store) && cmd.Context().Err() == nil; {
		if !said {
			con.warn("%v (Ctrl-C ends it)", full(err, c.Store))
			said = true
		}
		restFor(cmd.Context(), keepPause)
		s, err = startService(cmd.Context(), &c, log, nil)
	}
	if err != nil {
		return upFailed(full(err, c.Store), o)
	}
	err = o.up(cmd, con, s, &c, log)
	return firstOf(err, s.close())
}

// upFailed says what to do about what usually is in the way.
func upFailed(err error, o *upOptions) error {
	if strings.Contains(err.Error(), "address already in use") {
		return fmt.Errorf("%w: is libra up already running? Another can have --listen and --dir of its own", err)
	}
	return err
}

func (o *upOptions) configure(given config.Given) (config.Config, error) {
	c := config.Default()
	if o.dir == "" {
		dir, bad := stateDir()
		if bad != nil {
			return c, bad
		}
		o.dir = dir
	}
	dir, err := filepath.Abs(o.dir)
	if err != nil {
		return c, err
	}
	o.dir = dir
	if err = os.MkdirAll(o.dir, 0o700); err != nil {
		return c, err
	}
	if err = setLimits(&c, o.limits); err != nil {
		return c, err
	}
	set, err := policySettings(o.set)
	if err != nil {
		return c, err
	}
	c.Listen, c.Policy, c.Settings = o.listen, o.policy, set
	if err = rateGiven(o.rate, &c); err != nil {
		return c, err
	}
	c.Given = given // without --rate there is a price for a new market, and an old one keeps its own
	if err = o.secure(&c); err != nil {
		return c, err
	}
	if c.Socket = o.socket; c.Socket == noSocket {
		return c, usagef("--socket: the agent needs one")
	}
	c.Store = filepath.Join(o.dir, "libra.db")
	c.Lease = 0 // one machine: if the controller is away, nobody else runs its jobs
	c.Report = config.Duration(time.Second)
	c.Agent.State = filepath.Join(o.dir, "agent")
	c.Agent.OnLease = "continue"
	c.Agent.CPUs = o.cpus
	if err = o.offerGPUs(&c); err != nil {
		return c, err
	}
	// Whoever is at this terminal runs their own jobs, root too: that is what the
	// agent is told, and nobody else of the system is named.
	who, err := userName()
	if err != nil {
		return c, err
	}
	if passwd.IsSystem(who) {
		c.Agent.SystemUsers = []string{who}
	}
	return c, c.Validate()
}

// offerGPUs has the agent announce GPUs, and a new market ask a price for them.
func (o *upOptions) offerGPUs(c *config.Config) error {
	if o.gpus == "" {
		return nil
	}
	kind, n, err := market.ParseGPUs(o.gpus)
	if err != nil {
		return usagef("--gpus: %v", err)
	}
	rate, err := market.ParseMoney(o.gpuRate)
	if err != nil || rate < 0 {
		return usagef("--gpu-rate: %q is not an amount of 0 or more", o.gpuRate)
	}
	c.Agent.GPUKind, c.Agent.GPUs, c.Rates.GPU = kind, n, config.Amount(rate)
	return nil
}

// secure makes certificates for a market that others can reach, once: tokens
// must not travel in the clear.
func (o *upOptions) secure(c *config.Config) error {
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return usagef("--listen: %v (want host:port)", err)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	dir := filepath.Join(o.dir, "tls")
	o.ca = filepath.Join(dir, api.AuthorityCert)
	c.TLS = config.TLS{Cert: filepath.Join(dir, api.ServerCert), Key: filepath.Join(dir, api.ServerKey), ClientCA: o.ca}
	if _, err := os.Stat(c.TLS.Cert); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := api.MakeAuthority(dir, time.Now()); err != nil {
		return err
	}
	hosts := []string{"localhost", "127.0.0.1"}
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, name)
	}
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		hosts = append(hosts, host)
	}
	return api.MakeServerCertificate(dir, hosts, time.Now())
}

// up runs the parts until something ends them.
func (o *upOptions) up(cmd *cobra.Command, con *console, s *service, c *config.Config, log *slog.Logger) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	if err := s.adoptIfPossible(ctx, con, c); err != nil {
		return err
	}
	who, err := userName()
	if err != nil {
		return err
	}
	account, err := s.furnish(ctx, who)
	if err != nil {
		return err
	}
	if err := o.rememberToken(ctx, s, who); err != nil {
		return err
	}
	agentEnded := make(chan error, 1)
	go func() { agentEnded <- o.localAgent(ctx, s, c, log) }()
	if err := o.greet(ctx, con, s, c, who, account, agentEnded); err != nil {
		return err
	}
	select {
	case err := <-agentEnded:
		if ctx.Err() == nil {
			return fmt.Errorf("the agent has stopped: %w", err)
		}
	case err := <-waiting(ctx, s):
		cancel()
		<-agentEnded
		o.goodbye(con, s)
		return err
	}
	return nil
}

func waiting(ctx context.Context, s *service) <-chan error {
	done := make(chan error, 1)
	go func() { done <- s.wait(ctx) }()
	return done
}

// demoCredit is what the accounts of a new market have, and demoRate what a
// processor costs there by the hour: some days of work, to begin with.
const (
	demoCredit  = 1000 * market.Unit
	demoRate    = "3.60"
	demoGPURate = "10.00"
)

// furnish opens accounts with credit in a new market: for the user, and two to
// play with.
func (s *service) furnish(ctx context.Context, who string) (account string, err error) {
	open, err := s.market.Accounts(ctx, "demo")
	if err != nil {
		return "", err
	}
	have := map[string]bool{}
	for _, a := range open {
		have[a.Path] = true
	}
	for _, user := range []string{who, "alice", "bob"} {
		path := "demo/" + user
		if have[path] {
			continue
		}
		have[path] = true // who starts it may be called alice
		for _, m := range []trade.MoneyCommand{
			{Op: "open", To: path, User: user},
			{Op: "grant", To: path, Amount: int64(demoCredit), Memo: "to begin with"},
		} {
			if _, _, err := s.market.Do(ctx, trade.Command{By: ownHand, Money: &m}, api.Key{}); err != nil {
				return "", fmt.Errorf("account %s: %w", path, err)
			}
		}
	}
	return s.market.AccountOf(ctx, who)
}

// rememberToken leaves a token where the other commands find it, unless a good
// one is there.
func (o *upOptions) rememberToken(ctx context.Context, s *service, who string) error {
	known, err := readContexts()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	store := filepath.Join(o.dir, "libra.db")
	if have := known.of(s.url()); have.Socket == s.local && have.Token != "" && tokenWorks(ctx, s, have.Token) {
		if have.Store == store && have == known.marketContext {
			return nil
		}
		have.Store = store
		return writeContext(have)
	}
	token, err := s.makeToken(ctx, who, v1.RoleOwner, "made by libra up")
	if err != nil {
		return err
	}
	return writeContext(marketContext{Server: s.url(), Token: token, User: who, CA: o.ca, Socket: s.local, Store: store})
}

// loginLink is a path that signs in whoever has the terminal, as the owner. It ends
// with the token that the other commands use, if that is theirs, and with the
// market.
func (s *service) loginLink(ctx context.Context, who string) string {
	owner := trade.Identity{User: who, Role: trade.RoleOwner}
	if have, err := readContext(); err == nil && have.Server == s.url() {
		if link, whose, ok, err := s.pages.TokenLink(ctx, have.Token); err == nil && ok && whose == owner {
			return link
		}
	}
	return s.pages.LoginLink(owner)
}

// tokenWorks reports whether somebody can come in with a token.
func tokenWorks(ctx context.Context, s *service, token string) bool {
	c, err := s.connect(token)
	if err != nil {
		return false
	}
	defer c.Close()
	_, err = c.Whoami(ctx)
	return err == nil
}

// withGPUs is what a node has of them, after what it has else: what it is started with, for what it says
// itself may be of the start before.
func withGPUs(kind string, n int) string {
	if n == 0 {
		return ""
	}
	return ", " + market.CountGPUs(kind, n)
}

// greet waits for the agent to join and says what to do first.
func (o *upOptions) greet(ctx context.Context, con *console, s *service, c *config.Config, who, account string, agentEnded <-chan error) error {
	for range 200 {
		nodes, err := s.market.Nodes(ctx)
		if err != nil {
			return err
		}
		if len(nodes) > 0 && nodes[0].Up {
			n := nodes[0]
			epochs, err := s.market.Epochs(ctx)
			if err != nil {
				return err
			}
			printf(con.out, `libra is up at %s
  policy %s, %s of rating %.2f%s, shares by %s
  everything is in %s; %s pays for your jobs
  the page: %s

Try, in another terminal:
  libra submit -e 5s -d 20s --budget 0.01 -- sh -c 'sleep 3; echo hello'
  libra jobs
  libra logs 1

Ctrl-C stops it; jobs that run go on, and libra up finds them again.
`, s.url(), epochs[len(epochs)-1].Policy, number(int64(n.Processors), "processor"), n.Rating, withGPUs(c.Agent.GPUKind, c.Agent.GPUs), n.Limits, o.dir, account,
				s.page+s.loginLink(ctx, who))
			if why := s.port.notice(); why != "" {
				if err = prose(con.out, "Take care: %s.", why); err != nil {
					return err
				}
			}
			if len(c.Agent.SystemUsers) > 0 {
				return prose(con.out, "You are %s, so jobs that you submit run as %[1]s; no other user of the system may have jobs.", who)
			}
			return nil
		}
		select {
		case err := <-agentEnded:
			return fmt.Errorf("the agent did not start: %w", err)
		case <-ctx.Done():
			return nil
		case <-time.After(100 * time.Millisecond):
		}
	}
	return errors.New("the agent did not join within 20 s")
}

// goodbye says what is left. A machine that is busy may take its time to count it.
func (o *upOptions) goodbye(con *console, s *service) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	counts, err := s.market.CountJobs(ctx, "")
	if err != nil {
		printf(con.out, "stopped; jobs that run go on: how many they are, the market did not say in time\n")
		return
	}
	if n := counts[v1.Running] + counts[v1.Stopping]; n > 0 {
		printf(con.out, "stopped; %s left running, which libra up finds again\n", number(n, "job"))
		return
	}
	printline(con.out, "stopped")
}

// stateDir is where a market keeps everything unless told otherwise.
func stateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "libra"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("where to keep the market: %w (use --dir)", err)
	}
	return filepath.Join(home, ".local", "state", "libra"), nil
}

// userName is who runs this program.
func userName() (string, error) {
	u, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("who is running this: %w", err)
	}
	return u.Username, nil
}
