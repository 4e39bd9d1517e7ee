package system_test

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/slurm/slurmtest"
)

// bazaar is a market that a test has set up: a controller, its store, and the
// agents that work for it.
type bazaar struct {
	t      testing.TB
	dir    string
	url    string // as this process reaches it
	args   []string
	serve  *daemon
	owner  *client.Client
	agents map[string]*worker
	hosts  *hosts             // nil: all on this machine
	slurm  *slurmtest.Cluster // nil: agents run the jobs
	certs  string             // directory of the authority; empty: no TLS
}

// worker is the agent of a node. The node's name is the machine's: no other run
// has it.
type worker struct {
	*daemon

	node  string
	home  string
	state string
	args  []string
}

// terms say what market a test wants; the zero value is a plain one.
type terms struct {
	policy string
	set    []string      // name=value
	lease  time.Duration // 0: for ever
	report time.Duration // default half a second
	store  string        // directory of the store, default the market's own
	hosts  *hosts
	slurm  *slurmtest.Cluster // it runs the jobs
	rates  string             // default {processor_hour: 3600}
	login  string             // who comes by the socket without a token: users, or nobody
	serve  []string           // further arguments of the controller
}

// newBazaar starts a controller.
func newBazaar(t testing.TB, w terms) *bazaar {
	t.Helper()
	b := &bazaar{t: t, dir: scene(t), agents: map[string]*worker{}, hosts: w.hosts, slurm: w.slurm}
	if w.store == "" {
		w.store = b.dir
	}
	if w.policy == "" {
		w.policy = "libra"
	}
	if w.report == 0 {
		w.report = 500 * time.Millisecond
	}
	config := []string{"policy: " + w.policy, "lease: " + w.lease.String(), "report: " + w.report.String(), "rates: " + cmp.Or(w.rates, "{processor_hour: 3600}")}
	if w.lease == 0 {
		config[1] = "lease: 0"
	}
	// What was agreed is charged, used or not, so that a test can name the amount.
	config = append(config, "settings:", `  unused: "1"`)
	for _, s := range w.set {
		name, value, _ := strings.Cut(s, "=")
		config = append(config, fmt.Sprintf("  %s: %q", name, value))
	}
	if w.slurm != nil {
		config = append(config, "slurm:", "  system_users: [root]")
	}
	if w.login != "" {
		config = append(config, "login: {socket: "+w.login+"}")
	}
	b.write("libra.yaml", strings.Join(config, "\n")+"\n")
	listen := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	b.url = "http://" + listen
	b.args = []string{binary(), "serve", "--config", b.at("libra.yaml"), "--store", filepath.Join(w.store, "libra.db"), "--owner-token-file", b.at("owner.token")}
	switch {
	case b.hosts != nil:
		b.certs = b.hosts.dir
		listen = b.hosts.address("ctl") + ":7443"
		b.url = "https://" + b.hosts.forward(t, "ctl", listen)
	case b.slurm != nil:
		listen = b.beforeSlurm(listen)
	}
	if b.certs != "" {
		b.args = append(b.args, "--tls-cert", b.cert(api.ServerCert), "--tls-key", b.cert(api.ServerKey), "--client-ca", b.cert(api.AuthorityCert))
	}
	b.args = append(b.args, w.serve...)
	b.args = append(b.args, "--listen", listen)
	b.open()
	token := ""
	until(t, "the owner's token", func() bool { // it is made when the market is open
		token = text(t, b.at("owner.token"))
		return strings.HasSuffix(token, "\n")
	})
	b.owner = b.with(strings.TrimSpace(token))
	return b
}

func (b *bazaar) at(name string) string   { return filepath.Join(b.dir, name) }
func (b *bazaar) cert(name string) string { return filepath.Join(b.certs, name) }

