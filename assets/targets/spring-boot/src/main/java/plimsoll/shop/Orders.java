package plimsoll.shop;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** An order takes its items from the stock, and locks the stock's row until the warehouse has confirmed. */
@RestController
class Orders {

    record Wish(long item, int amount) {}

    record Placed(long order) {}

    private final JdbcClient jdbc;
    private final Tokens tokens;
    private final ShopProperties properties;

    Orders(JdbcClient jdbc, Tokens tokens, ShopProperties properties) {
        this.jdbc = jdbc;
        this.tokens = tokens;
        this.properties = properties;
    }

    @PostMapping("/api/orders")
    @ResponseStatus(HttpStatus.CREATED)
    @Transactional
    public Placed place(@RequestHeader(name = HttpHeaders.AUTHORIZATION, required = false) String authorization, @RequestBody Wish wish) {
        long account = tokens.account(authorization);
        if (wish.amount() < 1) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "an order has at least one item");
        }
        int left = jdbc.sql("SELECT left_over FROM stock WHERE item = :item FOR UPDATE")
                .param("item", wish.item()).query(Integer.class).optional()
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "no such item"));
        if (left < wish.amount()) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "sold out");
        }
        jdbc.sql("UPDATE stock SET left_over = left_over - :amount WHERE item = :item")
                .param("amount", wish.amount()).param("item", wish.item()).update();
        Outside.call(properties.orderWait(), properties.orderWait());
        long order = jdbc.sql("INSERT INTO purchase (account, item, amount) VALUES (:account, :item, :amount) RETURNING id")
                .param("account", account).param("item", wish.item()).param("amount", wish.amount())
                .query(Long.class).single();
        return new Placed(order);
    }
}
