-- A recording: what happened, in order. `event` has one row for every event; the frequent ones (tick, sample) have an empty body
-- and their figures in tables of their own. Times are microseconds since the session began; floats are stored as they are (ANY:
-- a whole number as an integer). Histograms are HdrHistogram V2 compressed, 1 microsecond to 10 minutes, three digits, with
-- their exact sum and maximum beside them; an empty one is NULL.
PRAGMA application_id = 0x504c494d; -- "PLIM"
PRAGMA user_version = 1;

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    seq   INTEGER PRIMARY KEY,
    at_us INTEGER NOT NULL,
    kind  TEXT NOT NULL,
    step  INTEGER,
    body  TEXT
) STRICT;
CREATE INDEX event_kind ON event (kind, seq);

CREATE TABLE tick (
    seq               INTEGER PRIMARY KEY REFERENCES event (seq),
    source            TEXT NOT NULL,
    number            INTEGER NOT NULL,
    from_us           INTEGER NOT NULL,
    to_us             INTEGER NOT NULL,
    planned           ANY,
    sent              INTEGER NOT NULL,
    dropped           INTEGER NOT NULL,
    in_flight         INTEGER NOT NULL,
    users             INTEGER NOT NULL,
    iterations        BLOB,
    iterations_sum_us INTEGER,
    iterations_max_us INTEGER
) STRICT;

CREATE TABLE request (
    id         INTEGER PRIMARY KEY,
    scenario   TEXT NOT NULL,
    name       TEXT NOT NULL,
    tags       TEXT,
    load_phase TEXT
) STRICT;

-- What ended in a tick, by request and by the cohort (step, phase, interval) its intended start lay in.
CREATE TABLE outcome (
    id                    INTEGER PRIMARY KEY,
    seq                   INTEGER NOT NULL REFERENCES tick (seq),
    request               INTEGER NOT NULL REFERENCES request (id),
    step                  INTEGER NOT NULL,
    phase                 TEXT NOT NULL,
    slot                  INTEGER NOT NULL,
    ok                    INTEGER NOT NULL,
    failed                INTEGER NOT NULL,
    failed_by             TEXT,
    checks_passed         INTEGER NOT NULL,
    checks_failed         INTEGER NOT NULL,
    bytes                 INTEGER NOT NULL,
    latency               BLOB,
    latency_sum_us        INTEGER,
    latency_max_us        INTEGER,
    failed_latency        BLOB,
    failed_latency_sum_us INTEGER,
    failed_latency_max_us INTEGER,
    service_time          BLOB,
    service_time_sum_us   INTEGER,
    service_time_max_us   INTEGER,
    send_lag              BLOB,
    send_lag_sum_us       INTEGER,
    send_lag_max_us       INTEGER,
    connect_wait          BLOB,
    connect_wait_sum_us   INTEGER,
    connect_wait_max_us   INTEGER
) STRICT;
CREATE INDEX outcome_tick ON outcome (seq);

CREATE TABLE sample (
    seq         INTEGER PRIMARY KEY REFERENCES event (seq),
    source      TEXT NOT NULL,
    instance    TEXT,
    asked_us    INTEGER NOT NULL,
    answered_us INTEGER NOT NULL
) STRICT;

CREATE TABLE series (
    id     INTEGER PRIMARY KEY,
    signal TEXT NOT NULL,
    part   TEXT,
    kind   TEXT NOT NULL
) STRICT;

-- `value` is the level, the count so far, or a timer's seconds so far; `count` is a timer's events so far.
CREATE TABLE reading (
    seq    INTEGER NOT NULL REFERENCES sample (seq),
    n      INTEGER NOT NULL,
    series INTEGER NOT NULL REFERENCES series (id),
    value  ANY,
    count  ANY,
    PRIMARY KEY (seq, n)
) STRICT, WITHOUT ROWID;

CREATE VIEW steps AS
SELECT p.step + 1 AS step,
       json_extract(p.body, '$.values') AS setting_values,
       json_extract(p.body, '$.block') AS block,
       (SELECT json_extract(e.body, '$.end') FROM event e WHERE e.kind = 'step_ended' AND e.step = p.step ORDER BY e.seq DESC LIMIT 1) AS ended,
       (SELECT json_extract(e.body, '$.reason') FROM event e WHERE e.kind = 'step_ended' AND e.step = p.step ORDER BY e.seq DESC LIMIT 1) AS reason,
       (SELECT min(e.at_us) / 1e6 FROM event e WHERE e.kind = 'phase_changed' AND e.step = p.step AND json_extract(e.body, '$.phase') = 'measure') AS measured_from_s,
       (SELECT coalesce(sum(o.ok), 0) FROM outcome o WHERE o.step = p.step AND o.phase = 'measure') AS requests_ok,
       (SELECT coalesce(sum(o.failed), 0) FROM outcome o WHERE o.step = p.step AND o.phase = 'measure') AS requests_failed,
       (SELECT sum(o.latency_sum_us) / 1e6 / nullif(sum(o.ok), 0) FROM outcome o WHERE o.step = p.step AND o.phase = 'measure') AS mean_latency_s
FROM event p
WHERE p.kind = 'step_planned'
ORDER BY p.seq;

CREATE VIEW requests_by_second AS
SELECT t.from_us / 1000000 AS second,
       sum(t.planned) AS planned,
       sum(t.sent) AS sent,
       sum(t.dropped) AS dropped,
       sum((SELECT sum(o.ok) FROM outcome o WHERE o.seq = t.seq)) AS finished_ok,
       sum((SELECT sum(o.failed) FROM outcome o WHERE o.seq = t.seq)) AS finished_failed
FROM tick t
GROUP BY t.from_us / 1000000
ORDER BY second;

CREATE VIEW signals AS
SELECT (s.asked_us + s.answered_us) / 2e6 AS at_s,
       c.signal,
       c.part,
       s.source,
       s.instance,
       c.kind,
       r.value,
       r.count
FROM reading r
JOIN sample s ON s.seq = r.seq
JOIN series c ON c.id = r.series;

CREATE VIEW verdict AS
SELECT json_extract(j.body, '$.verdict.verdict') AS verdict,
       json_extract(j.body, '$.verdict.setting') AS setting,
       json_extract(j.body, '$.verdict.value') AS value,
       json_extract(j.body, '$.verdict.zone[0]') AS zone_low,
       json_extract(j.body, '$.verdict.zone[1]') AS zone_high,
       json_extract(j.body, '$.verdict.expected_regret') AS expected_regret,
       j.at_us / 1e6 AS at_s,
       json_extract(j.body, '$.judge') AS judge
FROM event j
WHERE j.kind = 'judged'
ORDER BY j.seq DESC
LIMIT 1;
