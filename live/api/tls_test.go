package api_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libra-market/libra/live/api"
)

func TestListenRefusesTheNetworkInTheClear(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:80"} {
		l, err := api.Listen(addr, nil)
		if !errors.Is(err, api.ErrPlain) {
			t.Errorf("%s: got %v", addr, err)
		}
		if err == nil {
			l.Close()
		} else if !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: it does not say what to do: %v", addr, err)
		}
	}
	for _, addr := range []string{"127.0.0.1:0", "localhost:0"} {
		l, err := api.Listen(addr, nil)
		if err != nil {
			t.Errorf("%s: %v", addr, err)
			continue
		}
		l.Close()
	}
	if _, err := api.Listen("nonsense", nil); err == nil {
		t.Error("nonsense is an address")
	}
}

// authority is a directory with an authority, a server and two nodes.
func authority(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	now := time.Now()
	if err := api.MakeAuthority(dir, now); err != nil {
		t.Fatal(err)
	}
	if err := api.MakeServerCertificate(dir, []string{"127.0.0.1", "localhost"}, now); err != nil {
		t.Fatal(err)
	}
	for _, node := range []string{"n1", "n2"} {
		if _, _, err := api.MakeNodeCertificate(dir, node, now); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// overTLS serves the world over TLS and returns the address.
func (w *world) overTLS(dir string) string {
	w.t.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	c, err := api.ServerTLS(in(api.ServerCert), in(api.ServerKey), in(api.AuthorityCert), time.Now)
	if err != nil {
		w.t.Fatal(err)
	}
	l, err := api.Listen("127.0.0.1:0", c)
	if err != nil {
		w.t.Fatal(err)
	}
	s := api.Server(w.handler)
	go s.Serve(l)
	w.t.Cleanup(func() { s.Close() })
	return "https://" + l.Addr().String()
}

// get asks over TLS, with a certificate or a token or neither.
func (w *world) get(url, dir, node, who string) (int, string, error) {
	w.t.Helper()
	cert, key := "", ""
	if node != "" {
		cert, key = filepath.Join(dir, "node-"+node+".pem"), filepath.Join(dir, "node-"+node+".key")
	}
	c, err := api.ClientTLS(filepath.Join(dir, api.AuthorityCert), cert, key)
	if err != nil {
		w.t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if who != "" {
		r.Header.Set("Authorization", "Bearer "+w.secret[who])
	}
	res, err := transport.RoundTrip(r)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	return res.StatusCode, res.Proto, nil
}

func TestCertificatesOpenOnlyTheirNode(t *testing.T) {
	w := newWorld(t)
	dir := authority(t)
	base := w.overTLS(dir)
	for _, c := range []struct {
		node, who, path string
		want            int
	}{
		{"", "", "/v1/whoami", 401},
		{"", "alice", "/v1/whoami", 200},
		{"n1", "", "/v1/whoami", 200},
		{"n1", "", "/v1/nodes/n1/desired", 200},
		{"n1", "", "/v1/nodes/n2/desired", 404},
		{"n2", "", "/v1/nodes/n1/desired", 404},
		{"n1", "", "/v1/jobs", 403},
		{"n1", "alice", "/v1/jobs", 200},               // a token says more than a certificate
		{"n1", "alice", "/v1/nodes/n1/desired", 403},   // and not both at a time
		{"n1", "revoked", "/v1/nodes/n1/desired", 401}, // a bad token is not made good by a certificate
	} {
		status, proto, err := w.get(base+c.path, dir, c.node, c.who)
		if err != nil || status != c.want {
			t.Errorf("certificate %q, token %q, %s: got %d, want %d: %v", c.node, c.who, c.path, status, c.want, err)
		}
		if proto != "HTTP/2.0" {
			t.Errorf("spoke %s", proto)
		}
	}
}

// A certificate that its authority has signed makes a node only if it says so, or
// if the configuration has its name.
func TestOnlyCertificatesOfNodesMakeNodes(t *testing.T) {
	dir := authority(t)
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, api.AuthorityCert), filepath.Join(dir, api.AuthorityKey))
	if err != nil {
		t.Fatal(err)
	}
	sign := func(name string, units ...string) tls.Certificate {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
			SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: name, OrganizationalUnit: units},
			NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		}, pair.Leaf, &key.PublicKey, pair.PrivateKey)
		if err != nil {
			t.Fatal(err)
		}
		return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	}
	for _, c := range []struct {
		name  string
		units []string
		named []string
		want  int
	}{
		{"n1", nil, nil, 401},
		{"n1", []string{"staff"}, nil, 401},
		{"n1", []string{"Libra-Node", "libra-nodes"}, nil, 401},
		{"n1", []string{"staff", "libra-node"}, nil, 200},
		{"n1", nil, []string{"n1"}, 200},
		{"n1", nil, []string{"m*", "n?"}, 200},
		{"n1", nil, []string{"n2", "["}, 401},
		{"not a name", []string{"libra-node"}, []string{"*"}, 401},
	} {
		w := newWorld(t, func(o *api.Options) { o.CertificateNodes = c.named })
		base := w.overTLS(dir)
		shown, err := api.ClientTLS(filepath.Join(dir, api.AuthorityCert), "", "")
		if err != nil {
			t.Fatal(err)
		}
		shown.Certificates = []tls.Certificate{sign(c.name, c.units...)}
		transport := &http.Transport{TLSClientConfig: shown}
		r, err := http.NewRequest("GET", base+"/v1/nodes/n1/desired", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s of %v, %v named: %d", c.name, c.units, c.named, res.StatusCode)
		}
		transport.CloseIdleConnections()
	}
}

