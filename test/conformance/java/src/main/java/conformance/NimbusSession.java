package conformance;

import static conformance.User.require;
import static conformance.User.said;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWT;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.AuthorizationGrant;
import com.nimbusds.oauth2.sdk.GrantType;
import com.nimbusds.oauth2.sdk.RefreshTokenGrant;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenIntrospectionRequest;
import com.nimbusds.oauth2.sdk.TokenIntrospectionResponse;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenRevocationRequest;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.ClientAuthenticationMethod;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.ClientSecretPost;
import com.nimbusds.oauth2.sdk.auth.PrivateKeyJWT;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.oauth2.sdk.token.AccessToken;
import com.nimbusds.oauth2.sdk.token.RefreshToken;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.nimbusds.openid.connect.sdk.AuthenticationResponse;
import com.nimbusds.openid.connect.sdk.AuthenticationResponseParser;
import com.nimbusds.openid.connect.sdk.LogoutRequest;
import com.nimbusds.openid.connect.sdk.Nonce;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import com.nimbusds.openid.connect.sdk.Prompt;
import com.nimbusds.openid.connect.sdk.UserInfoRequest;
import com.nimbusds.openid.connect.sdk.UserInfoResponse;
import com.nimbusds.openid.connect.sdk.claims.UserInfo;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientInformation;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientInformationResponse;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientMetadata;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientRegistrationRequest;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientRegistrationResponseParser;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import java.net.URI;
import java.util.HashSet;
import java.util.Set;

/** The Nimbus OAuth 2.0 SDK, unmodified, walks the standard door once for each way a client authenticates. */
public final class NimbusSession {
  private static final URI CALLBACK = URI.create("http://127.0.0.1:9/callback");
  private static final URI AFTERWARDS = URI.create("http://127.0.0.1:9/bye");

  private final OIDCProviderMetadata server;
  private final ClientAuthenticationMethod method;
  private final RSAKey key = new RSAKeyGenerator(2048).keyUse(KeyUse.SIGNATURE).algorithm(JWSAlgorithm.RS256).keyIDFromThumbprint(true).generate();
  private final OIDCClientInformation client;
  private final IDTokenValidator validator;
  private final User user = new User();

  private NimbusSession(OIDCProviderMetadata server, ClientAuthenticationMethod method) throws Exception {
    this.server = server;
    this.method = method;
    this.client = register();
    this.validator = new IDTokenValidator(server.getIssuer(), client.getID(), JWSAlgorithm.RS256, server.getJWKSetURI().toURL());
  }

  public static void main(String[] args) throws Exception {
    OIDCProviderMetadata server = OIDCProviderMetadata.resolve(new Issuer(User.ISSUER));
    said("discovery");
    for (ClientAuthenticationMethod method :
        new ClientAuthenticationMethod[] {
          ClientAuthenticationMethod.CLIENT_SECRET_BASIC,
          ClientAuthenticationMethod.CLIENT_SECRET_POST,
          ClientAuthenticationMethod.NONE,
          ClientAuthenticationMethod.PRIVATE_KEY_JWT
        }) {
      new NimbusSession(server, method).walk();
    }
  }

  private OIDCClientInformation register() throws Exception {
    OIDCClientMetadata metadata = new OIDCClientMetadata();
    metadata.setName("Nimbus " + method);
    metadata.setRedirectionURI(CALLBACK);
    metadata.setPostLogoutRedirectionURIs(Set.of(AFTERWARDS));
    metadata.setGrantTypes(Set.of(GrantType.AUTHORIZATION_CODE, GrantType.REFRESH_TOKEN));
    metadata.setTokenEndpointAuthMethod(method);
    if (method.equals(ClientAuthenticationMethod.PRIVATE_KEY_JWT)) {
      metadata.setJWKSet(new JWKSet(key.toPublicJWK()));
    }
    var request = new OIDCClientRegistrationRequest(server.getRegistrationEndpointURI(), metadata, null);
    var response = OIDCClientRegistrationResponseParser.parse(request.toHTTPRequest().send());
    require(response.indicatesSuccess(), "registration: " + response.toHTTPResponse().getBody());
    return ((OIDCClientInformationResponse) response).getOIDCClientInformation();
  }

  private ClientAuthentication authentication() throws Exception {
    ClientID id = client.getID();
    if (method.equals(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)) {
      return new ClientSecretBasic(id, client.getSecret());
    }
    if (method.equals(ClientAuthenticationMethod.CLIENT_SECRET_POST)) {
      return new ClientSecretPost(id, client.getSecret());
    }
    URI audience = URI.create(server.getIssuer().getValue());
    return new PrivateKeyJWT(id, audience, JWSAlgorithm.RS256, key.toPrivateKey(), key.getKeyID(), null);
  }

  private boolean isPublic() {
    return method.equals(ClientAuthenticationMethod.NONE);
  }

