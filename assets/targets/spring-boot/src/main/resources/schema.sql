-- One transaction with one lock, so that several instances may start at once.
BEGIN;
SELECT pg_advisory_xact_lock(7076);

CREATE TABLE IF NOT EXISTS account (
    id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    hash text NOT NULL
);

CREATE TABLE IF NOT EXISTS item (
    id     bigint PRIMARY KEY,
    name   text    NOT NULL,
    price  integer NOT NULL,
    detail text    NOT NULL   -- searched without an index, on purpose
);

-- Apart from the item, because an order locks its row here.
CREATE TABLE IF NOT EXISTS stock (
    item      bigint PRIMARY KEY REFERENCES item,
    left_over integer NOT NULL CHECK (left_over >= 0)
);

CREATE TABLE IF NOT EXISTS purchase (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account bigint  NOT NULL REFERENCES account,
    item    bigint  NOT NULL REFERENCES item,
    amount  integer NOT NULL CHECK (amount > 0),
    paid    boolean NOT NULL DEFAULT false
);
COMMIT;
