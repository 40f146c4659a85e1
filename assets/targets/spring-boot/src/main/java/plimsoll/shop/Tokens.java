package plimsoll.shop;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ResponseStatusException;

/** Signed tokens, {@code account.signature}: no session to keep, so that any instance may answer. */
@Component
class Tokens {

    private final SecretKeySpec key;

    Tokens(ShopProperties properties) {
        key = new SecretKeySpec(properties.tokenSecret().getBytes(StandardCharsets.UTF_8), "HmacSHA256");
    }

    String issue(long account) {
        return account + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(sign(Long.toString(account)));
    }

    /** The account that an {@code Authorization} header speaks for; 401 without a good one. */
    long account(String header) {
        if (header != null && header.startsWith("Bearer ")) {
            String[] parts = header.substring("Bearer ".length()).split("\\.", 2);
            if (parts.length == 2 && MessageDigest.isEqual(issued(parts[0]), parts[1].getBytes(StandardCharsets.UTF_8))) {
                return Long.parseLong(parts[0]);
            }
        }
        throw new ResponseStatusException(HttpStatus.UNAUTHORIZED, "log in first");
    }

    private byte[] issued(String account) {
        return Base64.getUrlEncoder().withoutPadding().encode(sign(account));
    }

    private byte[] sign(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
