//! The vocabulary everything else is written in: units, histograms, signals, plan, verdict, events and the fold of events.
