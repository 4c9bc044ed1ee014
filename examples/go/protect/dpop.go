package protect

import (
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	ageOfProof = time.Minute
	// tolerance is how far the clocks of clients may be off.
	tolerance = 5 * time.Second
	// mostProofs are kept at a time, some 10 MB; when there are more, new ones are refused.
	mostProofs = 100_000
)

// proofs checks that clients have the keys that their access tokens are bound to (DPoP, RFC 9449). Each proof is taken
// once, as far as this process knows.
type proofs struct {
	algorithms []jose.SignatureAlgorithm

	lock  sync.Mutex
	seen  map[digest]bool
	order []keptProof
}

type digest [sha256.Size]byte

type keptProof struct {
	id    digest
	until time.Time
}

// areGood says whether there is one proof: for this request, whose url has no query, for this token, and by its key.
func (p *proofs) areGood(r *http.Request, url, token, thumbprint string) bool {
	sent := r.Header.Values("DPoP")
	if len(sent) != 1 {
		return false
	}
	proof, err := jwt.ParseSigned(sent[0], p.algorithms)
	// A private key in the header is an error.
	if err != nil || len(proof.Headers) != 1 || proof.Headers[0].JSONWebKey == nil {
		return false
	}
	kind, _ := proof.Headers[0].ExtraHeaders[jose.HeaderType].(string)
	key := proof.Headers[0].JSONWebKey
	var said struct {
		Method   string           `json:"htm"`
		URL      string           `json:"htu"`
		Token    string           `json:"ath"`
		ID       string           `json:"jti"`
		IssuedAt *jwt.NumericDate `json:"iat"`
	}
	if !strings.EqualFold(kind, "dpop+jwt") || proof.Claims(key.Key, &said) != nil || said.IssuedAt == nil || said.ID == "" {
		return false
	}
	age := time.Since(said.IssuedAt.Time())
	address, _, _ := strings.Cut(said.URL, "#")
	address, _, _ = strings.Cut(address, "?")
	isOfRequest := said.Method == r.Method && address == url && said.Token == encode(hashOf(token))
	hashed, err := key.Thumbprint(crypto.SHA256)
	isOfKey := err == nil && base64.RawURLEncoding.EncodeToString(hashed) == thumbprint
	isNew := age <= ageOfProof+tolerance && age >= -tolerance
	return isNew && isOfRequest && isOfKey && p.isFirst(hashOf(thumbprint+" "+said.ID))
}

func (p *proofs) isFirst(id digest) bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	now := time.Now()
	for len(p.order) > 0 && !p.order[0].until.After(now) {
		delete(p.seen, p.order[0].id)
		p.order = p.order[1:]
	}
	if p.seen[id] || len(p.order) >= mostProofs {
		return false
	}
	p.seen[id] = true
	// A proof of the near future stays good for as long as its clock was ahead.
	p.order = append(p.order, keptProof{id, now.Add(ageOfProof + 2*tolerance + time.Second)})
	return true
}

func hashOf(text string) digest {
	return sha256.Sum256([]byte(text))
}

func encode(hashed digest) string {
	return base64.RawURLEncoding.EncodeToString(hashed[:])
}
