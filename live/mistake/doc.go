// Package mistake says all that is wrong with a file of settings in YAML, each mistake
// with its line and the setting that it is about: whoever mends a file wants to know of
// all of them. What is wrong, those say whose settings they are ([List.Add]); what cannot
// be read at all, [Read] puts into our words. Read mistake.go.
package mistake
