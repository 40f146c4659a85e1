//! The built-in service: a real HTTP server with worker threads, a connection pool and a modelled database whose true optimum is known.
