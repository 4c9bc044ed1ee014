// Package protect protects an API with the access tokens of Gatehouse. All it needs to know is where the service answers
// the API's metadata (gatehouse api set <id> resource_metadata=on):
//
//	api, err := protect.New(ctx, "https://acme.id.example.com/oauth2/resource_metadata/1")
//	mux.Handle(api.WellKnown, api.Metadata())
//	mux.Handle("GET /orders", api.Needs(orders, "orders:read"))
//
// JWTs are checked here (RFC 9068), by the keys that the service publishes. With a Client, each token is shown to the
// service instead (RFC 7662), which knows of a revocation at once. Tokens that are bound to a key need a proof with each
// request (RFC 9449).
package protect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Claims are what a token says.
type Claims struct {
	Subject  string `json:"sub"`
	ClientID string `json:"client_id"`
	Scope    string `json:"scope"`
	// Bound is nil for a token that is bound to nothing.
	Bound *Confirmation `json:"cnf"`
}

// Confirmation is what a token is bound to: the key with this thumbprint, or something else, such as a certificate.
type Confirmation struct {
	Key string `json:"jkt"`
}

// Client is a client of the account, which may ask about tokens.
type Client struct{ ID, Secret string }

// API is the API that is protected.
type API struct {
	// WellKnown is the path where clients look that know only the API's address (RFC 9728 section 3.1).
	WellKnown string
	// Client makes the API ask the service about each token.
	Client *Client

	resource, origin, issuer, metadataURL, introspection string
	metadata                                             json.RawMessage
	verifier                                             *oidc.IDTokenVerifier
	proofs                                               *proofs
	needsProofs                                          bool
}

// errToken says that a token is good for nothing here.
var errToken = errors.New("the token is invalid")

var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256}

var calls = &http.Client{Timeout: 5 * time.Second}

// New reads the metadata of the API and of its issuer.
func New(ctx context.Context, metadataURL string) (*API, error) {
	api := &API{}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, metadataURL, nil)
	if err != nil {
		return nil, err
	}
	if err := readJSON(request, &api.metadata); err != nil {
		return nil, err
	}
	var described struct {
		Resource    string                    `json:"resource"`
		Issuers     []string                  `json:"authorization_servers"`
		ProofAlgs   []jose.SignatureAlgorithm `json:"dpop_signing_alg_values_supported"`
		NeedsProofs bool                      `json:"dpop_bound_access_tokens_required"`
	}
	if err := json.Unmarshal(api.metadata, &described); err != nil || len(described.Issuers) == 0 {
		return nil, fmt.Errorf("%s is no metadata of an API", metadataURL)
	}
	api.resource, api.issuer = described.Resource, described.Issuers[0]
	api.proofs = &proofs{algorithms: described.ProofAlgs, seen: map[digest]bool{}}
	api.needsProofs = described.NeedsProofs
	asking := &http.Client{Timeout: calls.Timeout, Transport: &paused{last: map[string]answered{}}}
	provider, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), asking), api.issuer)
	if err != nil {
		return nil, err
	}
	var server struct {
		Introspection string `json:"introspection_endpoint"`
	}
	if err := provider.Claims(&server); err != nil {
		return nil, err
	}
	api.introspection = server.Introspection
	api.verifier = provider.Verifier(&oidc.Config{ClientID: api.resource, SupportedSigningAlgs: namesOf(algorithms)})
	address, err := url.Parse(api.resource)
	if err != nil {
		return nil, err
	}
	api.WellKnown = "/.well-known/oauth-protected-resource" + strings.TrimSuffix(address.Path, "/")
	api.origin = address.Scheme + "://" + address.Host
	api.metadataURL = api.origin + api.WellKnown
	return api, nil
}

// Metadata answers the metadata of the API.
func (api *API) Metadata() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(api.metadata)
	})
}

type key struct{}

// ClaimsOf answers what the token of a request says that Needs let through.
func ClaimsOf(r *http.Request) *Claims {
	return r.Context().Value(key{}).(*Claims)
}

