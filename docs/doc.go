// Package docs has no code of its own: it is the documents, and tests that hold
// them to the tree.
//
// Every file, package, exported name, test, command and make target that a document or a
// doc.go names must be there, and every link must lead somewhere. Written so
// that a machine can tell, a name stands in backticks, and a package or a file
// is written by its whole path from the root (core/book, not book). Records of
// decisions and the changelog speak of what was, so only their links are held.
//
// Read names_test.go first: it says what counts as a name.
package docs
