package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/libra-market/libra/live/secrets"
)

// marketContext is a market that commands speak to, and as whom. libra up writes it.
type marketContext struct {
	Server string `json:"server"`
	Token  string `json:"token,omitempty"`
	CA     string `json:"ca,omitempty"` // file of the authority that signs the server's certificate
	User   string `json:"user,omitempty"`
	Plain  bool   `json:"plain,omitempty"`  // the token may travel in the clear, to whoever has the port
	Socket string `json:"socket,omitempty"` // of a market on this machine, if it is not at the usual place
	Store  string `json:"store,omitempty"`  // of a market that libra up runs

	munge bool   // who has no token may be let in by munge: it is the market of the site
	local string // address that is reached by a socket, where nothing but that says who is there
}

// contexts are the market that commands speak to unless they are told otherwise, and those
// before it, the last first: who names one with --server is known there still.
type contexts struct {
	marketContext
	Others []marketContext `json:"others,omitempty"`
}

// mostContexts is how many markets are remembered beside the last one.
const mostContexts = 8

// of is what is known of a market; nothing of one that is not known.
func (k *contexts) of(server string) marketContext {
	for _, c := range slices.Insert(slices.Clone(k.Others), 0, k.marketContext) {
		if c.Server != "" && serverList(c.Server) == server {
			return c
		}
	}
	return marketContext{}
}

// meet makes a market the one that commands speak to.
func (k *contexts) meet(c marketContext) {
	others := slices.Insert(k.Others, 0, k.marketContext)
	others = slices.DeleteFunc(others, func(o marketContext) bool {
		return o.Server == "" || serverList(o.Server) == serverList(c.Server)
	})
	k.marketContext, k.Others = c, others[:min(len(others), mostContexts)]
}

// contextPath is where contexts are kept: $XDG_CONFIG_HOME/libra/context.json,
// or ~/.config/libra/context.json.
func contextPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "libra", "context.json"), nil
}

// readContexts reads them; where there are none, the error is fs.ErrNotExist. A file that
// others can read is refused: it holds tokens.
func readContexts() (contexts, error) {
	var k contexts
	path, err := contextPath()
	if err != nil {
		return k, fmt.Errorf("%w: %w", fs.ErrNotExist, err) // no home, no context
	}
	text, err := secrets.Read(path)
	if err != nil {
		return k, err
	}
	if err := json.Unmarshal(text, &k); err != nil {
		return contexts{}, fmt.Errorf("%s: %w", path, err)
	}
	return k, nil
}

// readContext is the market that commands speak to unless they are told otherwise.
func readContext() (marketContext, error) {
	k, err := readContexts()
	return k.marketContext, err
}

// writeContext makes a market the one that commands speak to, whole or not at all, for its
// user's eyes only. A file that cannot be read is begun anew.
func writeContext(c marketContext) error {
	path, err := contextPath()
	if err != nil {
		return err
	}
	k, _ := readContexts()
	k.meet(c)
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".context-*.json") // with mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
