package conformance;

import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a user does in a browser: plain requests, a cookie jar, the forms of the hosted pages. */
final class User {
  static final String ISSUER = System.getenv("GATEHOUSE_ISSUER");
  static final String EMAIL = System.getenv("GATEHOUSE_EMAIL");
  private static final String PASSWORD = System.getenv("GATEHOUSE_PASSWORD");

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .cookieHandler(new CookieManager())
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  /** Goes to an address, signs in and consents where a page asks; answers the address of the client it ends at. */
  URI visit(URI start) throws Exception {
    return walk(start, null).uri();
  }

  /** The same, through an application under test: ends at the first page that is this application's own. */
  HttpResponse<String> browse(URI start, String application) throws Exception {
    Arrival arrival = walk(start, application);
    require(arrival.page() != null, "left for " + arrival.uri());
    return arrival.page();
  }

  private record Arrival(URI uri, HttpResponse<String> page) {}

  private Arrival walk(URI start, String application) throws Exception {
    HttpResponse<String> answer = get(start);
    for (int step = 0; step < 30; step += 1) {
      String location = answer.headers().firstValue("location").orElse(null);
      if (location != null) {
        URI next = answer.uri().resolve(location);
        boolean known = isAt(next, ISSUER) || (application != null && isAt(next, application));
        if (!known) {
          return new Arrival(next, null);
        }
        answer = get(next);
      } else if (application != null && isAt(answer.uri(), application)) {
        return new Arrival(answer.uri(), answer);
      } else {
        require(answer.statusCode() == 200, answer.statusCode() + " at " + answer.uri() + ": " + answer.body());
        answer = submit(answer);
      }
    }
    throw new IllegalStateException("too many pages");
  }

  private static boolean isAt(URI uri, String origin) {
    return uri.toString().startsWith(origin + "/");
  }

  private HttpResponse<String> get(URI uri) throws Exception {
    return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> submit(HttpResponse<String> page) throws Exception {
    Map<String, String> fields = new LinkedHashMap<>();
    Matcher inputs = Pattern.compile("<input\\b[^>]*>").matcher(page.body());
    while (inputs.find()) {
      String name = first("\\bname=\"([^\"]*)\"", inputs.group());
      String value = first("\\bvalue=\"([^\"]*)\"", inputs.group());
      if (name != null) {
        fields.put(name, value == null ? "" : plain(value));
      }
    }
    if (fields.containsKey("password")) {
      fields.put("username", EMAIL);
      fields.put("password", PASSWORD);
    } else {
      require(page.body().contains("value=\"allow\""), "no page that is known: " + page.body());
      fields.put("decision", "allow");
    }
    String action = first("<form\\b[^>]*\\baction=\"([^\"]*)\"", page.body());
    return post(page.uri().resolve(plain(action)), fields);
  }

  /** Sends a form. */
  HttpResponse<String> post(URI uri, Map<String, String> fields) throws Exception {
    String body =
        fields.entrySet().stream()
            .map(field -> encode(field.getKey()) + "=" + encode(field.getValue()))
            .collect(Collectors.joining("&"));
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("content-type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    return matcher.find() ? matcher.group(1) : null;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  static String plain(String text) {
    return text.replace("&quot;", "\"").replace("&#39;", "'").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
  }

  static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalStateException(message);
    }
  }

  static void said(String line) {
    System.out.println("  ok  " + line);
  }
}
