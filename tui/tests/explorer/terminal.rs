//! The real command on a real terminal.
