//! Diagrams against explicit sets of vectors.

mod deep;
mod dot;
mod explicit;
mod images;
mod learning;
mod limits;
mod products;
mod reach;
mod sets;
