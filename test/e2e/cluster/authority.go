package cluster

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
	"time"
)

// Validity is when a certificate is valid.
type Validity struct{ From, Until time.Time }

// Valid is from an hour ago, for clocks differ, until tomorrow.
func Valid() Validity {
	now := time.Now()
	return Validity{From: now.Add(-time.Hour), Until: now.Add(24 * time.Hour)}
}

// Expired ended an hour ago.
func Expired() Validity {
	now := time.Now()
	return Validity{From: now.Add(-2 * time.Hour), Until: now.Add(-time.Hour)}
}

// authority issues the certificates of one API server and of those who ask it.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// keyPair is a certificate with its key, both in PEM.
type keyPair struct{ certificate, key []byte }

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making the authority's key: %w", err)
	}
	validity := Valid()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "e2e"},
		NotBefore:             validity.From.Add(-24 * time.Hour), // before whatever it signs
		NotAfter:              validity.Until,
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("making the authority's certificate: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("reading the authority's certificate: %w", err)
	}
	return &authority{certificate: certificate, key: key}, nil
}

func (a *authority) pem() []byte { return encode("CERTIFICATE", a.certificate.Raw) }

// client issues the certificate of a user, whose groups are its organizations.
func (a *authority) client(validity Validity, user string, groups ...string) (keyPair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		NotBefore:   validity.From,
		NotAfter:    validity.Until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// server issues the certificate of a server on this machine.
func (a *authority) server(validity Validity) (keyPair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		NotBefore:   validity.From,
		NotAfter:    validity.Until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:    []string{"localhost"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

func (a *authority) issue(template *x509.Certificate) (keyPair, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return keyPair{}, fmt.Errorf("choosing a serial number: %w", err)
	}
	template.SerialNumber = serial
	template.KeyUsage = x509.KeyUsageDigitalSignature
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return keyPair{}, fmt.Errorf("making a key for %q: %w", template.Subject.CommonName, err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return keyPair{}, fmt.Errorf("issuing a certificate for %q: %w", template.Subject.CommonName, err)
	}
	text, err := encodeKey(key)
	return keyPair{certificate: encode("CERTIFICATE", der), key: text}, err
}

func (p keyPair) tls() (tls.Certificate, error) { return tls.X509KeyPair(p.certificate, p.key) }

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("writing a key: %w", err)
	}
	return encode("EC PRIVATE KEY", der), nil // a form that kube-apiserver takes for service accounts, too
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
