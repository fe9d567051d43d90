//! Tests of the sizes that are found.
