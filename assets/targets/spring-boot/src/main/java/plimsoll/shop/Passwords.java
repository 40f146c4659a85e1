package plimsoll.shop;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.springframework.stereotype.Component;

/** Salted PBKDF2 hashes, kept as {@code rounds:salt:hash}. */
@Component
class Passwords {

    private static final HexFormat HEX = HexFormat.of();
    private final SecureRandom random = new SecureRandom();
    private final int rounds;

    Passwords(ShopProperties properties) {
        this.rounds = properties.hashRounds();
    }

    String hash(String password) {
        byte[] salt = new byte[16];
        random.nextBytes(salt);
        return rounds + ":" + HEX.formatHex(salt) + ":" + HEX.formatHex(derive(password, salt, rounds));
    }

    boolean matches(String password, String kept) {
        String[] parts = kept.split(":");
        byte[] derived = derive(password, HEX.parseHex(parts[1]), Integer.parseInt(parts[0]));
        return MessageDigest.isEqual(derived, HEX.parseHex(parts[2]));
    }

    private static byte[] derive(String password, byte[] salt, int rounds) {
        try {
            var spec = new PBEKeySpec(password.toCharArray(), salt, rounds, 256);
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
