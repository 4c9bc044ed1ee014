package conformance;

import static conformance.User.require;
import static conformance.User.said;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.AuthorizationGrant;
import com.nimbusds.oauth2.sdk.PushedAuthorizationRequest;
import com.nimbusds.oauth2.sdk.PushedAuthorizationResponse;
import com.nimbusds.oauth2.sdk.RefreshTokenGrant;
import com.nimbusds.oauth2.sdk.ResponseMode;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.TokenIntrospectionRequest;
import com.nimbusds.oauth2.sdk.TokenIntrospectionResponse;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.ClientAuthenticationMethod;
import com.nimbusds.oauth2.sdk.auth.PrivateKeyJWT;
import com.nimbusds.oauth2.sdk.auth.SelfSignedTLSClientAuthentication;
import com.nimbusds.oauth2.sdk.dpop.DPoPProofFactory;
import com.nimbusds.oauth2.sdk.dpop.DefaultDPoPProofFactory;
import com.nimbusds.oauth2.sdk.http.HTTPRequest;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.JWTID;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.oauth2.sdk.token.AccessToken;
import com.nimbusds.oauth2.sdk.token.AccessTokenType;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.nimbusds.openid.connect.sdk.AuthenticationResponse;
import com.nimbusds.openid.connect.sdk.AuthenticationResponseParser;
import com.nimbusds.openid.connect.sdk.Nonce;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import com.nimbusds.openid.connect.sdk.UserInfoRequest;
import com.nimbusds.openid.connect.sdk.UserInfoResponse;
import com.nimbusds.openid.connect.sdk.op.OIDCProviderMetadata;
import com.nimbusds.openid.connect.sdk.op.ReadOnlyOIDCProviderEndpointMetadata;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientInformation;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientInformationResponse;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientMetadata;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientRegistrationRequest;
import com.nimbusds.openid.connect.sdk.rp.OIDCClientRegistrationResponseParser;
import com.nimbusds.openid.connect.sdk.validators.IDTokenValidator;
import com.nimbusds.oauth2.sdk.jarm.JARMValidator;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Date;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * The Nimbus OAuth 2.0 SDK, unmodified, as a client that FAPI 2.0 applies to: with a key, DPoP, and signed messages, and
 * with certificates alone.
 */
public final class NimbusFapi {
  private static final URI CALLBACK = URI.create("https://client.example.com/callback");
  private static final char[] NO_PASSWORD = {};

  /** A certificate and its key, and how a connection shows it. */
  private record Certified(X509Certificate certificate, SSLSocketFactory sockets) {
    static Certified of(String name) throws Exception {
      X509Certificate certificate = certificateIn(name);
      String pem = System.getenv(name + "_KEY").replaceAll("-----[A-Z ]+-----", "");
      byte[] der = new Base64(pem.replaceAll("\\s", "")).decode();
      PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
      KeyStore own = emptyStore();
      own.setKeyEntry("own", key, NO_PASSWORD, new X509Certificate[] {certificate});
      KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(own, NO_PASSWORD);
      KeyStore known = emptyStore();
      known.setCertificateEntry("proxy", certificateIn("GATEHOUSE_PROXY_CA"));
      TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(known);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return new Certified(certificate, context.getSocketFactory());
    }

