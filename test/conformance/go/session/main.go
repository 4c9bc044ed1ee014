// Command session: golang.org/x/oauth2 and go-oidc, unmodified, walk the standard door of a service, once for each way
// in which the library sends a client's secret, among them the one that tries.
package main

import (
	"context"
	"net/url"
	"time"

	"gatehouse.invalid/conformance/user"
	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const redirectURL = "http://127.0.0.1:9/callback"
const afterwards = "http://127.0.0.1:9/bye"

type endpoints struct {
	Registration string `json:"registration_endpoint"`
	EndSession   string `json:"end_session_endpoint"`
}

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, user.Issuer)
	user.Check(err)
	var more endpoints
	user.Check(provider.Claims(&more))
	user.Said("discovery")
	for _, way := range []struct {
		title  string
		method string
		style  oauth2.AuthStyle
	}{
		{"client_secret_basic", "client_secret_basic", oauth2.AuthStyleInHeader},
		{"client_secret_post", "client_secret_post", oauth2.AuthStyleInParams},
		{"client_secret_post, the way found by trying", "client_secret_post", oauth2.AuthStyleAutoDetect},
		{"no method named, the way found by trying", "", oauth2.AuthStyleAutoDetect},
		{"none", "none", oauth2.AuthStyleInParams},
		{"none, the way found by trying", "none", oauth2.AuthStyleAutoDetect},
	} {
		walk(ctx, provider, more, way.title, way.method, way.style)
	}
}

func walk(ctx context.Context, provider *oidc.Provider, more endpoints, title, method string, style oauth2.AuthStyle) {
	metadata := map[string]any{
		"client_name":               "Go " + title,
		"redirect_uris":             []string{redirectURL},
		"post_logout_redirect_uris": []string{afterwards},
		"grant_types":               []string{"authorization_code", "refresh_token"},
	}
	if method != "" {
		metadata["token_endpoint_auth_method"] = method
	}
	client := user.Register(more.Registration, metadata)
	endpoint := provider.Endpoint()
	endpoint.AuthStyle = style
	config := oauth2.Config{
		ClientID:     client.ID,
		ClientSecret: client.Secret,
		Endpoint:     endpoint,
		RedirectURL:  redirectURL,
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	browser := user.NewBrowser()
	verifier := oauth2.GenerateVerifier()
	callback := browser.Visit(config.AuthCodeURL("a state", oidc.Nonce("a nonce"), oauth2.S256ChallengeOption(verifier)), "").Query()
	user.Assert(callback.Get("state") == "a state" && callback.Get("iss") == user.Issuer, "callback %v", callback)
	token, err := config.Exchange(ctx, callback.Get("code"), oauth2.VerifierOption(verifier))
	user.Check(err)

	checks := provider.VerifierContext(ctx, &oidc.Config{ClientID: client.ID})
	raw, _ := token.Extra("id_token").(string)
	idToken, err := checks.Verify(ctx, raw)
	user.Check(err)
	user.Assert(idToken.Nonce == "a nonce", "nonce %q", idToken.Nonce)
	user.Check(idToken.VerifyAccessToken(token.AccessToken))
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	user.Check(err)
	user.Assert(info.Subject == idToken.Subject && info.Email == user.Email, "userinfo %v", info)
	user.Said("%s: registered, signed in, id token and userinfo as they should be", title)

	seen := map[string]bool{token.RefreshToken: true}
	for range 2 {
		token.Expiry = time.Now().Add(-time.Minute)
		token, err = config.TokenSource(ctx, token).Token()
		user.Check(err)
		seen[token.RefreshToken] = true
		raw, _ = token.Extra("id_token").(string)
		again, err := checks.Verify(ctx, raw)
		user.Check(err)
		user.Assert(again.Subject == idToken.Subject, "another subject after a refresh")
	}
	user.Assert(len(seen) == 3, "each refresh gives another token")
	_, err = provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	user.Check(err)
	user.Said("%s: refreshed twice", title)

	again := config.AuthCodeURL("x", oauth2.SetAuthURLParam("prompt", "none"), oauth2.S256ChallengeOption(verifier))
	// A client of open registration has to ask for consent each time.
	user.Assert(browser.Visit(again, "").Query().Get("error") == "consent_required", "the session lives")
	end := url.Values{"id_token_hint": {raw}, "post_logout_redirect_uri": {afterwards}, "state": {"done"}}
	user.Assert(browser.Visit(more.EndSession+"?"+end.Encode(), "").String() == afterwards+"?state=done", "signed out")
	user.Assert(browser.Visit(again, "").Query().Get("error") == "login_required", "the session is over")
	user.Said("%s: signed out", title)
}
