// Verifies envelopes as cosign and in-toto's Go tools do: with go-securesystemslib. Reads
// {"key": PEM, "envelopes": [...]} and prints for each envelope "ok" or why it is refused.
package main

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

type verifier struct{ key ed25519.PublicKey }

func (v verifier) Verify(_ context.Context, data, sig []byte) error {
	if ed25519.Verify(v.key, data, sig) {
		return nil
	}
	return errors.New("wrong signature")
}

// The library computes it of the key.
func (v verifier) KeyID() (string, error)   { return "", nil }
func (v verifier) Public() crypto.PublicKey { return v.key }

func main() {
	var input struct {
		Key       string
		Envelopes []string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
		panic(err)
	}
	block, _ := pem.Decode([]byte(input.Key))
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		panic(err)
	}
	check, err := dsse.NewEnvelopeVerifier(verifier{key.(ed25519.PublicKey)})
	if err != nil {
		panic(err)
	}
	for _, text := range input.Envelopes {
		var envelope dsse.Envelope
		err := json.Unmarshal([]byte(text), &envelope)
		if err == nil {
			_, err = check.Verify(context.Background(), &envelope)
		}
		if err == nil {
			fmt.Println("ok")
		} else {
			fmt.Println(err)
		}
	}
}
