// Package user does what a user does in a browser: plain requests, a cookie jar, the forms of the hosted pages.
package user

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
)

// Issuer is the account under test; Email is who signs in.
var (
	Issuer   = os.Getenv("GATEHOUSE_ISSUER")
	Email    = os.Getenv("GATEHOUSE_EMAIL")
	password = os.Getenv("GATEHOUSE_PASSWORD")
)

var (
	input  = regexp.MustCompile(`<input\b[^>]*>`)
	name   = regexp.MustCompile(`\bname="([^"]*)"`)
	value  = regexp.MustCompile(`\bvalue="([^"]*)"`)
	action = regexp.MustCompile(`<form\b[^>]*\baction="([^"]*)"`)
)

// Browser is one browser, with its cookies.
type Browser struct{ http *http.Client }

// NewBrowser follows no redirect by itself.
func NewBrowser() *Browser {
	jar, err := cookiejar.New(nil)
	Check(err)
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Browser{&http.Client{Jar: jar, CheckRedirect: stay}}
}

// Visit goes to an address, signs in and consents where a page asks, and answers the address outside of the service and
// of `through` that it ends at; `through` is the origin of an application under test, or empty.
func (b *Browser) Visit(start, through string) *url.URL {
	answer, err := b.http.Get(start)
	for range 30 {
		Check(err)
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		at := answer.Request.URL
		if location := answer.Header.Get("Location"); location != "" {
			next, err2 := at.Parse(location)
			Check(err2)
			if !strings.HasPrefix(next.String(), Issuer+"/") && (through == "" || !strings.HasPrefix(next.String(), through+"/")) {
				return next
			}
			answer, err = b.http.Get(next.String())
			continue
		}
		Assert(answer.StatusCode == 200, "%d at %s: %s", answer.StatusCode, at, body)
		if through != "" && strings.HasPrefix(at.String(), through+"/") {
			at.Fragment = string(body)
			return at
		}
		answer, err = b.submit(at, string(body))
	}
	Assert(false, "too many pages")
	return nil
}

func (b *Browser) submit(at *url.URL, page string) (*http.Response, error) {
	fields := url.Values{}
	for _, tag := range input.FindAllString(page, -1) {
		if n := name.FindStringSubmatch(tag); n != nil {
			fields.Set(n[1], "")
			if v := value.FindStringSubmatch(tag); v != nil {
				fields.Set(n[1], html.UnescapeString(v[1]))
			}
		}
	}
	if fields.Has("password") {
		fields.Set("username", Email)
		fields.Set("password", password)
	} else {
		Assert(strings.Contains(page, `value="allow"`), "no page that is known: %s", page)
		fields.Set("decision", "allow")
	}
	to, err := at.Parse(html.UnescapeString(action.FindStringSubmatch(page)[1]))
	Check(err)
	return b.http.PostForm(to.String(), fields)
}

// Client is what registration answers.
type Client struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

// Register makes a client (RFC 7591).
func Register(endpoint string, metadata map[string]any) Client {
	body, err := json.Marshal(metadata)
	Check(err)
	answer, err := http.Post(endpoint, "application/json", bytes.NewReader(body))
	Check(err)
	defer answer.Body.Close()
	Assert(answer.StatusCode == 201, "registration answers %d", answer.StatusCode)
	var client Client
	Check(json.NewDecoder(answer.Body).Decode(&client))
	return client
}

// Assert ends the program with a word on what is wrong.
func Assert(holds bool, format string, args ...any) {
	if !holds {
		fmt.Printf("  WRONG  "+format+"\n", args...)
		os.Exit(1)
	}
}

// Check ends the program at an error.
func Check(err error) {
	Assert(err == nil, "%v", err)
}

// Said tells what was proven.
func Said(format string, args ...any) {
	fmt.Printf("  ok  "+format+"\n", args...)
}
