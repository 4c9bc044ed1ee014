import com.fasterxml.jackson.databind.ObjectMapper;
import gatehouse.api2.api.AppsApi;
import gatehouse.api2.api.SmartHooksApi;
import gatehouse.api2.api.UsersApi;
import gatehouse.api2.model.HookInput;
import gatehouse.api2.model.HookOutcome;
import gatehouse.api2.model.HookType;
import gatehouse.api2.model.ManagementError;
import gatehouse.api2.model.UserInput;
import gatehouse.auth2.api.CredentialTokensApi;
import gatehouse.auth2.model.ErrorAnswer;
import gatehouse.auth2.model.TokenRequest;
import gatehouse.oauth2.model.TokenError;
import gatehouse.oidc2.api.RegistrationApi;
import gatehouse.oidc2.model.ClientMetadata;
import gatehouse.oidc2.model.TokenEndpointAuthMethod;
import gatehouse.oidc2.model.TokenRefusal;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;

/**
 * The main job with the clients that openapi-generator writes for Java: a token, a user, a client assigned to the user,
 * a sign-in, a refresh, all users by cursor, a hook, and an error of each surface by its type.
 */
class MainJob {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CALLBACK = "https://portal.example.com/callback";

  public static void main(String[] arguments) throws Exception {
    String base = System.getenv("GATEHOUSE_URL");
    var pairs = new CredentialTokensApi(new gatehouse.auth2.ApiClient().setBasePath(base));
    var pair =
        new TokenRequest()
            .grantType(TokenRequest.GrantTypeEnum.CLIENT_CREDENTIALS)
            .clientId(System.getenv("GATEHOUSE_CLIENT_ID"))
            .clientSecret(System.getenv("GATEHOUSE_CLIENT_SECRET"));
    String token = pairs.issueCredentialToken().tokenRequest(pair).execute().getAccessToken();
    var management = new gatehouse.api2.ApiClient().setBasePath(base);
    management.setAccessToken(token);

    var users = new UsersApi(management);
    String email = UUID.randomUUID() + "@example.com";
    String password = UUID.randomUUID().toString();
    var input = new UserInput().email(email).password(password).lastname("Hopper");
    var user = users.createUser().userInput(input).execute();
    var registering = new gatehouse.oidc2.ApiClient().setBasePath(base);
    registering.setAccessToken(token);
    var metadata =
        new ClientMetadata()
            .clientName("Portal")
            .redirectUris(List.of(CALLBACK))
            .tokenEndpointAuthMethod(TokenEndpointAuthMethod.CLIENT_SECRET_POST);
    var client = new RegistrationApi(registering).registerClient().clientMetadata(metadata).execute();
    new AppsApi(management).addAppUsers(client.getAppId()).requestBody(List.of(user.getId())).execute();

    String verifier = UUID.randomUUID() + "-" + UUID.randomUUID();
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
    String challenge = Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    String asked =
        "response_type=code&scope=openid&client_id=%s&redirect_uri=%s&code_challenge=%s&code_challenge_method=S256"
            .formatted(client.getClientId(), URLEncoder.encode(CALLBACK, StandardCharsets.UTF_8), challenge);
    String address = base + "/oauth2/authorize?" + asked;
    var browser = new ProcessBuilder(System.getenv("GATEHOUSE_BROWSER"), address, email, password).start();
    URI back = URI.create(new String(browser.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    String code = back.getQuery().replaceAll("(?:^|.*&)code=([^&]*).*", "$1");
    var redeem =
        new gatehouse.oauth2.api.TokensApi(new gatehouse.oauth2.ApiClient().setBasePath(base))
            .issueToken()
            .grantType("authorization_code")
            .code(code)
            .redirectUri(CALLBACK)
            .codeVerifier(verifier)
            .clientId(client.getClientId())
            .clientSecret(client.getClientSecret());
    var first = redeem.execute();
    var documented = new gatehouse.oidc2.api.TokensApi(new gatehouse.oidc2.ApiClient().setBasePath(base));
    var refresh =
        documented
            .refreshToken()
            .grantType("refresh_token")
            .clientId(client.getClientId())
            .clientSecret(client.getClientSecret());
    var second = refresh.refreshToken(first.getRefreshToken()).execute();
    expect(!second.getRefreshToken().equals(first.getRefreshToken()), "the refresh token was not replaced");

    List<Integer> listed = new ArrayList<>();
    var page = users.listUsers().limit(1).executeWithHttpInfo();
    page.getData().forEach(one -> listed.add(one.getId()));
    while (page.getHeaders().containsKey("after-cursor")) {
      page = users.listUsers().cursor(page.getHeaders().get("after-cursor").get(0)).executeWithHttpInfo();
      page.getData().forEach(one -> listed.add(one.getId()));
    }
    expect(listed.contains(user.getId()), "the user is on no page");

    var hooks = new SmartHooksApi(management);
    String source = Base64.getEncoder().encodeToString("exports.handler = async () => null;".getBytes());
    var hook = hooks.createHook().hookInput(new HookInput().type(HookType.PRE_AUTHENTICATION).function(source)).execute();
    var context = Map.of("user", Map.of("user_identifier", email), "app", Map.of("name", "Portal"));
    var tried = hooks.testHook(hook.getId()).body(context).execute();
    expect(tried.getOutcome() == HookOutcome.SUCCESS, "the trial of the hook failed");
    hooks.deleteHook(hook.getId()).execute();

    var missing = refused(gatehouse.api2.ApiException.class, () -> users.readUser(2147483647).execute());
    var name = JSON.readValue(missing.getResponseBody(), ManagementError.class).getName();
    expect(missing.getCode() == 404 && name == ManagementError.NameEnum.NOT_FOUND_ERROR, "no ManagementError");
    pair.setClientSecret("wrong");
    var wrong = refused(gatehouse.auth2.ApiException.class, () -> pairs.issueCredentialToken().tokenRequest(pair).execute());
    expect(JSON.readValue(wrong.getResponseBody(), ErrorAnswer.class).getStatus().getError(), "no ErrorAnswer");
    var used = refused(gatehouse.oauth2.ApiException.class, redeem::execute);
    var error = JSON.readValue(used.getResponseBody(), TokenError.class).getError();
    expect(error == TokenError.ErrorEnum.INVALID_GRANT, "no TokenError");
    var unknown =
        refused(gatehouse.oidc2.ApiException.class, () -> refresh.refreshToken("unknown").execute());
    expect(JSON.readValue(unknown.getResponseBody(), TokenRefusal.class).getErrorDescription() != null, "no TokenRefusal");
  }

  /** The error that the call ends with. */
  private static <Failure extends Exception> Failure refused(Class<Failure> type, Callable<?> call) {
    try {
      call.call();
    } catch (Exception error) {
      return type.cast(error);
    }
    throw new AssertionError("the call should have been refused");
  }

  private static void expect(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }
}
