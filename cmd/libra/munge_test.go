package main

import (
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"os/user"
	"strconv"
	"strings"
	"testing"

	"github.com/libra-market/libra/live/api"
	"github.com/libra-market/libra/live/api/apitest"
	"github.com/libra-market/libra/live/munge"
	"github.com/libra-market/libra/live/munge/mungetest"
)

// On a host that has munge's key a user needs no token where the file of the site says so:
// for the market of the site, over TLS, and for no other.
func TestWhoHasMungeNeedsNoToken(t *testing.T) {
	uid, name := os.Getuid(), ""
	if uid == 0 {
		uid = 1001
	}
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		name = u.Username
	}
	mungetest.Start(t, uid)
	noContext(t)
	market := httptest.NewTLSServer(api.New(apitest.New("alice", name), &apitest.Keys{}, api.Options{Munge: munge.Check}))
	defer market.Close()
	ca := file(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: market.Certificate().Raw})))
	siteFile = file(t, "client.yaml", fmt.Sprintf("server: %s\nca: %s\nmunge: true\n", market.URL, ca))
	r := libra(t, "token", "list", "--json")
	switch {
	case name == "": // munge has said who it is, and the market that it knows nobody of that number
		if r.code == exitOK || !strings.Contains(r.err, fmt.Sprintf("who user %d is this host does not say", uid)) {
			t.Errorf("%+v", r)
		}
	case r.code != exitOK:
		t.Errorf("%s is not let in: %+v", name, r)
	}
	t.Setenv("LIBRA_SERVER", strings.Replace(market.URL, "127.0.0.1", "localhost", 1)) // which is no other, but the file does not name it
	t.Setenv("LIBRA_CA", ca)
	if r = libra(t, "token", "list"); r.code == exitOK {
		t.Errorf("it signs for a market that the site does not name: %+v", r)
	}
	t.Setenv("LIBRA_SERVER", "")
	siteFile = file(t, "client.yaml", fmt.Sprintf("server: %s\nca: %s\n", market.URL, ca))
	if r = libra(t, "token", "list"); r.code == exitOK || !strings.Contains(r.err, "LIBRA_TOKEN") {
		t.Errorf("it signs without being told: %+v", r)
	}
	siteFile = file(t, "client.yaml", "server: http://head:7070\nmunge: true\n")
	if r = libra(t, "token", "list"); r.code == exitOK || !strings.Contains(r.err, "https") {
		t.Errorf("it signs in the clear: %+v", r)
	}
	off := httptest.NewTLSServer(api.New(apitest.New("alice"), &apitest.Keys{}, api.Options{}))
	defer off.Close()
	siteFile = file(t, "client.yaml", fmt.Sprintf("server: %s\nca: %s\nmunge: true\n", off.URL, ca))
	if r = libra(t, "token", "list"); r.code == exitOK || !strings.Contains(r.err, "login.munge") {
		t.Errorf("a market that does not want it: %+v", r)
	}
}
