// Package config reads the one file that configures a controller and an agent.
//
// What is not in the file has a default that works; what is in the file and
// not known is refused by name and line, so that a misspelt setting is not a
// setting silently left out. The package opens the file and nothing else.
// Read config.go first.
package config
