package plimsoll.shop;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.util.Map;
import org.apache.coyote.AbstractProtocol;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import plimsoll.shop.ShopProperties.PaymentWait;

/**
 * Changes what can be changed while the service runs. It asks for no password: it is for a service on loopback. In your
 * own service keep such an endpoint out of the public port.
 */
@RestController
@RequestMapping("/admin/settings")
class AdminSettings {

    private static final int USUAL_SPARE_THREADS = 10;

    /** What is absent stays as it is. {@code evict} is for a lowered pool, and true unless said otherwise. */
    record Change(Integer maximumPoolSize, Long connectionTimeoutMs, Integer maxThreads, PaymentWait paymentWait, Boolean evict) {}

    record Settings(int maximumPoolSize, int minimumIdle, long connectionTimeoutMs, int maxThreads, PaymentWait paymentWait) {}

    private final HikariDataSource pool;
    private final ServletWebServerApplicationContext context;
    private final Payments payments;

    AdminSettings(HikariDataSource pool, ServletWebServerApplicationContext context, Payments payments) {
        this.pool = pool;
        this.context = context;
        this.payments = payments;
    }

    @GetMapping
    Settings read() {
        var hikari = pool.getHikariConfigMXBean();
        return new Settings(hikari.getMaximumPoolSize(), hikari.getMinimumIdle(), hikari.getConnectionTimeout(),
                tomcat().getMaxThreads(), payments.getWait());
    }

    @PostMapping
    synchronized Settings change(@RequestBody Change change) {
        if (change.maximumPoolSize() != null) {
            resizePool(change.maximumPoolSize(), !Boolean.FALSE.equals(change.evict()));
        }
        if (change.connectionTimeoutMs() != null) {
            pool.getHikariConfigMXBean().setConnectionTimeout(change.connectionTimeoutMs());
        }
        if (change.maxThreads() != null) {
            resizeThreads(change.maxThreads());
        }
        if (change.paymentWait() != null) {
            payments.setWait(change.paymentWait());
        }
        return read();
    }

    /** HikariCP and Tomcat say themselves what they do not take. */
    @ExceptionHandler
    @ResponseStatus(HttpStatus.BAD_REQUEST)
    Map<String, String> refused(IllegalArgumentException refusal) {
        return Map.of("message", String.valueOf(refusal.getMessage()));
    }

    private void resizePool(int size, boolean evict) {
        var hikari = pool.getHikariConfigMXBean();
        boolean lowered = size < hikari.getMaximumPoolSize();
        hikari.setMaximumPoolSize(size);
        hikari.setMinimumIdle(size);
        // The maximum alone stops no open connection: under load none is ever idle long enough to be closed.
        HikariPoolMXBean running = pool.getHikariPoolMXBean();
        if (lowered && evict && running != null) {
            running.softEvictConnections();
        }
    }

    private void resizeThreads(int most) {
        // The spare threads step aside first: Tomcat's executor refuses a maximum below them.
        tomcat().setMinSpareThreads(1);
        tomcat().setMaxThreads(most);
        tomcat().setMinSpareThreads(Math.min(most, USUAL_SPARE_THREADS));
    }

    private AbstractProtocol<?> tomcat() {
        var server = (TomcatWebServer) context.getWebServer();
        return (AbstractProtocol<?>) server.getTomcat().getConnector().getProtocolHandler();
    }
}
