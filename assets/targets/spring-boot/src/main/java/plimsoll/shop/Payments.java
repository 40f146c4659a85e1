package plimsoll.shop;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import plimsoll.shop.ShopProperties.PaymentWait;

/** Paying asks a slow provider. Whether a connection is held meanwhile decides what pool the shop needs. */
@RestController
class Payments {

    record Bill(long order) {}

    record Paid(boolean paid) {}

    private final JdbcClient jdbc;
    private final Tokens tokens;
    private final TransactionOperations transaction;
    private final ShopProperties properties;
    private volatile PaymentWait wait;

    Payments(JdbcClient jdbc, Tokens tokens, TransactionOperations transaction, ShopProperties properties) {
        this.jdbc = jdbc;
        this.tokens = tokens;
        this.transaction = transaction;
        this.properties = properties;
        this.wait = properties.paymentWait();
    }

    PaymentWait getWait() {
        return wait;
    }

    void setWait(PaymentWait wait) {
        this.wait = wait;
    }

    @PostMapping("/api/payments")
    Paid pay(@RequestHeader(name = HttpHeaders.AUTHORIZATION, required = false) String authorization, @RequestBody Bill bill) {
        long account = tokens.account(authorization);
        if (wait == PaymentWait.OUTSIDE) {
            askProvider();
            transaction.executeWithoutResult(status -> markPaid(account, bill.order()));
        } else {
            transaction.executeWithoutResult(status -> {
                markPaid(account, bill.order());
                askProvider();
            });
        }
        return new Paid(true);
    }

    private void markPaid(long account, long order) {
        int found = jdbc.sql("UPDATE purchase SET paid = true WHERE id = :order AND account = :account")
                .param("order", order).param("account", account).update();
        if (found == 0) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, "no such order of yours");
        }
    }

    private void askProvider() {
        Outside.call(properties.paymentAtLeast(), properties.paymentAtMost());
    }
}
