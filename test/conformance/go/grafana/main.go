// Command grafana makes the requests of Grafana's generic OAuth with the library that it uses, golang.org/x/oauth2: the
// way in which the secret is sent is found by trying, PKCE is on, who it is comes from the API URL, the role from groups.
package main

import (
	"context"
	"encoding/json"
	"time"

	"gatehouse.invalid/conformance/user"
	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const redirectURL = "http://127.0.0.1:9/login/generic_oauth"

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, user.Issuer)
	user.Check(err)
	var more struct {
		Registration string `json:"registration_endpoint"`
	}
	user.Check(provider.Claims(&more))
	client := user.Register(more.Registration, map[string]any{
		"client_name":   "Grafana",
		"redirect_uris": []string{redirectURL},
		"grant_types":   []string{"authorization_code", "refresh_token"},
	})
	config := oauth2.Config{
		ClientID:     client.ID,
		ClientSecret: client.Secret,
		Endpoint: oauth2.Endpoint{
			AuthURL:   user.Issuer + "/oauth2/authorize",
			TokenURL:  user.Issuer + "/oauth2/token",
			AuthStyle: oauth2.AuthStyleAutoDetect,
		},
		RedirectURL: redirectURL,
		Scopes:      []string{"openid", "profile", "email", "groups", "offline_access"},
	}
	verifier := oauth2.GenerateVerifier()
	start := config.AuthCodeURL("a state", oauth2.AccessTypeOnline, oauth2.S256ChallengeOption(verifier))
	callback := user.NewBrowser().Visit(start, "").Query()
	user.Assert(callback.Get("code") != "", "no code: %v", callback)
	token, err := config.Exchange(ctx, callback.Get("code"), oauth2.VerifierOption(verifier))
	user.Check(err)
	user.Said("signed in with scopes openid profile email groups offline_access")

	for range 2 {
		token.Expiry = time.Now().Add(-time.Minute)
		token, err = config.TokenSource(ctx, token).Token()
		user.Check(err)
	}
	user.Said("refreshed twice (use_refresh_token)")
	answer, err := config.Client(ctx, token).Get(user.Issuer + "/oauth2/userinfo")
	user.Check(err)
	defer answer.Body.Close()
	var info struct {
		Sub    string   `json:"sub"`
		Email  string   `json:"email"`
		Groups []string `json:"groups"`
	}
	user.Check(json.NewDecoder(answer.Body).Decode(&info))
	user.Assert(info.Email == user.Email && len(info.Groups) == 1 && info.Groups[0] == "Everyone", "userinfo %v", info)
	user.Said("api_url says who it is, and in groups the roles")
}
