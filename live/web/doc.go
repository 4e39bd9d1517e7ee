// Package web is the page of a live market: submit, watch, own.
//
// It turns what a [Market] says into pages that a browser shows without
// anything fetched from elsewhere, and what people type into requests and
// commands. It decides who is signed in (sessions, in memory, ended with the
// server but where TLS says whose it is, half in a cookie and half in the address: place.go), and what they may see, in one function (access.go) that every page
// goes through; it never decides about jobs, prices or money.
//
// Pages are written by the server and stand without script. The scripts under
// assets/ add what is live: the price as one types, rows that follow events,
// logs. Read routes.go first: it is the list of all pages.
package web
