// Package plain makes what people wrote into something that is shown and not
// obeyed: by a terminal, to which it could be a command, by a reader, whose eyes
// follow the direction of the text, and by a spreadsheet, to which it could be a
// formula.
//
// [Text] and [Lines] write every character that is not seen as what it is: control
// characters (C0 and C1), those that turn the direction of writing, those without a
// width, separators of lines, bytes that are no characters. They become \u001b and
// the like, which is what JSON calls them, so that JSON stays JSON, of the same
// meaning. [Cell] is for tables that a spreadsheet opens.
//
// Read plain.go first.
package plain
