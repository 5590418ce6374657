//! Page tables, folios and the faults that fill them.
