//! Profiles: TOML text to a validated plan, with errors that point at line and column.
