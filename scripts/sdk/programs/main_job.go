// The main job with the clients that openapi-generator writes for Go: a token, a user, a client assigned to the user, a
// sign-in, a refresh, all users by cursor, a hook, and an error of each surface by its type.
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"

	"golang.org/x/oauth2"

	"gatehouse/sdk/api2"
	"gatehouse/sdk/auth2"
	signin "gatehouse/sdk/oauth2"
	"gatehouse/sdk/oidc2"
)

const callback = "https://portal.example.com/callback"

// must ends the program when a call failed.
func must[Value any](value Value, _ *http.Response, err error) Value {
	if err != nil {
		log.Panic(err)
	}
	return value
}

func expect(holds bool, what string) {
	if !holds {
		log.Panic(what)
	}
}

// modelOf is the body of the error that a client returned.
func modelOf[Failure interface {
	error
	Model() any
}](err error) any {
	var failure Failure
	expect(errors.As(err, &failure), fmt.Sprint("no error of the client: ", err))
	return failure.Model()
}

func main() {
	base := os.Getenv("GATEHOUSE_URL")
	pairs := auth2.NewAPIClient(auth2.NewConfiguration())
	management := api2.NewAPIClient(api2.NewConfiguration())
	documented := oidc2.NewAPIClient(oidc2.NewConfiguration())
	standard := signin.NewAPIClient(signin.NewConfiguration())
	pairs.GetConfig().Servers = auth2.ServerConfigurations{{URL: base}}
	management.GetConfig().Servers = api2.ServerConfigurations{{URL: base}}
	documented.GetConfig().Servers = oidc2.ServerConfigurations{{URL: base}}
	standard.GetConfig().Servers = signin.ServerConfigurations{{URL: base}}
	ctx := context.Background()

	var pair auth2.TokenRequest
	pair.SetGrantType("client_credentials")
	pair.SetClientId(os.Getenv("GATEHOUSE_CLIENT_ID"))
	pair.SetClientSecret(os.Getenv("GATEHOUSE_CLIENT_SECRET"))
	issue := pairs.CredentialTokensAPI.IssueCredentialToken(ctx)
	token := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: must(issue.TokenRequest(pair).Execute()).AccessToken})
	managing := context.WithValue(ctx, api2.ContextOAuth2, token)

	email, password := rand.Text()+"@example.com", rand.Text()
	var input api2.UserInput
	input.SetEmail(email)
	input.SetPassword(password)
	input.SetLastname("Hopper")
	user := must(management.UsersAPI.CreateUser(managing).UserInput(input).Execute())
	var metadata oidc2.ClientMetadata
	metadata.SetClientName("Portal")
	metadata.SetRedirectUris([]string{callback})
	metadata.SetTokenEndpointAuthMethod("client_secret_post")
	registering := context.WithValue(ctx, oidc2.ContextOAuth2, token)
	client := must(documented.RegistrationAPI.RegisterClient(registering).ClientMetadata(metadata).Execute())
	must(management.AppsAPI.AddAppUsers(managing, client.AppId).RequestBody([]int32{user.Id}).Execute())

	verifier := rand.Text() + rand.Text()
	challenge := sha256.Sum256([]byte(verifier))
	asked := url.Values{
		"response_type":         {"code"},
		"scope":                 {"openid"},
		"client_id":             {client.ClientId},
		"redirect_uri":          {callback},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(challenge[:])},
		"code_challenge_method": {"S256"},
	}
	address := base + "/oauth2/authorize?" + asked.Encode()
	said, err := exec.Command(os.Getenv("GATEHOUSE_BROWSER"), address, email, password).Output()
	expect(err == nil, "the browser failed")
	back, err := url.Parse(string(said))
	expect(err == nil, "the browser came back to no address")
	redeem := standard.TokensAPI.IssueToken(ctx).GrantType("authorization_code").Code(back.Query().Get("code")).
		RedirectUri(callback).CodeVerifier(verifier).ClientId(client.ClientId).ClientSecret(client.GetClientSecret())
	first := must(redeem.Execute())
	refresh := documented.TokensAPI.RefreshToken(ctx).GrantType("refresh_token").
		ClientId(client.ClientId).ClientSecret(client.GetClientSecret())
	second := must(refresh.RefreshToken(first.GetRefreshToken()).Execute())
	expect(second.GetRefreshToken() != first.GetRefreshToken(), "the refresh token was not replaced")

	var listed []int32
	for list := management.UsersAPI.ListUsers(managing).Limit(1); ; {
		page, answer, err := list.Execute()
		for _, one := range must(page, answer, err) {
			listed = append(listed, one.GetId())
		}
		cursor := answer.Header.Get("After-Cursor")
		if cursor == "" {
			break
		}
		list = management.UsersAPI.ListUsers(managing).Cursor(cursor)
	}
	expect(slices.Contains(listed, user.Id), "the user is on no page")

	source := base64.StdEncoding.EncodeToString([]byte("exports.handler = async () => null;"))
	hook := *api2.NewHookInput(api2.PRE_AUTHENTICATION, source)
	made := must(management.SmartHooksAPI.CreateHook(managing).HookInput(hook).Execute())
	trial := map[string]any{"user": map[string]any{"user_identifier": email}, "app": map[string]any{"name": "Portal"}}
	tried := must(management.SmartHooksAPI.TestHook(managing, made.Id).Body(trial).Execute())
	expect(tried.Outcome == api2.SUCCESS, "the trial of the hook failed")
	_, err = management.SmartHooksAPI.DeleteHook(managing, made.Id).Execute()
	expect(err == nil, "the hook was not deleted")

	_, _, err = management.UsersAPI.ReadUser(managing, 2147483647).Execute()
	missing, ok := modelOf[*api2.GenericOpenAPIError](err).(api2.ManagementError)
	expect(ok && missing.Name == "NotFoundError", "an unknown user should be a ManagementError")
	pair.SetClientSecret("wrong")
	_, _, err = issue.TokenRequest(pair).Execute()
	wrong, ok := modelOf[*auth2.GenericOpenAPIError](err).(auth2.ErrorAnswer)
	expect(ok && wrong.Status.Error, "a wrong secret should be an ErrorAnswer")
	_, _, err = redeem.Execute()
	used, ok := modelOf[*signin.GenericOpenAPIError](err).(signin.TokenError)
	expect(ok && used.Error == "invalid_grant", "a used code should be a TokenError")
	_, _, err = refresh.RefreshToken("unknown").Execute()
	refusal, ok := modelOf[*oidc2.GenericOpenAPIError](err).(oidc2.TokenRefusal)
	expect(ok && refusal.ErrorDescription != "", "an unknown refresh token should be a TokenRefusal")
}
