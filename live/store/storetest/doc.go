// Package storetest holds what every store must do, as tests: [Run] is the one
// suite for all databases. It also starts what such tests need, a PostgreSQL
// server of their own and processes that are killed while they write.
//
// It is for tests only and decides nothing. A package that uses it calls [Main]
// from its TestMain, so that servers are stopped and children know what they
// are. Read suite.go first.
package storetest
