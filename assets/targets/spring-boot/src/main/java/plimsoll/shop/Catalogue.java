package plimsoll.shop;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Reads, from cheap to dear. */
@RestController
@RequestMapping("/api/items")
class Catalogue {

    private static final int PAGE = 20;
    private static final int OFFERS = 20;

    record Item(long id, String name, int price) {}

    record Detail(long id, String name, int price, String detail, int leftOver) {}

    private final JdbcClient jdbc;

    Catalogue(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @GetMapping
    List<Item> page(@RequestParam(defaultValue = "0") int page) {
        return jdbc.sql("SELECT id, name, price FROM item WHERE id > :after ORDER BY id LIMIT :count")
                .param("after", page * PAGE).param("count", PAGE).query(Item.class).list();
    }

    @GetMapping("/{id}")
    Detail detail(@PathVariable long id) {
        return jdbc.sql("SELECT id, name, price, detail, left_over FROM item JOIN stock ON item = id WHERE id = :id")
                .param("id", id).query(Detail.class).optional()
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "no such item"));
    }

    /** One of the twenty items on offer, which is what most people buy: their rows of the stock are the ones fought for. */
    @GetMapping("/offer")
    Item offer() {
        return jdbc.sql("SELECT id, name, price FROM item WHERE id = :id")
                .param("id", ThreadLocalRandom.current().nextInt(1, OFFERS + 1)).query(Item.class).single();
    }

    /** Reads the whole table, whatever the case: nothing indexes {@code detail}. */
    @GetMapping("/search")
    List<Item> search(@RequestParam String text) {
        return jdbc.sql("SELECT id, name, price FROM item WHERE detail ILIKE '%' || :text || '%' ORDER BY price LIMIT :count")
                .param("text", text).param("count", PAGE).query(Item.class).list();
    }
}