  private OIDCTokenResponse tokens(AuthorizationGrant grant) throws Exception {
    URI endpoint = server.getTokenEndpointURI();
    TokenRequest request =
        isPublic() ? new TokenRequest(endpoint, client.getID(), grant) : new TokenRequest(endpoint, authentication(), grant);
    var response = OIDCTokenResponseParser.parse(request.toHTTPRequest().send());
    require(response.indicatesSuccess(), "tokens: " + response.toHTTPResponse().getBody());
    return (OIDCTokenResponse) response;
  }

  private AuthenticationRequest.Builder ask(State state) {
    var scope = new Scope("openid", "profile", "email");
    return new AuthenticationRequest.Builder(ResponseType.CODE, scope, client.getID(), CALLBACK)
        .endpointURI(server.getAuthorizationEndpointURI())
        .state(state);
  }

  private AuthenticationResponse visit(AuthenticationRequest request) throws Exception {
    AuthenticationResponse response = AuthenticationResponseParser.parse(user.visit(request.toURI()));
    require(request.getState().equals(response.getState()), "state");
    require(server.getIssuer().equals(response.getIssuer()), "RFC 9207");
    return response;
  }

  private UserInfo userInfo(AccessToken token) throws Exception {
    var request = new UserInfoRequest(server.getUserInfoEndpointURI(), token);
    var response = UserInfoResponse.parse(request.toHTTPRequest().send());
    require(response.indicatesSuccess(), "userinfo: " + response.toHTTPResponse().getBody());
    return response.toSuccessResponse().getUserInfo();
  }

  private boolean isActive(AccessToken token) throws Exception {
    var request = new TokenIntrospectionRequest(server.getIntrospectionEndpointURI(), authentication(), token);
    var response = TokenIntrospectionResponse.parse(request.toHTTPRequest().send());
    require(response.indicatesSuccess(), "introspection: " + response.toHTTPResponse().getBody());
    return response.toSuccessResponse().isActive();
  }

  private void walk() throws Exception {
    CodeVerifier verifier = new CodeVerifier();
    Nonce nonce = new Nonce();
    AuthenticationRequest request = ask(new State()).nonce(nonce).codeChallenge(verifier, CodeChallengeMethod.S256).build();
    AuthenticationResponse response = visit(request);
    require(response.indicatesSuccess(), "authorization refused");
    var code = response.toSuccessResponse().getAuthorizationCode();
    OIDCTokenResponse first = tokens(new AuthorizationCodeGrant(code, CALLBACK, verifier));
    JWT idToken = first.getOIDCTokens().getIDToken();
    var claims = validator.validate(idToken, nonce);
    UserInfo info = userInfo(first.getTokens().getAccessToken());
    require(info.getSubject().equals(claims.getSubject()) && User.EMAIL.equals(info.getEmailAddress()), "userinfo");
    said(method + ": registered, signed in, id token and userinfo as they should be");

    Set<RefreshToken> seen = new HashSet<>(Set.of(first.getTokens().getRefreshToken()));
    OIDCTokenResponse last = first;
    for (int round = 0; round < 2; round += 1) {
      last = tokens(new RefreshTokenGrant(last.getTokens().getRefreshToken()));
      seen.add(last.getTokens().getRefreshToken());
      var again = validator.validate(last.getOIDCTokens().getIDToken(), null);
      require(again.getSubject().equals(claims.getSubject()), "another subject after a refresh");
    }
    require(seen.size() == 3, "each refresh gives another token");
    AccessToken token = last.getTokens().getAccessToken();
    require(userInfo(token).getSubject().equals(claims.getSubject()), "userinfo after a refresh");
    said(method + ": refreshed twice");

    if (!isPublic()) {
      require(isActive(token), "introspection");
    }
    URI endpoint = server.getRevocationEndpointURI();
    RefreshToken over = last.getTokens().getRefreshToken();
    TokenRevocationRequest end =
        isPublic() ? new TokenRevocationRequest(endpoint, client.getID(), over) : new TokenRevocationRequest(endpoint, authentication(), over);
    require(end.toHTTPRequest().send().getStatusCode() == 200, "revocation");
    if (!isPublic()) {
      require(!isActive(token), "the grant ends with its refresh token");
    }
    said(method + ": introspected and revoked");
    signOut(idToken);
  }

  private void signOut(JWT idToken) throws Exception {
    CodeVerifier verifier = new CodeVerifier();
    AuthenticationRequest quietly =
        ask(new State()).codeChallenge(verifier, CodeChallengeMethod.S256).prompt(Prompt.Type.NONE).build();
    // A client of open registration has to ask for consent each time.
    String lives = visit(quietly).toErrorResponse().getErrorObject().getCode();
    require(lives.equals("consent_required"), "the session lives");
    URI end = new LogoutRequest(server.getEndSessionEndpointURI(), idToken, AFTERWARDS, new State("done")).toURI();
    require(user.visit(end).toString().equals(AFTERWARDS + "?state=done"), "signed out");
    String over = visit(quietly).toErrorResponse().getErrorObject().getCode();
    require(over.equals("login_required"), "the session is over");
    said(method + ": signed out");
  }
}
