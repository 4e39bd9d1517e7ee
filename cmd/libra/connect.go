package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/libra-market/libra/client"
	"github.com/libra-market/libra/client/socket"
	"github.com/libra-market/libra/live/munge"
	"github.com/libra-market/libra/live/secrets"
)

// defaultServer is where libra up listens.
const defaultServer = "http://127.0.0.1:7070"

// connection says how to find the market. Flags beat the environment, that beats the
// context, and that the file of the site.
type connection struct {
	server    string
	tokenFile string
	ca        string
	plain     bool
}

func (o *connection) flags(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVar(&o.server, "server", "", "`address` of the market, or those of its controllers with commas between them (default: $LIBRA_SERVER, where libra up is, or that of /etc/libra/client.yaml)")
	f.StringVar(&o.tokenFile, "token-file", "", "`file` with the token (default: $LIBRA_TOKEN, or that of libra up; none where the market's socket says who you are)")
	f.StringVar(&o.ca, "ca", "", "`file` of the authority that signs the market's certificate (default: $LIBRA_CA, that of /etc/libra/client.yaml, or those of the system)")
	f.BoolVar(&o.plain, "plain-http", false, "let the token travel in the clear, to whoever has the port (for tests)")
}

// resolve finds out which market to speak to, and as whom.
func (o *connection) resolve() (marketContext, error) {
	known, err := readContexts()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return marketContext{}, err
	}
	site, err := readSite()
	if err != nil {
		return marketContext{}, err
	}
	c := marketContext{Server: o.server, Plain: o.plain || insecure()}
	if c.Server == "" {
		c.Server = os.Getenv("LIBRA_SERVER")
	}
	if c.Server == "" {
		c.Server = known.Server
	}
	if c.Server == "" {
		c.Server = site.Server
	}
	if c.Server == "" {
		c.Server = defaultServer
	}
	c.Server = serverList(c.Server)
	if site.Server != "" && c.Server == serverList(site.Server) {
		c.CA = site.CA
	}
	// A token is for the market that gave it, and no other gets to see it.
	if kept := known.of(c.Server); kept.Server != "" {
		c.Token, c.CA, c.User, c.Socket, c.Plain = kept.Token, cmp.Or(kept.CA, c.CA), kept.User, kept.Socket, c.Plain || kept.Plain
	}
	if ca := os.Getenv("LIBRA_CA"); ca != "" {
		c.CA = ca
	}
	if o.ca != "" {
		c.CA = o.ca
	}
	if token := os.Getenv("LIBRA_TOKEN"); token != "" {
		c.Token, c.User = token, ""
	}
	if o.tokenFile != "" {
		if c.Token, err = secrets.Token(o.tokenFile); err != nil {
			return c, err
		}
		c.User = ""
	}
	if c.Token == "" && !c.Plain {
		c.local = site.socketOf(&c)
		c.munge = c.local == "" && site.Munge && c.Server == serverList(site.Server)
	}
	return c, nil
}

// serverList is addresses of a market, with commas between them, as they are
// compared and asked.
func serverList(text string) string {
	all := strings.Split(text, ",")
	for i, one := range all {
		one = strings.TrimSpace(one)
		if !strings.Contains(one, "://") && !strings.HasPrefix(one, "unix:") {
			one = "http://" + one
		}
		all[i] = strings.TrimRight(one, "/")
	}
	return strings.Join(all, ",")
}

// insecure reports whether the user says that tokens may travel in the clear, to
// whoever has the port: for tests.
func insecure() bool { return os.Getenv("LIBRA_INSECURE") == "1" }

