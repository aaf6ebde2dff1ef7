// A signed request: go run ashlar_request.go METHOD URL [JSON]
//
// Go 1.19 and its standard library. ASHLAR_CREDENTIALS names the credentials file, of an Ed25519 key (docs/signing.md);
// IDEMPOTENCY_KEY repeats an earlier request safely.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

type credentials struct {
	APIKey     string `json:"api_key"`
	KeyID      string `json:"key_id"`
	PrivateKey struct {
		D string `json:"d"`
	} `json:"private_key"`
}

func random() string {
	data := make([]byte, 16)
	if _, err := rand.Read(data); err != nil {
		panic(err)
	}
	return hex.EncodeToString(data)
}

// signedRequest takes a body of JSON, empty for none, and an idempotency key, empty for a new one.
func signedRequest(by credentials, method, url string, body []byte, idempotencyKey string) (*http.Request, error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	seed, err := base64.RawURLEncoding.DecodeString(by.PrivateKey.D)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("private_key is no Ed25519 key")
	}
	if idempotencyKey == "" {
		idempotencyKey = random()
	}
	path := request.URL.EscapedPath()
	if path == "" {
		path = "/"
	}
	covered := [][2]string{
		{"@method", method}, {"@authority", strings.ToLower(request.URL.Host)},
		{"@path", path}, {"@query", "?" + request.URL.RawQuery}, {"idempotency-key", idempotencyKey},
	}
	if len(body) > 0 {
		digest := sha256.Sum256(body)
		covered = append(covered, [2]string{"content-type", "application/json"},
			[2]string{"content-digest", "sha-256=:" + base64.StdEncoding.EncodeToString(digest[:]) + ":"})
	}
	var names []string
	var base strings.Builder
	for _, component := range covered {
		names = append(names, `"`+component[0]+`"`)
		fmt.Fprintf(&base, "\"%s\": %s\n", component[0], component[1])
		if component[0][0] != '@' {
			request.Header.Set(component[0], component[1])
		}
	}
	params := fmt.Sprintf(`(%s);created=%d;keyid="%s";nonce="%s";tag="ashlar"`,
		strings.Join(names, " "), time.Now().Unix(), by.KeyID, random())
	fmt.Fprintf(&base, `"@signature-params": %s`, params)
	signature := ed25519.Sign(ed25519.NewKeyFromSeed(seed), []byte(base.String()))
	request.Header.Set("Signature-Input", "sig="+params)
	request.Header.Set("Signature", "sig=:"+base64.StdEncoding.EncodeToString(signature)+":")
	request.Header.Set("Authorization", "Bearer "+by.APIKey)
	return request, nil
}

func run() error {
	file := os.Getenv("ASHLAR_CREDENTIALS")
	if file == "" {
		file = "data/admin-credentials.json"
	}
	var by credentials
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &by); err != nil {
		return err
	}
	if len(os.Args) < 3 {
		return fmt.Errorf("ashlar_request METHOD URL [JSON]")
	}
	body := []byte(strings.Join(os.Args[3:], ""))
	request, err := signedRequest(by, os.Args[1], os.Args[2], body, os.Getenv("IDEMPOTENCY_KEY"))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(os.Stdout, answer.Body)
	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
