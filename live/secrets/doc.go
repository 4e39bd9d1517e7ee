// Package secrets reads files that hold a token, or another secret. Whoever asks
// for one asks here, so that a file that others can read is refused everywhere
// alike and with the same words. Read file.go.
package secrets
