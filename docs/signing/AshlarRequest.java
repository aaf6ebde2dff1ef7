import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A signed request: java AshlarRequest.java METHOD URL [JSON]
 *
 * Java 17 and its standard library. ASHLAR_CREDENTIALS names the credentials file, of an Ed25519 key (docs/signing.md);
 * IDEMPOTENCY_KEY repeats an earlier request safely.
 */
public class AshlarRequest {
    /** What stands before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
    private static final String PKCS8 = "302e020100300506032b657004220420";

    /** The three members of a credentials file that signing takes; privateKey is the JWK's "d". */
    record Credentials(String apiKey, String keyId, String privateKey) {
        static Credentials of(String json) {
            return new Credentials(text(json, "api_key"), text(json, "key_id"), text(json, "d"));
        }

        private static String text(String json, String name) {
            var found = Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"]+)\"").matcher(json);
            if (!found.find()) throw new IllegalArgumentException("the credentials have no " + name);
            return found.group(1);
        }
    }

    /** The body is JSON, empty for none; the idempotency key is null for a new one. */
    static HttpRequest signed(Credentials by, String method, URI url, String body, String idempotencyKey)
            throws GeneralSecurityException {
        var headers = new LinkedHashMap<String, String>();
        headers.put("idempotency-key", idempotencyKey == null ? random() : idempotencyKey);
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0) {
            headers.put("content-type", "application/json");
            headers.put("content-digest", "sha-256=:" + base64(MessageDigest.getInstance("SHA-256").digest(bytes)) + ":");
        }
        var covered = new LinkedHashMap<String, String>();
        covered.put("@method", method);
        covered.put("@authority", url.getRawAuthority().toLowerCase());
        covered.put("@path", url.getRawPath().isEmpty() ? "/" : url.getRawPath());
        covered.put("@query", "?" + (url.getRawQuery() == null ? "" : url.getRawQuery()));
        covered.putAll(headers);
        var names = covered.keySet().stream().map(name -> '"' + name + '"').collect(Collectors.joining(" "));
        var params = "(%s);created=%d;keyid=\"%s\";nonce=\"%s\";tag=\"ashlar\""
                .formatted(names, Instant.now().getEpochSecond(), by.keyId(), random());
        var base = new StringBuilder();
        covered.forEach((name, value) -> base.append('"').append(name).append("\": ").append(value).append('\n'));
        base.append("\"@signature-params\": ").append(params);
        var seed = HexFormat.of().formatHex(Base64.getUrlDecoder().decode(by.privateKey()));
        var signer = Signature.getInstance("Ed25519");
        signer.initSign(KeyFactory.getInstance("Ed25519")
                .generatePrivate(new PKCS8EncodedKeySpec(HexFormat.of().parseHex(PKCS8 + seed))));
        signer.update(base.toString().getBytes(StandardCharsets.UTF_8));
        headers.put("signature-input", "sig=" + params);
        headers.put("signature", "sig=:" + base64(signer.sign()) + ":");
        headers.put("authorization", "Bearer " + by.apiKey());
        var publisher = bytes.length > 0
                ? HttpRequest.BodyPublishers.ofByteArray(bytes) : HttpRequest.BodyPublishers.noBody();
        var request = HttpRequest.newBuilder(url).method(method, publisher).version(HttpClient.Version.HTTP_1_1);
        headers.forEach(request::header);
        return request.build();
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static String random() {
        var bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    public static void main(String[] arguments) throws Exception {
        var file = System.getenv().getOrDefault("ASHLAR_CREDENTIALS", "data/admin-credentials.json");
        var by = Credentials.of(Files.readString(Path.of(file)));
        var body = arguments.length > 2 ? arguments[2] : "";
        var request = signed(by, arguments[0], URI.create(arguments[1]), body, System.getenv("IDEMPOTENCY_KEY"));
        System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
}