    private static X509Certificate certificateIn(String name) throws Exception {
      byte[] pem = System.getenv(name).getBytes(StandardCharsets.US_ASCII);
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem));
    }

    private static KeyStore emptyStore() throws Exception {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      return store;
    }

    JWK jwk() throws Exception {
      Base64 der = Base64.encode(certificate.getEncoded());
      return new ECKey.Builder(Curve.P_256, (ECPublicKey) certificate.getPublicKey()).x509CertChain(List.of(der)).build();
    }

    String thumbprint() throws Exception {
      return Base64URL.encode(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded())).toString();
    }
  }

  private final OIDCProviderMetadata server;
  private final ReadOnlyOIDCProviderEndpointMetadata endpoints;
  private final Certified certified;
  private final String title;
  private final RSAKey key =
      new RSAKeyGenerator(2048).keyUse(KeyUse.SIGNATURE).algorithm(JWSAlgorithm.PS256).keyIDFromThumbprint(true).generate();
  private final DPoPProofFactory proofs = new DefaultDPoPProofFactory(new ECKeyGenerator(Curve.P_256).generate(), JWSAlgorithm.ES256);
  private final OIDCClientInformation client;
  private Nonce dpopNonce;

  private NimbusFapi(OIDCProviderMetadata server, Certified certified) throws Exception {
    this.server = server;
    this.certified = certified;
    this.endpoints = certified == null ? server : server.getReadOnlyMtlsEndpointAliases();
    this.title = certified == null ? "FAPI 2.0 with private_key_jwt and DPoP" : "FAPI 2.0 with mutual TLS";
    this.client = register();
  }

  public static void main(String[] args) throws Exception {
    OIDCProviderMetadata server = OIDCProviderMetadata.resolve(new Issuer(User.ISSUER));
    require(server.getReadOnlyMtlsEndpointAliases() != null, "mtls_endpoint_aliases");
    new NimbusFapi(server, null).walk();
    new NimbusFapi(server, Certified.of("GATEHOUSE_CERTIFICATE")).walk();
  }

  private OIDCClientInformation register() throws Exception {
    OIDCClientMetadata metadata = new OIDCClientMetadata();
    metadata.setName(title);
    metadata.setRedirectionURI(CALLBACK);
    metadata.setCustomField("security_profile", "fapi2");
    if (certified == null) {
      metadata.setTokenEndpointAuthMethod(ClientAuthenticationMethod.PRIVATE_KEY_JWT);
      metadata.setAuthorizationJWSAlg(JWSAlgorithm.PS256);
      metadata.setCustomField("require_signed_request_object", true);
      metadata.setJWKSet(new JWKSet(key.toPublicJWK()));
    } else {
      metadata.setTokenEndpointAuthMethod(ClientAuthenticationMethod.SELF_SIGNED_TLS_CLIENT_AUTH);
      metadata.setJWKSet(new JWKSet(certified.jwk()));
    }
    var request = new OIDCClientRegistrationRequest(server.getRegistrationEndpointURI(), metadata, null);
    var response = OIDCClientRegistrationResponseParser.parse(request.toHTTPRequest().send());
    require(response.indicatesSuccess(), "registration: " + response.toHTTPResponse().getBody());
    return ((OIDCClientInformationResponse) response).getOIDCClientInformation();
  }

  private ClientAuthentication authentication(Certified shown) throws Exception {
    ClientID id = client.getID();
    if (shown != null) {
      return new SelfSignedTLSClientAuthentication(id, shown.sockets());
    }
    URI audience = URI.create(server.getIssuer().getValue());
    return new PrivateKeyJWT(id, audience, JWSAlgorithm.PS256, key.toPrivateKey(), key.getKeyID(), null);
  }

  private interface Request {
    HTTPRequest make() throws Exception;
  }

  /** Sends a request with a proof, and again where the service asks for its nonce; over a connection with a certificate. */
  private HTTPResponse send(Request request, AccessToken token, Certified shown) throws Exception {
    for (int attempt = 0; ; attempt += 1) {
      HTTPRequest made = request.make();
      if (shown != null) {
        made.setSSLSocketFactory(shown.sockets());
        return made.send();
      }
      made.setDPoP(
          token == null
              ? proofs.createDPoPJWT(made.getMethod().name(), made.getURI(), dpopNonce)
              : proofs.createDPoPJWT(made.getMethod().name(), made.getURI(), token, dpopNonce));
      HTTPResponse response = made.send();
      Nonce next = response.getDPoPNonce();
      dpopNonce = next == null ? dpopNonce : next;
      boolean again = response.getStatusCode() >= 400 && String.valueOf(response.getBody()).contains("use_dpop_nonce");
      if (!again || attempt > 0) {
        return response;
      }
    }
  }

  private OIDCTokenResponse tokens(AuthorizationGrant grant) throws Exception {
    Request request = () -> new TokenRequest(endpoints.getTokenEndpointURI(), authentication(certified), grant).toHTTPRequest();
    HTTPResponse answer = send(request, null, certified);
    var response = OIDCTokenResponseParser.parse(answer);
    require(response.indicatesSuccess(), "tokens: " + answer.getBody());
    return (OIDCTokenResponse) response;
  }

  private HTTPResponse userInfo(AccessToken token, Certified shown) throws Exception {
    return send(() -> new UserInfoRequest(endpoints.getUserInfoEndpointURI(), token).toHTTPRequest(), token, shown);
  }

  /** Pushes the request, signed where there is a key, and answers what the browser brings back. */
  private AuthenticationResponse authorize(CodeVerifier verifier, Nonce nonce) throws Exception {
    State state = new State();
    var builder =
        new AuthenticationRequest.Builder(ResponseType.CODE, new Scope("openid", "email"), client.getID(), CALLBACK)
            .state(state)
            .nonce(nonce)
            .codeChallenge(verifier, CodeChallengeMethod.S256);
    AuthenticationRequest asked = certified == null ? signed(builder.responseMode(ResponseMode.JWT).build()) : builder.build();
    Request request =
        () ->
            new PushedAuthorizationRequest(endpoints.getPushedAuthorizationRequestEndpointURI(), authentication(certified), asked)
                .toHTTPRequest();
    HTTPResponse answer = send(request, null, certified);
    var pushed = PushedAuthorizationResponse.parse(answer);
    require(pushed.indicatesSuccess(), "pushed: " + answer.getBody());
    URI reference = pushed.toSuccessResponse().getRequestURI();
    URI address =
        new AuthenticationRequest.Builder(reference, client.getID()).endpointURI(server.getAuthorizationEndpointURI()).build().toURI();
    URI callback = new User().visit(address);
    AuthenticationResponse response =
        certified == null
            ? AuthenticationResponseParser.parse(
                callback, new JARMValidator(server.getIssuer(), client.getID(), JWSAlgorithm.PS256, server.getJWKSetURI().toURL()))
            : AuthenticationResponseParser.parse(callback);
    require(response.indicatesSuccess(), "authorization refused: " + callback);
    require(state.equals(response.getState()) && server.getIssuer().equals(response.getIssuer()), "state and issuer");
    return response;
  }

  /** RFC 9101: the request in an object, for this issuer and five minutes. */
  private AuthenticationRequest signed(AuthenticationRequest asked) throws Exception {
    Date now = new Date();
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder(asked.toJWTClaimsSet())
            .issuer(client.getID().getValue())
            .audience(server.getIssuer().getValue())
            .notBeforeTime(now)
            .expirationTime(new Date(now.getTime() + 300_000))
            .jwtID(new JWTID().getValue())
            .build();
    JWSHeader header =
        new JWSHeader.Builder(JWSAlgorithm.PS256).keyID(key.getKeyID()).type(new JOSEObjectType("oauth-authz-req+jwt")).build();
    SignedJWT object = new SignedJWT(header, claims);
    object.sign(new RSASSASigner(key));
    return new AuthenticationRequest.Builder(object, client.getID()).build();
  }

  private void walk() throws Exception {
    CodeVerifier verifier = new CodeVerifier();
    Nonce nonce = new Nonce();
    var code = authorize(verifier, nonce).toSuccessResponse().getAuthorizationCode();
    OIDCTokenResponse first = tokens(new AuthorizationCodeGrant(code, CALLBACK, verifier));
    var validator = new IDTokenValidator(server.getIssuer(), client.getID(), JWSAlgorithm.PS256, server.getJWKSetURI().toURL());
    var claims = validator.validate(first.getOIDCTokens().getIDToken(), nonce);
    AccessToken token = first.getTokens().getAccessToken();
    require(token.getType().equals(certified == null ? AccessTokenType.DPOP : AccessTokenType.BEARER), "token_type");
    UserInfoResponse told = UserInfoResponse.parse(userInfo(token, certified));
    require(told.indicatesSuccess(), "userinfo");
    require(User.EMAIL.equals(told.toSuccessResponse().getUserInfo().getEmailAddress()), "email");
    said(title + ": pushed, signed in, id token and userinfo as they should be");

    OIDCTokenResponse next = tokens(new RefreshTokenGrant(first.getTokens().getRefreshToken()));
    OIDCTokenResponse again = tokens(new RefreshTokenGrant(first.getTokens().getRefreshToken()));
    require(next.getTokens().getRefreshToken().equals(again.getTokens().getRefreshToken()), "a lost answer");
    var refreshed = validator.validate(again.getOIDCTokens().getIDToken(), null);
    require(refreshed.getSubject().equals(claims.getSubject()), "another subject after a refresh");
    said(title + ": refreshed, and again after a lost answer");

    AccessToken last = again.getTokens().getAccessToken();
    Request introspection =
        () -> new TokenIntrospectionRequest(endpoints.getIntrospectionEndpointURI(), authentication(certified), last).toHTTPRequest();
    HTTPRequest sent = introspection.make();
    var seen = TokenIntrospectionResponse.parse(sent.send());
    require(seen.indicatesSuccess() && seen.toSuccessResponse().isActive(), "introspection");
    if (certified == null) {
      require(seen.toSuccessResponse().getJWKThumbprintConfirmation() != null, "cnf.jkt");
      require(new UserInfoRequest(server.getUserInfoEndpointURI(), last).toHTTPRequest().send().getStatusCode() == 401, "no proof");
    } else {
      var bound = seen.toSuccessResponse().getX509CertificateConfirmation();
      require(bound != null && bound.getValue().toString().equals(certified.thumbprint()), "cnf.x5t#S256");
      require(userInfo(last, Certified.of("GATEHOUSE_OTHER_CERTIFICATE")).getStatusCode() == 401, "another certificate");
    }
    said(title + ": introspected, and refused to somebody else");
  }
}
