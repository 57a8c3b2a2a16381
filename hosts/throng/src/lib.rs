//! Crowd simulation whose parts are chosen by name: the library.
