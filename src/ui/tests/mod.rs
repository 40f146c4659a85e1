//! Tests of the screens as a whole: what keys and news do, what frames look like, and the loop itself under a paused clock.

mod interaction;
mod news;
mod press;
mod print;
mod screens;
mod sizes;
