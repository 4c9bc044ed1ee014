// Command web is an application of net/http with go-oidc and golang.org/x/oauth2.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"gatehouse.invalid/conformance/user"
	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

type session struct {
	state, nonce, verifier string
	token                  *oauth2.Token
	idToken, email         string
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	user.Check(err)
	origin := "http://" + listener.Addr().String()
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, user.Issuer)
	user.Check(err)
	var more struct {
		Registration string `json:"registration_endpoint"`
		EndSession   string `json:"end_session_endpoint"`
	}
	user.Check(provider.Claims(&more))
	client := user.Register(more.Registration, map[string]any{
		"client_name":               "net/http",
		"redirect_uris":             []string{origin + "/callback"},
		"post_logout_redirect_uris": []string{origin + "/"},
		"grant_types":               []string{"authorization_code", "refresh_token"},
	})
	config := oauth2.Config{
		ClientID:     client.ID,
		ClientSecret: client.Secret,
		Endpoint:     provider.Endpoint(),
		RedirectURL:  origin + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	verifier := provider.VerifierContext(ctx, &oidc.Config{ClientID: client.ID})

	var mutex sync.Mutex
	sessions := map[string]*session{}
	of := func(request *http.Request) *session {
		cookie, err := request.Cookie("session")
		if err != nil {
			return nil
		}
		mutex.Lock()
		defer mutex.Unlock()
		return sessions[cookie.Value]
	}
	http.HandleFunc("/login", func(response http.ResponseWriter, request *http.Request) {
		id := oauth2.GenerateVerifier()
		begun := &session{state: oauth2.GenerateVerifier(), nonce: oauth2.GenerateVerifier(), verifier: oauth2.GenerateVerifier()}
		mutex.Lock()
		sessions[id] = begun
		mutex.Unlock()
		http.SetCookie(response, &http.Cookie{Name: "session", Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
		to := config.AuthCodeURL(begun.state, oidc.Nonce(begun.nonce), oauth2.S256ChallengeOption(begun.verifier))
		http.Redirect(response, request, to, http.StatusFound)
	})
	http.HandleFunc("/callback", func(response http.ResponseWriter, request *http.Request) {
		begun, query := of(request), request.URL.Query()
		if begun == nil || query.Get("state") != begun.state || query.Get("iss") != user.Issuer {
			http.Error(response, "not what was asked for", http.StatusBadRequest)
			return
		}
		token, err := config.Exchange(request.Context(), query.Get("code"), oauth2.VerifierOption(begun.verifier))
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadGateway)
			return
		}
		begun.idToken, _ = token.Extra("id_token").(string)
		idToken, err := verifier.Verify(request.Context(), begun.idToken)
		if err != nil || idToken.Nonce != begun.nonce {
			http.Error(response, fmt.Sprint("id token: ", err), http.StatusBadGateway)
			return
		}
		var claims struct{ Email string }
		user.Check(idToken.Claims(&claims))
		begun.token, begun.email = token, claims.Email
		http.Redirect(response, request, "/", http.StatusFound)
	})
	http.HandleFunc("/refresh", func(_ http.ResponseWriter, request *http.Request) {
		known := of(request)
		known.token.Expiry = time.Now().Add(-time.Minute)
		token, err := config.TokenSource(request.Context(), known.token).Token()
		user.Check(err)
		known.token = token
	})
	http.HandleFunc("/logout", func(response http.ResponseWriter, request *http.Request) {
		known := of(request)
		cookie, _ := request.Cookie("session")
		mutex.Lock()
		delete(sessions, cookie.Value)
		mutex.Unlock()
		query := url.Values{"id_token_hint": {known.idToken}, "post_logout_redirect_uri": {origin + "/"}}
		http.Redirect(response, request, more.EndSession+"?"+query.Encode(), http.StatusFound)
	})
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		if known := of(request); known != nil {
			fmt.Fprint(response, known.email)
		}
	})
	go func() { _ = http.Serve(listener, nil) }()

	browser := user.NewBrowser()
	user.Assert(browser.Visit(origin+"/login", origin).Fragment == user.Email, "signed in")
	user.Said("signed in: state, iss, nonce, PKCE and id token checked")
	for range 2 {
		user.Assert(browser.Visit(origin+"/refresh", origin).Fragment == "", "refreshed")
	}
	user.Said("refreshed twice")
	user.Assert(browser.Visit(origin+"/logout", origin).Fragment == "", "signed out")
	user.Said("signed out by RP-initiated logout")
}
