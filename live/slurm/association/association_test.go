package association_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/accounts"
	"github.com/libra-market/libra/core/exchange"
	"github.com/libra-market/libra/core/trade"
	"github.com/libra-market/libra/live/slurm/association"
	"github.com/libra-market/libra/live/wire"
)

// recorded is what sacctmgr 22.05 says of two clusters, with names of all kinds.
func recorded(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{"associations", "defaults"} {
		text, err := os.ReadFile("testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

func read(t *testing.T, cluster, text string) *association.Tree {
	t.Helper()
	tree, err := association.Read(cluster, text)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// bank is the accounts of a real exchange, changed as its owner.
type bank struct {
	*testing.T
	x  *exchange.Exchange
	at int64
}

func newBank(t *testing.T) *bank {
	t.Helper()
	b := &bank{T: t, x: exchange.New("bank"), at: 1_700_000_000_000_000}
	b.do(trade.Command{Open: &trade.Open{Policy: "libra"}})
	return b
}

func (b *bank) do(c trade.Command) trade.Outcome {
	b.Helper()
	o, err := b.try(c)
	if err != nil {
		b.Fatal(err)
	}
	return o
}

func (b *bank) try(c trade.Command) (trade.Outcome, error) {
	b.at += 1_000_000
	c.By = trade.Identity{User: "root", Role: trade.RoleOwner}
	o, err := b.x.Do(b.at, c)
	b.x.Effects()
	return o, err
}

func (b *bank) Accounts(_ context.Context, prefix string) ([]v1.Account, error) {
	list := b.x.Accounts(prefix)
	for i := range list {
		for _, user := range list[i].Users {
			if b.x.AccountOf(user) == list[i].Path {
				list[i].PaysFor = append(list[i].PaysFor, user)
			}
		}
	}
	return wire.Accounts(list), nil
}

func (b *bank) ChangeAccount(_ context.Context, c v1.AccountChange) (v1.Account, error) {
	o, err := b.try(trade.Command{Money: &trade.MoneyCommand{Op: c.Op, To: c.Account, User: c.User, First: c.First, Memo: c.Memo}})
	switch {
	case err != nil:
		return v1.Account{}, err
	case o.Refusal != nil:
		return v1.Account{}, errors.New(o.Refusal.Detail)
	}
	return wire.Account(o.Account), nil
}

// follow brings the accounts into step, and says what was done and noted.
func (b *bank) follow(tree *association.Tree) (done, notes []string) {
	b.Helper()
	p, err := association.Compare(b.Context(), b, tree, "slurm", "libra")
	if err != nil {
		b.Fatal(err)
	}
	s, err := association.Make(b.Context(), b, p)
	if err != nil || len(s.Made) != len(p.Changes) {
		b.Fatalf("%d of %d: %v", len(s.Made), len(p.Changes), err)
	}
	for _, c := range s.Made {
		done = append(done, c.String())
	}
	return done, s.Notes
}

func (b *bank) want(what string, got, want []string) {
	b.Helper()
	if !slices.Equal(got, want) {
		b.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAMarketGetsWhatSlurmHas(t *testing.T) {
	b := newBank(t)
	done, notes := b.follow(read(t, "libra-dev", recorded(t)))
	b.want("done", done, []string{
		"open slurm/chem-2_a.b", "open slurm/empty", "open slurm/physics", "open slurm/physics/theory",
		"bind alice to slurm/physics/theory", "bind alice to slurm/physics", "bind bob to slurm/physics", "bind dave to slurm/physics", "bind eve to slurm/physics",
		"bind j.d-x_9@site.org to slurm/chem-2_a.b", "bind max to slurm/physics", "bind nobody to slurm/physics", "bind rooty to slurm",
	})
	for _, name := range []string{`"a+b@x"`, `"bio med"`, `"große"`, `"slash/ed"`, `dom\\user`, "physics|odd|name"} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, name) }) {
			t.Errorf("nothing is said of %s", name)
		}
	}
	if len(notes) != 7 { // both tables have the one with the bar
		t.Errorf("notes:\n%s", strings.Join(notes, "\n"))
	}
	for user, pays := range map[string]string{"alice": "slurm/physics/theory", "bob": "slurm/physics", "dave": "slurm/physics", "carol": "", "root": "", "zoe": "", "slurm": "", "rooty": "slurm"} {
		if got := b.x.AccountOf(user); got != pays {
			t.Errorf("%q pays for %s, want %q", got, user, pays)
		}
	}
	if done, again := b.follow(read(t, "libra-dev", recorded(t))); len(done) > 0 || !slices.Equal(notes, again) {
		t.Errorf("done again: %q, %q", done, again)
	}
}

// Each cluster of a slurmdbd is one of its own.
func TestAnotherCluster(t *testing.T) {
	b := newBank(t)
	done, notes := b.follow(read(t, "other", recorded(t)))
	b.want("done", done, []string{"open slurm/far", "open slurm/physics", "bind alice to slurm/far", "bind zoe to slurm/far"})
	if len(notes) > 0 {
		t.Errorf("%q", notes)
	}
}

// site is a small tree, in which each line is an account and its parent, or an account,
// a user, and a star where it is the user's default.
func site(t *testing.T, lines ...string) *association.Tree {
	t.Helper()
	tree, usual := "Cluster|Account|User|Partition|ParentName\nc|root|||\n", "Cluster|User|Def Acct|Account\n"
	for _, line := range lines {
		f := strings.Fields(line)
		if f[1] == "<" {
			tree += fmt.Sprintf("c|%s|||%s\n", f[0], f[2])
			continue
		}
		tree += fmt.Sprintf("c|%s|%s||\n", f[0], f[1])
		if len(f) == 3 {
			usual += fmt.Sprintf("c|%s|%s|%[2]s\n", f[1], f[0])
		}
	}
	return read(t, "c", tree+usual)
}

// Who is removed hands nothing in any more; the money stays, and what is under way too.
func TestPeopleComeAndGo(t *testing.T) {
	b := newBank(t)
	b.follow(site(t, "physics < root", "chem < root", "physics ann *", "chem ann", "physics bob *"))
	b.do(trade.Command{Money: &trade.MoneyCommand{Op: "grant", To: "slurm/physics", Amount: 5_000_000}})
	b.do(trade.Command{Money: &trade.MoneyCommand{Op: "grant", To: "slurm/chem", Amount: 7_000_000}})

	done, _ := b.follow(site(t, "physics < root", "chem < root", "physics ann", "chem ann *", "physics eve *"))
	b.want("another default, one came, one went", done, []string{"bind ann to slurm/chem, which pays from now on", "bind eve to slurm/physics", "unbind bob from slurm/physics"})
	if got := []string{b.x.AccountOf("ann"), b.x.AccountOf("bob"), b.x.AccountOf("eve")}; !slices.Equal(got, []string{"slurm/chem", "", "slurm/physics"}) {
		t.Errorf("%q pay", got)
	}

	done, notes := b.follow(site(t, "physics < root", "physics eve *", "deep < physics", "deep ann *"))
	b.want("an account went", done, []string{"open slurm/physics/deep", "bind ann to slurm/physics/deep, which pays from now on", "unbind ann from slurm/chem", "unbind ann from slurm/physics"})
	b.want("and its money is told of", notes, []string{"slurm/chem owns 7.00, and Slurm has no such account any more (libra account transfer --from slurm/chem)"})
	for path, want := range map[string]int64{"slurm/physics": 5_000_000, "slurm/chem": 7_000_000, "slurm/physics/deep": 0} {
		if a, found := b.x.Account(path); !found || a.Free != want || a.Closed {
			t.Errorf("%s: %+v, want %d", path, a, want)
		}
	}
	done, _ = b.follow(site(t, "physics < root", "physics eve *", "physics bob *", "deep < physics", "deep ann *"))
	b.want("one is back", done, []string{"bind bob to slurm/physics"})
}

// What the owner has set up elsewhere is nobody's business, nor what is closed.
func TestTheOwnersOwn(t *testing.T) {
	b := newBank(t)
	b.do(trade.Command{Money: &trade.MoneyCommand{Op: "open", To: "people/ann", User: "ann"}})
	b.do(trade.Command{Money: &trade.MoneyCommand{Op: "open", To: "slurmish/bob", User: "bob"}})
	tree := site(t, "physics < root", "theory < physics", "physics ann *", "theory ann", "theory eve *", "root adm *")
	b.follow(tree)
	if got := b.x.AccountOf("ann"); got != "people/ann" {
		t.Errorf("%s pays for ann", got)
	}
	if got := b.x.AccountOf("bob"); got != "slurmish/bob" {
		t.Errorf("%s pays for bob", got)
	}
	if done, _ := b.follow(tree); len(done) > 0 {
		t.Errorf("done again: %q", done)
	}
	b.do(trade.Command{Money: &trade.MoneyCommand{Op: "close", To: "slurm/physics/theory"}})
	b.do(trade.Command{Money: &trade.MoneyCommand{Op: "close", To: "slurm/physics"}})
	done, notes := b.follow(tree)
	if slices.ContainsFunc(done, func(c string) bool { return !strings.HasPrefix(c, "unbind") }) || len(notes) != 1 || !strings.Contains(notes[0], "slurm/physics is closed") {
		t.Errorf("closed: %q, %q", done, notes)
	}
}

// Where there is nothing but Slurm's root, it is of those who are in it, and of nobody
// who is called like it.
func TestNobodyButAdministrators(t *testing.T) {
	b := newBank(t)
	done, _ := b.follow(site(t, "root adm *", "root chief *"))
	b.want("done", done, []string{"open slurm, for adm", "bind chief to slurm"})
	if got := b.x.AccountOf("slurm"); got != "" {
		t.Errorf("%s pays for slurm", got)
	}
}

// Slurm's name of an account is one's own only where one is bound to it.
func TestNames(t *testing.T) {
	bound := accounts.Bindings{{Account: "slurm/physics/theory"}, {Account: "slurm/physics"}, {Account: "chem"}, {Account: "slurm/a/twice"}, {Account: "slurm/b/twice"}, {Account: "people/own"}, {Account: "slurm/chem"}}
	for name, want := range map[string]string{
		"theory": "slurm/physics/theory", "physics": "slurm/physics", "chem": "", "twice": "", "own": "", "other": "", "": "", "heory": "", "physics/theory": "", "slurm": "",
	} {
		if got, found := association.Named(bound, "slurm", name); got != want || found != (want != "") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Silence, another cluster and half a listing are no reason to unbind anybody.
func TestWhatIsNoListing(t *testing.T) {
	all := recorded(t)
	for name, text := range map[string]string{
		"nothing":       "",
		"titles alone":  "Cluster|Account|User|Partition|ParentName\n",
		"no titles":     "libra-dev|root|||\n",
		"no parents":    "Cluster|Account|User|Partition|Share\nlibra-dev|root|||1\n",
		"another":       strings.ReplaceAll(all, "libra-dev|", "elsewhere|"),
		"no root":       "Cluster|Account|User|Partition|ParentName\nlibra-dev|physics|||root\n",
		"defaults only": all[strings.Index(all, "Cluster|User|Def Acct"):],
	} {
		if tree, err := association.Read("libra-dev", text); !errors.Is(err, association.ErrNothing) {
			t.Errorf("%s: %+v, %v", name, tree, err)
		}
	}
	loop := site(t, "a < b", "b < a", "lost < nowhere", "a ann *")
	if p := loop.Plan("slurm", "libra", nil); len(p.Changes) > 0 || len(p.Notes) != 3 {
		t.Errorf("accounts that lead nowhere: %+v", p)
	}
}

// A listing in which nobody is, be it that the answer broke off or that it is for another
// partition, changes nothing, and that is said.
func TestAListingOfNobody(t *testing.T) {
	b := newBank(t)
	full := site(t, "physics < root", "chem < root", "physics ann *", "chem bob *")
	b.follow(full)
	for name, tree := range map[string]*association.Tree{
		"no users":  site(t, "physics < root", "chem < root", "deep < chem"),
		"root only": site(t, "root root *"),
	} {
		done, notes := b.follow(tree)
		b.want(name, done, nil)
		if len(notes) != 1 || !strings.Contains(notes[0], "nobody is unbound") {
			t.Errorf("%s: %q", name, notes)
		}
		if got := []string{b.x.AccountOf("ann"), b.x.AccountOf("bob")}; !slices.Equal(got, []string{"slurm/physics", "slurm/chem"}) {
			t.Errorf("%s: %q pay", name, got)
		}
	}
	done, _ := b.follow(site(t, "physics < root", "chem < root", "physics ann *"))
	b.want("one is left", done, []string{"unbind bob from slurm/chem"})
}

// A market that keeps in step by itself goes on when Slurm does not answer for a while.
func TestAKeeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBank(t)
		ctx, stop := context.WithCancel(t.Context())
		var tree *association.Tree
		var log strings.Builder
		k := &association.Keeper{
			Read: func(context.Context) (*association.Tree, error) {
				if tree == nil {
					return nil, errors.New("slurmdbd is away")
				}
				return tree, nil
			},
			Market: b, Under: "slurm", Partition: "libra", Every: time.Minute, Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil)),
		}
		tree = site(t, "physics < root", "physics ann *")
		ended := make(chan struct{})
		go func() { k.Run(ctx); close(ended) }()
		users := func(after time.Duration, is *association.Tree, want ...string) {
			t.Helper()
			tree = is
			time.Sleep(after)
			synctest.Wait()
			if a, _ := b.x.Account("slurm/physics"); !reflect.DeepEqual(a.Users, want) {
				t.Errorf("%v, want %v", a.Users, want)
			}
		}
		users(time.Second, tree, "ann")
		users(5*time.Minute, nil, "ann")
		users(2*time.Minute, site(t, "physics < root", "physics bob *"), "bob")
		stop()
		<-ended
		if n := strings.Count(log.String(), "slurmdbd is away"); n != 1 {
			t.Errorf("said %d times:\n%s", n, &log)
		}
	})
}