// Needs lets a request through whose token has all these scopes.
func (api *API) Needs(next http.Handler, scopes ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		isBound := strings.EqualFold(scheme, "DPoP")
		refuse := func(status int, code, description string, scopes []string) {
			api.refuse(w, isBound || api.needsProofs, status, code, description, scopes)
		}
		if !isBound && !strings.EqualFold(scheme, "Bearer") || token == "" {
			refuse(http.StatusUnauthorized, "", "a token is needed", scopes)
			return
		}
		claims, err := api.read(r.Context(), token)
		if err != nil && !errors.Is(err, errToken) {
			log.Printf("the service cannot be asked: %v", err)
			http.Error(w, "tokens cannot be checked", http.StatusServiceUnavailable)
			return
		}
		if err != nil {
			refuse(http.StatusUnauthorized, "invalid_token", errToken.Error(), scopes)
			return
		}
		// A token that is bound to a key, or to a certificate, is worth nothing without it (RFC 9449 section 7.1, RFC 8705
		// section 3).
		if isBound && (claims.Bound == nil || claims.Bound.Key == "") || !isBound && claims.Bound != nil {
			refuse(http.StatusUnauthorized, "invalid_token", "the scheme is not that of the token", scopes)
			return
		}
		if isBound && !api.proofs.areGood(r, api.origin+r.URL.EscapedPath(), token, claims.Bound.Key) {
			description := "the proof is not for this request and token, or was used"
			refuse(http.StatusUnauthorized, "invalid_dpop_proof", description, scopes)
			return
		}
		granted := strings.Fields(claims.Scope)
		for _, scope := range scopes {
			if !slices.Contains(granted, scope) {
				// The client asks for these next, and is not to lose what it has.
				refuse(http.StatusForbidden, "insufficient_scope", "more scopes are needed", union(granted, scopes))
				return
			}
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, claims)))
	})
}

func (api *API) read(ctx context.Context, token string) (*Claims, error) {
	if api.Client != nil {
		return api.introspect(ctx, token)
	}
	parsed, err := jwt.ParseSigned(token, algorithms)
	if err != nil || len(parsed.Headers) != 1 {
		return nil, errToken
	}
	kind, _ := parsed.Headers[0].ExtraHeaders[jose.HeaderType].(string)
	if strings.TrimPrefix(strings.ToLower(kind), "application/") != "at+jwt" {
		return nil, errToken
	}
	// Signature, issuer, audience, and end.
	verified, err := api.verifier.Verify(ctx, token)
	if err != nil {
		if strings.Contains(err.Error(), "fetching keys") {
			return nil, err
		}
		return nil, errToken
	}
	claims := &Claims{}
	if verified.Claims(claims) != nil || claims.Subject == "" || claims.ClientID == "" {
		return nil, errToken
	}
	return claims, nil
}

func (api *API) introspect(ctx context.Context, token string) (*Claims, error) {
	form := strings.NewReader(url.Values{"token": {token}}.Encode())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, api.introspection, form)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	// RFC 6749 section 2.3.1; a space is %20 in both encodings' readers.
	escaped := func(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
	request.SetBasicAuth(escaped(api.Client.ID), escaped(api.Client.Secret))
	var answer struct {
		Claims
		Active   bool     `json:"active"`
		Issuer   string   `json:"iss"`
		Audience audience `json:"aud"`
	}
	if err := readJSON(request, &answer); err != nil {
		return nil, err
	}
	if !answer.Active || answer.Issuer != api.issuer || !slices.Contains(answer.Audience, api.resource) {
		return nil, errToken
	}
	return &answer.Claims, nil
}

func (api *API) refuse(w http.ResponseWriter, withProof bool, status int, code, description string, scopes []string) {
	told := "Bearer "
	if withProof {
		told = fmt.Sprintf("DPoP algs=%q, ", strings.Join(namesOf(api.proofs.algorithms), " "))
	}
	if code != "" {
		told += fmt.Sprintf("error=%q, error_description=%q, ", code, description)
	}
	if len(scopes) > 0 {
		told += fmt.Sprintf("scope=%q, ", strings.Join(scopes, " "))
	}
	w.Header().Set("WWW-Authenticate", told+fmt.Sprintf("resource_metadata=%q", api.metadataURL))
	http.Error(w, description, status)
}

// audience is one text or several.
type audience []string

func (a *audience) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(a))
}

func namesOf(algorithms []jose.SignatureAlgorithm) []string {
	names := make([]string, len(algorithms))
	for place, algorithm := range algorithms {
		names[place] = string(algorithm)
	}
	return names
}

func union(one, other []string) []string {
	all := slices.Clone(one)
	for _, scope := range other {
		if !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

func readJSON(request *http.Request, into any) error {
	answer, err := calls.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", request.URL, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