// Whoever came over TLS is to come in no other way, but for names that are this
// machine's own.
func TestTLSIsDemandedWhereItIsOn(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		host   string
		secure bool
		want   bool
	}{
		{"market.example:7070", true, true},
		{"market.example", true, true},
		{"192.0.2.1:7070", true, true},
		{"market.example", false, false},
		{"localhost:7070", true, false},
		{"LOCALHOST.", true, false},
		{"127.0.0.1:7070", true, false},
		{"[::1]:7070", true, false},
	} {
		r := httptest.NewRequest("GET", "/healthz", nil)
		r.Host = c.host
		if r.TLS = nil; c.secure {
			r.TLS = &tls.ConnectionState{}
		}
		a := httptest.NewRecorder()
		w.handler.ServeHTTP(a, r)
		if said := a.Header().Get("Strict-Transport-Security") != ""; said != c.want {
			t.Errorf("%s, TLS %v: said %v", c.host, c.secure, said)
		}
	}
}

// A certificate of another authority opens nothing, and a server's is no node's.
func TestOtherCertificatesAreRefused(t *testing.T) {
	w := newWorld(t)
	dir, other := authority(t), authority(t)
	base := w.overTLS(dir)
	if _, _, err := w.get(base+"/healthz", other, "", ""); err == nil {
		t.Error("a client trusts a server of another authority")
	}
	mine, err := api.ClientTLS(filepath.Join(dir, api.AuthorityCert), filepath.Join(other, "node-n1.pem"), filepath.Join(other, "node-n1.key"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := api.ClientTLS(filepath.Join(dir, api.AuthorityCert), filepath.Join(dir, api.ServerCert), filepath.Join(dir, api.ServerKey))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*tls.Config{"of another authority": mine, "of the server": server} {
		transport := &http.Transport{TLSClientConfig: c}
		r, err := http.NewRequest("GET", base+"/v1/whoami", nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := transport.RoundTrip(r)
		if err == nil {
			res.Body.Close()
			if res.StatusCode < 400 {
				t.Errorf("a certificate %s is taken: %d", name, res.StatusCode)
			}
		}
		transport.CloseIdleConnections()
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	w := newWorld(t)
	dir := authority(t)
	base := w.overTLS(dir)
	c, err := api.ClientTLS(filepath.Join(dir, api.AuthorityCert), "", "")
	if err != nil {
		t.Fatal(err)
	}
	c.MinVersion, c.MaxVersion = tls.VersionTLS12, tls.VersionTLS12
	conn, err := tls.Dial("tcp", strings.TrimPrefix(base, "https://"), c)
	if err == nil {
		conn.Close()
		t.Error("TLS 1.2 is taken")
	}
}

func TestKeysAreForTheirOwnerAlone(t *testing.T) {
	dir := authority(t)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 8 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f, ".key") && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", f, info.Mode())
		}
	}
	before, err := os.ReadFile(filepath.Join(dir, api.AuthorityKey))
	if err != nil {
		t.Fatal(err)
	}
	if err := api.MakeAuthority(dir, time.Now()); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(filepath.Join(dir, api.AuthorityKey)); err != nil || string(after) != string(before) {
		t.Errorf("an authority that was there was replaced: %v", err)
	}
	for _, bad := range []string{"", "../n1", "a/b", "-x", "a..b"} {
		if _, _, err := api.MakeNodeCertificate(dir, bad, time.Now()); err == nil {
			t.Errorf("%q is a node", bad)
		}
	}
	if err := api.MakeServerCertificate(t.TempDir(), nil, time.Now()); err == nil {
		t.Error("signed without an authority")
	}
}

// A certificate outlives neither its authority nor a renewal.
func TestRenewedCertificatesAreReadWithoutARestart(t *testing.T) {
	dir := authority(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	now := time.Now()
	c, err := api.ServerTLS(in(api.ServerCert), in(api.ServerKey), "", func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	first := serial(t, c)
	if err := api.MakeServerCertificate(dir, []string{"localhost"}, now); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(in(api.ServerCert), later, later); err != nil {
		t.Fatal(err)
	}
	if serial(t, c) != first {
		t.Error("looked again at once")
	}
	now = now.Add(time.Minute)
	second := serial(t, c)
	if second == first {
		t.Error("the renewed certificate is not used")
	}
	if err := os.WriteFile(in(api.ServerCert), []byte("half of"), 0o644); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	if serial(t, c) != second {
		t.Error("a broken file took the certificate away")
	}
	if _, err := api.ServerTLS(in(api.ServerCert), in(api.ServerKey), "", time.Now); err == nil {
		t.Error("began with a broken file")
	}
	if _, err := api.ClientTLS(in(api.ServerKey), "", ""); !errors.Is(err, api.ErrCertificate) {
		t.Errorf("a key for an authority: %v", err)
	}
}

func serial(t *testing.T, c *tls.Config) string {
	t.Helper()
	pair, err := c.GetCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf.SerialNumber.String()
}

func TestCertificatesEndWithTheirAuthority(t *testing.T) {
	dir := t.TempDir()
	if err := api.MakeAuthority(dir, time.Now().Add(-9*365*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	cert, _, err := api.MakeNodeCertificate(dir, "n1", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ends := func(file string) time.Time {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		block, _ := pem.Decode(text)
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		return c.NotAfter
	}
	if ends(cert).After(ends(filepath.Join(dir, api.AuthorityCert))) {
		t.Error("a certificate outlives its authority")
	}
}
