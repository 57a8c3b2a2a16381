//! Cost models: the price of a metre.
