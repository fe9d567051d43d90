//! What becomes of gathers and scatters, as text.
