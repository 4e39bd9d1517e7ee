package api

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// ErrCertificate says that a file has no certificate in it.
var ErrCertificate = errors.New("no certificate")

// ServerTLS is TLS 1.3 with the given certificate, which is read again when its
// file changes. With clientCA, agents may show certificates of that authority
// instead of a token; nobody has to.
func ServerTLS(cert, key, clientCA string, now func() time.Time) (*tls.Config, error) {
	k := &keeper{cert: cert, key: key, now: now}
	if _, err := k.get(nil); err != nil {
		return nil, err
	}
	c := &tls.Config{
		MinVersion:     tls.VersionTLS13,
		GetCertificate: k.get,
		NextProtos:     []string{"h2", "http/1.1"},
	}
	if clientCA != "" {
		pool, err := readPool(clientCA)
		if err != nil {
			return nil, err
		}
		c.ClientCAs, c.ClientAuth = pool, tls.VerifyClientCertIfGiven
	}
	return c, nil
}

// ClientTLS is TLS 1.3 that trusts the given authority alone ("": those of the
// system), and shows a certificate if one is given.
func ClientTLS(ca, cert, key string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS13}
	if ca != "" {
		pool, err := readPool(ca)
		if err != nil {
			return nil, err
		}
		c.RootCAs = pool
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("certificate %s: %w", cert, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// DemandTLS tells a browser that came over TLS to come in no other way from now
// on. It holds for a name and all its ports, so it is not said where the name is
// this machine's for itself: others who listen there may have no TLS.
func DemandTLS(w http.ResponseWriter, r *http.Request) {
	if r.TLS == nil {
		return
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host = strings.TrimSuffix(strings.ToLower(host), "."); host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); ip != nil && ip.IsLoopback() {
		return
	}
	w.Header()["Strict-Transport-Security"] = onlyTLS
}

var onlyTLS = []string{"max-age=31536000"}

func readPool(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%w in %s", ErrCertificate, file)
	}
	return pool, nil
}

// keeper holds a certificate and looks from time to time whether there is a new
// one, so that renewing it needs no restart.
type keeper struct {
	cert, key string
	now       func() time.Time

	mu     sync.Mutex
	pair   *tls.Certificate
	stamp  time.Time // of the files
	looked time.Time
}

const lookAgain = 10 * time.Second

func (k *keeper) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if k.pair != nil && now.Sub(k.looked) < lookAgain {
		return k.pair, nil
	}
	k.looked = now
	stamp, err := newest(k.cert, k.key)
	if err == nil && k.pair != nil && stamp.Equal(k.stamp) {
		return k.pair, nil
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = tls.LoadX509KeyPair(k.cert, k.key)
	}
	switch {
	case err == nil:
		k.pair, k.stamp = &pair, stamp
	case k.pair == nil:
		return nil, fmt.Errorf("certificate %s: %w", k.cert, err)
	}
	// Half-written files are read again at the next look; the old pair is good
	// until then.
	return k.pair, nil
}

func newest(files ...string) (time.Time, error) {
	var last time.Time
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			return last, err
		}
		if info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last, nil
}
