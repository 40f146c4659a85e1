package plimsoll.shop;

import java.util.UUID;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Signing up and logging in. */
@RestController
@RequestMapping("/api/auth")
class Accounts implements ApplicationRunner {

    record Credentials(String name, String password) {}

    record Account(long id, String hash) {}

    record LoggedIn(String token) {}

    private final JdbcClient jdbc;
    private final Passwords passwords;
    private final Tokens tokens;

    Accounts(JdbcClient jdbc, Passwords passwords, Tokens tokens) {
        this.jdbc = jdbc;
        this.passwords = passwords;
        this.tokens = tokens;
    }

    /** user1 to user1000, all with the password "password": a thousand hashes would make every start slow. */
    @Override
    public void run(ApplicationArguments args) {
        jdbc.sql("INSERT INTO account (name, hash) SELECT 'user' || n, :hash FROM generate_series(1, 1000) AS n ON CONFLICT DO NOTHING")
                .param("hash", passwords.hash("password"))
                .update();
    }

    /**
     * As such code is commonly written: the hash is made while the transaction holds a connection that does nothing.
     * Whoever gives no name becomes a guest, so that a load test may sign up as often as it likes.
     */
    @PostMapping("/signup")
    @ResponseStatus(HttpStatus.CREATED)
    @Transactional
    public LoggedIn signUp(@RequestBody Credentials wanted) {
        String name = wanted.name() != null ? wanted.name() : "guest-" + UUID.randomUUID();
        boolean taken = jdbc.sql("SELECT exists(SELECT FROM account WHERE name = :name)")
                .param("name", name).query(Boolean.class).single();
        if (taken) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "the name is taken");
        }
        // Two people may still ask for one name at the same moment: the second finds it taken here.
        return jdbc.sql("INSERT INTO account (name, hash) VALUES (:name, :hash) ON CONFLICT DO NOTHING RETURNING id")
                .param("name", name).param("hash", passwords.hash(wanted.password()))
                .query(Long.class).optional()
                .map(id -> new LoggedIn(tokens.issue(id)))
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.CONFLICT, "the name is taken"));
    }

    /** One short read; the hash is checked after the connection went back. */
    @PostMapping("/login")
    public LoggedIn logIn(@RequestBody Credentials given) {
        return jdbc.sql("SELECT id, hash FROM account WHERE name = :name")
                .param("name", given.name()).query(Account.class).optional()
                .filter(account -> passwords.matches(given.password(), account.hash()))
                .map(account -> new LoggedIn(tokens.issue(account.id())))
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.UNAUTHORIZED, "name or password is wrong"));
    }
}
