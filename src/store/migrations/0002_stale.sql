-- Requests that went out once more because the server had already closed the kept connection: no failures, but worth knowing.
ALTER TABLE outcome ADD COLUMN stale INTEGER NOT NULL DEFAULT 0;

PRAGMA user_version = 2;
