package plimsoll.shop;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Other people's services, which answer when they like. */
final class Outside {

    private Outside() {}

    /** Waits as a call to a service would that takes this long; uniform between the two. */
    static void call(Duration atLeast, Duration atMost) {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(atLeast.toMillis(), atMost.toMillis() + 1));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for another service", stopping);
        }
    }
}
