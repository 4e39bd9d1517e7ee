//go:build race

package world

// raced: the detector makes everything several times slower.
const raced = true
