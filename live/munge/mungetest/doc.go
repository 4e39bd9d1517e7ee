// Package mungetest runs a munged for the length of a test.
package mungetest
