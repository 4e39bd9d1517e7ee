package broker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/libra-market/libra/core/ledger"
	"github.com/libra-market/libra/core/market"
	"github.com/libra-market/libra/core/wish"
	"github.com/libra-market/libra/live/api"
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

var unknownField = regexp.MustCompile(`line (\d+): field (\S+) not found in type \S+`)

func parseConfig(path string, text []byte) (Config, error) {
	c := DefaultConfig()
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("%s: %w", path, plainYAML(err))
	}
	if err := d.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("%s: there is more than one document", path)
	}
	if err := c.Validate(); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// plainYAML says in our words what the reader of YAML found.
func plainYAML(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := unknownField.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("line %s: there is no setting %q", m[1], m[2])
	}
	return errors.New(strings.ReplaceAll(strings.TrimPrefix(text, "unmarshal errors:\n  "), "\n  ", "; "))
}

// Validate names the first setting that makes no sense.
func (c *Config) Validate() error {
	switch {
	case c.Listen == "":
		return errors.New("listen: want an address such as 127.0.0.1:7080")
	case c.Limit < Duration(50*time.Millisecond) || c.Limit > Duration(time.Minute):
		return errors.New("limit: want 50ms to 1m")
	case (c.TLS.Cert == "") != (c.TLS.Key == ""):
		return errors.New("tls: cert and key go together")
	case c.Metrics != "owner" && c.Metrics != "public":
		return errors.New("metrics: want owner or public")
	case len(c.Clusters) == 0:
		return errors.New("clusters: want at least one")
	}
	if _, err := parseWish(string(c.Wish)); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i := range c.Clusters {
		k := &c.Clusters[i]
		if err := k.validate(); err != nil {
			return fmt.Errorf("clusters[%d]: %w", i, err)
		}
		if seen[k.Name] {
			return fmt.Errorf("clusters[%d]: name: %q is there twice", i, k.Name)
		}
		seen[k.Name] = true
	}
	return nil
}

func (k *Cluster) validate() error {
	switch {
	case strings.Contains(k.Name, "/") || ledger.CheckPath(market.Account(k.Name)) != nil:
		return fmt.Errorf("name: %q: want a-z and 0-9, and after the first also . _ -", k.Name)
	case k.URL == "":
		return fmt.Errorf("%s: url: want https://host:port", k.Name)
	case k.TokenFile == "" && len(k.Users) == 0:
		return fmt.Errorf("%s: want users with a token_file each, or a token_file for all", k.Name)
	}
	for user, at := range k.Users {
		if user == "" || strings.ContainsAny(user, "/ \t\n") {
			return fmt.Errorf("%s: users: %q is no name of a user", k.Name, user)
		}
		if at.TokenFile == "" {
			return fmt.Errorf("%s: users.%s: want a token_file", k.Name, user)
		}
	}
	return nil
}

// Market reads the tokens and the authority of a cluster.
func (k *Cluster) Market() (Market, error) {
	m := Market{Name: k.Name, URL: k.URL, Plain: k.Plain, Tokens: map[string]string{}}
	var err error
	if m.TLS, err = api.ClientTLS(k.CA, "", ""); err != nil {
		return m, fmt.Errorf("cluster %s: %w", k.Name, err)
	}
	if k.TokenFile != "" {
		if m.Token, err = secrets.Token(k.TokenFile); err != nil {
			return m, fmt.Errorf("cluster %s: %w", k.Name, err)
		}
	}
	for user, at := range k.Users {
		if m.Tokens[user], err = secrets.Token(at.TokenFile); err != nil {
			return m, fmt.Errorf("cluster %s: %w", k.Name, err)
		}
	}
	return m, nil
}

// Duration is a time.Duration as people write it: 90s, 5m.
type Duration time.Duration

// UnmarshalYAML reads it.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil {
		return fmt.Errorf("line %d: %q is not a period of time (want one such as 2s or 500ms)", n.Line, n.Value)
	}
	*d = Duration(v)
	return nil
}