func (b *bazaar) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(b.at(name), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// open starts the controller, for the first time or again.
func (b *bazaar) open() {
	b.t.Helper()
	argv := b.args
	if b.hosts != nil {
		argv = b.hosts.on("ctl", argv...)
	}
	b.serve = launch(b.t, b.dir, argv...)
	quick := b.with("")
	until(b.t, "the controller", func() bool {
		if !b.serve.running() {
			b.t.Fatalf("the controller has ended:\n%s", b.serve.said(4000))
		}
		return quick.Healthy(b.t.Context()) == nil
	})
}

// with is a client with a token.
func (b *bazaar) with(token string) *client.Client {
	b.t.Helper()
	o := client.Options{Timeout: 30 * time.Second, Retries: 20}
	if b.certs != "" {
		var err error
		if o.TLS, err = api.ClientTLS(b.cert(api.AuthorityCert), "", ""); err != nil {
			b.t.Fatal(err)
		}
	}
	c, err := client.New(b.url, token, o)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(c.Close)
	return c
}

// user opens an account with credit and is a client of its user.
func (b *bazaar) user(name string, units int64) *client.Client {
	b.t.Helper()
	path := "people/" + name
	_, err := b.owner.ChangeAccount(b.t.Context(), v1.AccountChange{Op: "open", Account: path, User: name})
	if err == nil && units > 0 {
		_, err = b.owner.Grant(b.t.Context(), v1.Grant{To: path, Amount: units * 1_000_000})
	}
	var token v1.NewToken
	if err == nil {
		token, err = b.owner.MakeToken(b.t.Context(), v1.TokenRequest{User: name, SystemUser: name == "root"})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return b.with(token.Secret)
}

// hire starts an agent. A node of several hosts lives on the host of its name.
func (b *bazaar) hire(name string, args ...string) *worker {
	b.t.Helper()
	w := &worker{node: fresh(name), home: b.at(name)}
	w.state = filepath.Join(w.home, "state")
	if err := os.Mkdir(w.home, 0o755); err != nil {
		b.t.Fatal(err)
	}
	w.args = append([]string{binary(), "agent", "--node", w.node, "--state", w.state, "--rating", "1", "--system-users", "root"}, args...)
	if b.hosts != nil {
		cert, key, err := api.MakeNodeCertificate(b.hosts.dir, w.node, time.Now())
		if err != nil {
			b.t.Fatal(err)
		}
		server := "https://" + b.hosts.address("ctl") + ":7443"
		w.args = b.hosts.on(name, append(w.args, "--server", server, "--ca", b.hosts.file(api.AuthorityCert), "--cert", cert, "--key", key)...)
	} else {
		token, err := b.owner.MakeToken(b.t.Context(), v1.TokenRequest{User: w.node, Role: v1.RoleNode})
		if err != nil {
			b.t.Fatal(err)
		}
		b.write(name+".token", token.Secret)
		w.args = append(w.args, "--server", b.url, "--token-file", b.at(name+".token"))
	}
	if err := writeDown(runDir(), madeTrees, w.tree()); err != nil {
		b.t.Fatal(err)
	}
	b.agents[name] = w
	w.start(b.t)
	b.joined(w)
	return w
}

// start starts the agent, for the first time or again.
func (w *worker) start(t testing.TB) { w.daemon = launch(t, w.home, w.args...) }

// tree is the name of the node's groups, which is made of its own and of where
// its state is.
func (w *worker) tree() string { return treeOf(w.node, w.state) }

func treeOf(node, state string) string {
	where := sha256.Sum256([]byte(state))
	return fmt.Sprintf("libra/%s-%x", node, where[:4])
}

// joined waits until a node is there.
func (b *bazaar) joined(w *worker) {
	b.t.Helper()
	until(b.t, "node "+w.node, func() bool {
		if !w.running() {
			b.t.Fatalf("the agent of %s has ended:\n%s", w.node, w.said(4000))
		}
		n, err := b.node(w)
		return err == nil && n.Up
	})
}

func (b *bazaar) node(w *worker) (v1.NodeView, error) {
	nodes, err := b.owner.Nodes(b.t.Context())
	for i := range nodes {
		if nodes[i].Node == w.node {
			return nodes[i], nil
		}
	}
	return v1.NodeView{}, errors.Join(err, fmt.Errorf("there is no node %s", w.node))
}

// shell is a request for a line of shell that takes about so long.
func (b *bazaar) shell(line string, estimate time.Duration) v1.Request {
	return v1.Request{Argv: []string{"sh", "-c", line}, Dir: b.dir, EstimateMS: estimate.Milliseconds(), Output: "/dev/null", GraceMS: 2000}
}

// submit hands in a job that must be taken.
func submit(t testing.TB, c *client.Client, r v1.Request) v1.Job {
	t.Helper()
	j, err := c.Submit(t.Context(), r, "")
	if err != nil {
		t.Fatalf("submit %s: %v", strings.Join(r.Argv, " "), err)
	}
	return j
}

// job reads a job.
func (b *bazaar) job(id int64) v1.Job {
	b.t.Helper()
	j, err := b.owner.Job(b.t.Context(), id)
	if err != nil {
		b.t.Fatalf("job %d: %v", id, err)
	}
	return j
}

// ended waits for the end of a job.
func (b *bazaar) ended(id int64) v1.Job {
	b.t.Helper()
	var j v1.Job
	defer func() {
		if !j.State.Final() {
			b.t.Logf("job %d is %s, attempt %d, at %v: %+v", id, j.State, j.Attempt, j.Places, j.Tasks)
		}
	}()
	until(b.t, fmt.Sprintf("the end of job %d", id), func() bool {
		j = b.job(id)
		return j.State.Final()
	})
	return j
}

// completed waits for the end of a job, which must be a good one.
func (b *bazaar) completed(id int64) v1.Job {
	b.t.Helper()
	j := b.ended(id)
	if j.State != v1.Completed {
		b.t.Errorf("job %d is %s (%s: %s), want completed; its tasks: %+v", id, j.State, j.Reason, j.Detail, j.Tasks)
	}
	return j
}

// verify has the books checked.
func (b *bazaar) verify() {
	b.t.Helper()
	v, err := b.owner.VerifyLedger(b.t.Context())
	if err != nil || v.Problem != "" {
		b.t.Errorf("the books: %s %v", v.Problem, err)
	}
}

// text reads a file that jobs have written; one that is not there is empty.
func text(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(content)
}