// dial makes a client of the market. Nothing is sent yet.
func (o *connection) dial(retries int) (*client.Client, marketContext, error) {
	c, err := o.resolve()
	if err != nil {
		return nil, c, err
	}
	options := client.Options{Agent: "libra " + buildVersion(), Retries: retries, Plain: c.Plain, Socket: c.Socket, Local: true, Currency: hearCurrency}
	if c.CA != "" {
		text, bad := os.ReadFile(c.CA)
		if bad != nil {
			return nil, c, bad
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, c, fmt.Errorf("%s: there is no certificate in it", c.CA)
		}
		options.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	market, err := client.New(cmp.Or(c.local, c.Server), c.Token, options)
	if err != nil {
		return nil, c, usagef("%w%s", err, plainHint(c))
	}
	return market, c, nil
}

// plainHint says how to insist.
func plainHint(c marketContext) string {
	if strings.HasPrefix(c.Server, "http://") && c.Token != "" && !c.Plain {
		return ", or --plain-http where nobody listens"
	}
	return ""
}

// words are the flags that somebody said, as they are typed: a command that is printed
// reaches the same market as the one that printed it.
func (o *connection) words() string {
	text := ""
	for _, flag := range []struct{ name, value string }{{"--server", o.server}, {"--token-file", o.tokenFile}, {"--ca", o.ca}} {
		if flag.value != "" {
			text += " " + flag.name + " " + shellWord(flag.value)
		}
	}
	if o.plain {
		text += " --plain-http"
	}
	return text
}

// attempts is how often a command tries again: a market that is restarting is
// back within seconds.
const attempts = 2

// with does something with the market and says in the user's words what went
// wrong.
func (o *connection) with(ctx context.Context, do func(context.Context, *client.Client) error) error {
	market, c, err := o.dial(attempts)
	if err != nil {
		return err
	}
	if c.munge { // what somebody signs may let others in as them: for the market that root names, and for no other
		if _, err = market.MungeLogin(ctx, munge.Sign); err != nil {
			return o.inWords(c, err)
		}
	}
	return o.inWords(c, do(ctx, market))
}

func (o *connection) inWords(c marketContext, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if problem, ok := errors.AsType[*client.Problem](err); ok {
		return o.problemInWords(c, problem, err)
	}
	if errors.Is(err, socket.ErrStranger) {
		return fmt.Errorf("nothing was sent: %w", err)
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "dial" {
		if !here(c.Server) {
			return fmt.Errorf("no market answers at %s: see that the address is right, and that libra serve runs there", c.Server)
		}
		return fmt.Errorf("no market answers at %s%s: %s", c.Server, bySocket(c), startingOne(c.Server))
	}
	return err
}

// startingOne is what to type where a market of this machine does not answer.
func startingOne(server string) string {
	u, err := url.Parse(server)
	switch {
	case server == defaultServer:
		return "start one with: libra up"
	case err != nil || u.Scheme != "http" || u.Port() == "":
		return "see that libra up, or libra serve, runs there"
	}
	return "start one there with: libra up --listen " + u.Host
}

// here reports whether an address is of this machine, where a market can be started.
func here(server string) bool {
	u, err := url.Parse(server)
	if err != nil || u.Scheme == "unix" || u.Hostname() == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback()
}

// bySocket says how a market on this machine was looked for: something else may
// well answer at its port, and would be sent nothing.
func bySocket(c marketContext) string {
	if u, err := url.Parse(c.Server); err == nil && u.Scheme == "http" && c.Token != "" && !c.Plain {
		return fmt.Sprintf(" by its socket (%s)", strings.Join(socket.Places(u.Port()), ", "))
	}
	return ""
}

func (o *connection) problemInWords(c marketContext, problem *client.Problem, err error) error {
	switch code := problem.ExitCode(); {
	case code == exitRefused:
		return &refusal{Problem: problem, where: o.words()}
	case code == exitUsage:
		return &usageError{flagFor(problem.Field, err)}
	case problem.Status == http.StatusUnauthorized && c.local != "":
		return fmt.Errorf("%s asks for a token and there is none: set LIBRA_TOKEN or give --token-file (by its socket it says: %s)", c.Server, problem.Detail)
	case problem.Status == http.StatusUnauthorized && c.munge:
		return fmt.Errorf("%s asks for a token and there is none: set LIBRA_TOKEN or give --token-file (by munge it says: %s)", c.Server, problem.Detail)
	case problem.Status == http.StatusUnauthorized && c.Token == "":
		hint := ""
		if here(c.Server) {
			hint = "; libra up leaves one to the user who starts it"
		}
		return fmt.Errorf("%s asks for a token and there is none: set LIBRA_TOKEN or give --token-file%s", c.Server, hint)
	case problem.Status == http.StatusUnauthorized:
		return fmt.Errorf("%s does not take the token: %w", c.Server, err)
	}
	return err
}

// wallClock is what time it is; tests hold it still.
var wallClock = time.Now
