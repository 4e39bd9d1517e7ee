// Package pricing says what things cost: the price functions of the papers.
//
// They are pure functions of what is asked and what is free. They know neither
// jobs nor clusters, and nothing here decides whether a price is paid.
package pricing
