package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/libra-market/libra/client/socket"
)

// siteFile is what a site says to all users of a host; tests have their own.
var siteFile = "/etc/libra/client.yaml"

// site is where the market is for who says nothing else. It holds no secrets.
type site struct {
	Server string `yaml:"server"`
	CA     string `yaml:"ca"`     // file of the authority that signs its certificate
	Socket string `yaml:"socket"` // a path, or unix://user@/path, of its socket, on the host that has it
	Munge  bool   `yaml:"munge"`  // elsewhere: the market knows by munge who a user is who has no token
}

// readSite reads the file of the site; where there is none, a site says nothing.
func readSite() (site, error) {
	var s site
	text, err := os.ReadFile(siteFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&s); err != nil && !errors.Is(err, io.EOF) {
		return s, fmt.Errorf("%s: %s (want server, ca, socket and munge)", siteFile, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if s.CA != "" && !filepath.IsAbs(s.CA) {
		return s, fmt.Errorf("%s: ca: %q: want an absolute path", siteFile, s.CA)
	}
	plain := func(address string) bool { return !strings.HasPrefix(address, "https://") }
	if s.Munge && slices.ContainsFunc(strings.Split(serverList(s.Server), ","), plain) { // one is enough: who hears it is let in as who signed
		return s, fmt.Errorf("%s: munge: want a server with https:// beside it", siteFile)
	}
	if s.Socket != "" {
		if _, err := socket.Parse(socketURL(s.Socket)); err != nil {
			return s, fmt.Errorf("%s: socket: %w", siteFile, err)
		}
	}
	return s, nil
}

// socketURL is a path as the address of a socket; an address is one.
func socketURL(text string) string {
	if strings.HasPrefix(text, "unix:") {
		return text
	}
	return (&url.URL{Scheme: "unix", Path: text}).String()
}

// socketOf is the address at which a market of this machine is reached by its socket: by it
// the market may know who a user is who has no token. "": it is elsewhere. One that is at a
// port of this machine is not asked there, socket or none: somebody else may have the port
// while it is away, and would be sent scripts and environments.
func (s *site) socketOf(c *marketContext) string {
	if s.Socket != "" && s.Server != "" && c.Server == serverList(s.Server) {
		address, err := socket.Parse(socketURL(s.Socket))
		if err == nil {
			if about, err := os.Lstat(address.Path); err == nil && about.Mode().Type() == fs.ModeSocket {
				return socketURL(s.Socket)
			}
		}
	}
	if u, err := url.Parse(c.Server); err == nil && u.Scheme == "http" && here(c.Server) {
		return c.Server
	}
	return ""
}
