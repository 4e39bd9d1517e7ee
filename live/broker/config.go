package broker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/wish"
	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/mistake"
	"github.com/libra-market/libra/live/secrets"
)

// Config is the file of a broker.
type Config struct {
	Listen   string    `yaml:"listen"` // address of the API; not loopback: needs TLS
	Socket   string    `yaml:"socket"` // for programs on this machine: a path, or none; empty: the usual place, and none with TLS
	Store    string    `yaml:"store"`  // sqlite:PATH or postgres://...
	Wish     wish.Wish `yaml:"wish"`   // of those who name none: cheapest, fastest, gain, first
	Limit    Duration  `yaml:"limit"`  // how long a cluster may take to quote
	TLS      TLS       `yaml:"tls"`
	Metrics  string    `yaml:"metrics"` // owner, or public
	Clusters []Cluster `yaml:"clusters"`
}

// TLS names the broker's own certificate, in PEM files.
type TLS struct {
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

// Cluster is a market behind the broker, and who the broker is there.
type Cluster struct {
	Name string `yaml:"name"`
	URL  string `yaml:"url"`
	CA   string `yaml:"ca"` // file of the authority that signed its certificate; "": the system's
	// Token is in the name of everybody who has no token of their own there. What
	// it pays for is told apart by the broker alone.
	TokenFile string          `yaml:"token_file"`
	Users     map[string]User `yaml:"users"` // by the name they have here
	// Plain lets tokens travel in the clear, to whoever has the port: for tests.
	Plain bool `yaml:"plain_http"`
}

// User is somebody at a cluster.
type User struct {
	TokenFile string `yaml:"token_file"`
}

// DefaultConfig is what holds where the file says nothing.
func DefaultConfig() Config {
	return Config{Listen: "127.0.0.1:7080", Wish: wish.Cheapest, Limit: Duration(defaultLimit), Metrics: "owner"}
}

// ReadConfig reads a file over the defaults.
func ReadConfig(path string) (Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	return parseConfig(path, text)
}

func parseConfig(path string, text []byte) (Config, error) {
	c := DefaultConfig()
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return c, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	read := d.Decode(&c)
	wrong, err := mistake.Read(&root, &c, read)
	if err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	if err := d.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("%s: there is more than one document", path)
	}
	wrong = append(wrong, c.wrong()...)
	wrong.Find(&root)
	return c, wrong.In(path)
}

// Validate names all settings that make no sense.
func (c *Config) Validate() error { return c.wrong().In("") }

func (c *Config) wrong() mistake.List {
	var m mistake.List
	m.When(c.Listen == "", "want an address such as 127.0.0.1:7080", "listen")
	m.When(c.Limit < Duration(50*time.Millisecond) || c.Limit > Duration(time.Minute), "want 50ms to 1m", "limit")
	m.When((c.TLS.Cert == "") != (c.TLS.Key == ""), "cert and key go together", "tls")
	m.When(c.Metrics != "owner" && c.Metrics != "public", "want owner or public", "metrics")
	m.When(!c.Wish.Known(), "want "+knownWishes, "wish")
	m.When(len(c.Clusters) == 0, "want at least one", "clusters")
	seen := map[string]bool{}
	for i := range c.Clusters {
		k, at := &c.Clusters[i], fmt.Sprintf("clusters[%d]", i)
		k.wrong(&m, at)
		m.When(seen[k.Name], fmt.Sprintf("%q is there twice", k.Name), at+".name")
		seen[k.Name] = true
	}
	return m
}

func (k *Cluster) wrong(m *mistake.List, at string) {
	m.When(strings.Contains(k.Name, "/") || ledger.CheckPath(market.Account(k.Name)) != nil,
		fmt.Sprintf("%q: want a-z and 0-9, and after the first also . _ -", k.Name), at+".name")
	m.When(k.URL == "", "want https://host:port", at+".url")
	m.When(k.TokenFile == "" && len(k.Users) == 0, "want users with a token_file each, or a token_file for all", at)
	for _, user := range slices.Sorted(maps.Keys(k.Users)) {
		m.When(user == "" || strings.ContainsAny(user, "/ \t\n"), fmt.Sprintf("%q is no name of a user", user), at+".users")
		m.When(k.Users[user].TokenFile == "", "want a token_file", at+".users."+user)
	}
}

// Market reads the tokens and the authority of a cluster, and says of all files that
// cannot be read why.
func (k *Cluster) Market() (Market, error) {
	m := Market{Name: k.Name, URL: k.URL, Plain: k.Plain, Tokens: map[string]string{}}
	var wrong []error
	note := func(err error) {
		if err != nil {
			wrong = append(wrong, fmt.Errorf("cluster %s: %w", k.Name, err))
		}
	}
	var err error
	m.TLS, err = api.ClientTLS(k.CA, "", "")
	note(err)
	if k.TokenFile != "" {
		m.Token, err = secrets.Token(k.TokenFile)
		note(err)
	}
	for _, user := range slices.Sorted(maps.Keys(k.Users)) {
		m.Tokens[user], err = secrets.Token(k.Users[user].TokenFile)
		note(err)
	}
	return m, errors.Join(wrong...)
}

// Duration is a time.Duration as people write it: 90s, 5m.
type Duration time.Duration

// UnmarshalYAML reads it.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil {
		return mistake.Misfit(n, fmt.Errorf("%q is not a period of time (want one such as 2s or 500ms)", n.Value))
	}
	*d = Duration(v)
	return nil
}