// Who is unknown has Slurm asked at once, and no more often than that a stranger could keep it busy.
func TestNewcomersAreKnownAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBank(t)
		asked, tree := 0, site(t, "physics < root", "physics ann *")
		k := &association.Keeper{
			Read:   func(context.Context) (*association.Tree, error) { asked++; return tree, nil },
			Market: b, Under: "slurm", Partition: "libra", Every: time.Hour, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { k.Run(ctx); close(ended) }()
		users := func(times int, want ...string) {
			t.Helper()
			if a, _ := b.x.Account("slurm/physics"); asked != times || !reflect.DeepEqual(a.Users, want) {
				t.Errorf("asked %d times, and bound are %v, want %d and %v", asked, a.Users, times, want)
			}
		}
		if k.Knows("ann") {
			t.Error("somebody is known before it has looked")
		}
		time.Sleep(time.Minute)
		users(1, "ann")
		if !k.Knows("ann") || k.Knows("bob") {
			t.Error("known are others than those who are in Slurm")
		}
		tree = site(t, "physics < root", "physics ann *", "physics bob *")
		gone, leave := context.WithCancel(t.Context())
		leave() // whoever asked first has left
		for range 50 {
			go k.Newcomer(gone, "bob")
		}
		synctest.Wait()
		users(2, "ann", "bob")
		tree = site(t, "physics < root", "physics ann *")
		for range 9 {
			time.Sleep(time.Second)
			k.Newcomer(t.Context(), "bob")
		}
		users(2, "ann", "bob")
		time.Sleep(time.Second)
		k.Newcomer(t.Context(), "bob")
		users(3, "ann")

		// One who comes time and again does not keep others waiting; all of them together may have to, for a moment.
		tree = site(t, "physics < root", "physics ann *", "physics dan *")
		time.Sleep(time.Second)
		k.Newcomer(t.Context(), "dan")
		users(3, "ann")
		time.Sleep(time.Second)
		k.Newcomer(t.Context(), "bob")
		users(3, "ann")
		k.Newcomer(t.Context(), "dan")
		users(4, "ann", "dan")
		stop()
		<-ended
	})
}
