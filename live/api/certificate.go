package api

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// Files of an authority in its directory, and how long what it signs is good.
const (
	AuthorityCert = "ca.pem"
	AuthorityKey  = "ca.key"
	ServerCert    = "server.pem"
	ServerKey     = "server.key"

	// NodeUnit is the organisational unit of a certificate that makes a node.
	NodeUnit = "libra-node"

	authorityLife   = 10 * 365 * 24 * time.Hour
	certificateLife = 825 * 24 * time.Hour // the most that some clients accept
	backdated       = 5 * time.Minute      // for clocks that are a little behind
)

// MakeAuthority makes an authority of one's own in a directory: the key with
// which certificates are signed, and the certificate by which clients know
// them. An authority that is there already stays.
func MakeAuthority(dir string, now time.Time) error {
	if _, err := os.Stat(filepath.Join(dir, AuthorityCert)); err == nil { // it is written last
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	sheet := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "libra authority", Organization: []string{"libra"}},
		NotAfter:              now.Add(authorityLife),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}
	return sign(dir, AuthorityCert, AuthorityKey, sheet, nil, now)
}

// MakeServerCertificate signs a certificate for a server that is reached under
// the given names and addresses.
func MakeServerCertificate(dir string, hosts []string, now time.Time) error {
	sheet := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "libra server", Organization: []string{"libra"}},
		NotAfter:    now.Add(certificateLife),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			sheet.IPAddresses = append(sheet.IPAddresses, ip)
		} else {
			sheet.DNSNames = append(sheet.DNSNames, h)
		}
	}
	return signed(dir, ServerCert, ServerKey, sheet, now)
}

// MakeNodeCertificate signs a certificate for the agent of a node and returns
// the files of it and of its key.
func MakeNodeCertificate(dir, node string, now time.Time) (cert, key string, err error) {
	if !validNode(node) {
		return "", "", fmt.Errorf("%q is not the name of a node", node)
	}
	sheet := &x509.Certificate{
		Subject:     pkix.Name{CommonName: node, Organization: []string{"libra"}, OrganizationalUnit: []string{NodeUnit}},
		NotAfter:    now.Add(certificateLife),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	cert, key = "node-"+node+".pem", "node-"+node+".key"
	return filepath.Join(dir, cert), filepath.Join(dir, key), signed(dir, cert, key, sheet, now)
}

// nodeOf is the node that a certificate makes of whoever shows it: one that says
// so, or whose name the configuration has. That an authority has signed it is not
// enough: it may sign for people and servers too.
func nodeOf(cert *x509.Certificate, named []string) (string, bool) {
	name := cert.Subject.CommonName
	if !validNode(name) {
		return "", false
	}
	return name, slices.Contains(cert.Subject.OrganizationalUnit, NodeUnit) || slices.ContainsFunc(named, func(pattern string) bool {
		is, err := path.Match(pattern, name)
		return err == nil && is
	})
}

// signed has the authority of the directory sign a sheet.
func signed(dir, cert, key string, sheet *x509.Certificate, now time.Time) error {
	authority, err := tls.LoadX509KeyPair(filepath.Join(dir, AuthorityCert), filepath.Join(dir, AuthorityKey))
	if err != nil {
		return fmt.Errorf("authority in %s: %w", dir, err)
	}
	return sign(dir, cert, key, sheet, &authority, now)
}

// sign draws a key and writes it with its certificate; without an authority
// the sheet signs itself.
func sign(dir, cert, key string, sheet *x509.Certificate, by *tls.Certificate, now time.Time) error {
	var serial [15]byte
	rand.Read(serial[:]) // it never returns an error
	sheet.SerialNumber, sheet.NotBefore = new(big.Int).SetBytes(serial[:]), now.Add(-backdated)
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	parent, signer := sheet, any(private)
	if by != nil {
		parent, signer = by.Leaf, by.PrivateKey
		if sheet.NotAfter.After(parent.NotAfter) {
			sheet.NotAfter = parent.NotAfter
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, sheet, parent, &private.PublicKey, signer)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	// The key first: with it alone nothing can be done, and without it the
	// certificate would look as if it were whole.
	if err := writePEM(filepath.Join(dir, key), 0o600, "PRIVATE KEY", secret); err != nil {
		return err
	}
	return writePEM(filepath.Join(dir, cert), 0o644, "CERTIFICATE", der)
}

// writePEM replaces a file as a whole, so that nobody reads half of one.
func writePEM(file string, mode os.FileMode, kind string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".libra-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // it has another name when all went well
	err = pem.Encode(f, &pem.Block{Type: kind, Bytes: content})
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return os.Rename(f.Name(), file)
}
