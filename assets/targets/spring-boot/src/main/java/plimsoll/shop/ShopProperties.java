package plimsoll.shop;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** What application.yml says under {@code shop}. */
@ConfigurationProperties("shop")
public record ShopProperties(
        PaymentWait paymentWait,
        Duration paymentAtLeast,
        Duration paymentAtMost,
        Duration orderWait,
        int hashRounds,
        String tokenSecret) {

    /** Where the payment's slow call happens, as seen from the transaction. */
    public enum PaymentWait {
        @JsonProperty("inside") INSIDE,
        @JsonProperty("outside") OUTSIDE
    }
}
