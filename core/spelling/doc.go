// Package spelling compares words, so that whoever misspells a name can be told
// which one was meant. What counts as near, and how it is said, is for those who
// read the names: job specifications in package spec, lines of scripts in package
// directive. It is as pure as the core, and whoever reads names may use it.
package spelling
