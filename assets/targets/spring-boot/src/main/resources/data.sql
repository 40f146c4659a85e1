BEGIN;
SELECT pg_advisory_xact_lock(7076);

INSERT INTO item
SELECT n, 'item ' || n, 100 + n % 900, repeat(md5(n::text), 4)
FROM generate_series(1, 20000) AS n
ON CONFLICT DO NOTHING;

INSERT INTO stock SELECT id, 1000000000 FROM item ON CONFLICT DO NOTHING;
COMMIT;
