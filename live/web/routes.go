package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/libra-market/libra/core/trade"
)

// route is one thing that can be asked. The table below is all of them: the mux,
// the roles and the tests of access are made from it.
type route struct {
	method  string
	pattern string
	roles   []trade.Role // who may; none: anybody, signed in or not
	kind    kind
	handle  func(*call) error
}

// kind says how somebody who may not is told so.
type kind uint8

const (
	aPage   kind = iota // a page says it, and leads to the sign-in
	aScript             // a script asked: a status says it
)

var (
	people = []trade.Role{trade.RoleUser, trade.RoleOwner}
	owners = []trade.Role{trade.RoleOwner}
)

var routes = []route{
	{http.MethodGet, "/{$}", people, aPage, home},

	{http.MethodGet, "/login", nil, aPage, showLogin},
	{http.MethodGet, "/whereabouts", nil, aScript, whereabouts},
	{http.MethodPost, "/login", nil, aPage, signIn},
	{http.MethodPost, "/login/link", nil, aScript, makeLink},
	{http.MethodPost, "/logout", people, aPage, signOut},

	{http.MethodGet, "/submit", people, aPage, showSubmit},
	{http.MethodPost, "/submit", people, aPage, submit},
	{http.MethodPost, "/preview", people, aScript, preview},

	{http.MethodGet, "/jobs", people, aPage, showJobs},
	{http.MethodPost, "/cancel", people, aPage, cancelJobs},
	{http.MethodGet, "/jobs/{id}", people, aPage, showJob},
	{http.MethodPost, "/jobs/{id}/cancel", people, aPage, cancelJob},
	{http.MethodPost, "/jobs/{id}/release", people, aPage, releaseJob},
	{http.MethodGet, "/jobs/{id}/log", people, aScript, readLog},

	{http.MethodGet, "/market", people, aPage, showMarket},

	{http.MethodGet, "/account", people, aPage, showAccount},
	{http.MethodGet, "/account/statement.csv", people, aPage, exportStatement},
	{http.MethodGet, "/account/focus.csv", people, aPage, exportFocus},

	{http.MethodGet, "/owner", owners, aPage, showOwner},
	{http.MethodPost, "/owner/whatif", owners, aPage, whatIf},
	{http.MethodPost, "/owner/epoch", owners, aPage, beginEpoch},

	{http.MethodGet, "/events", people, aScript, events},

	{http.MethodGet, assetPath + "{version}/{name}", nil, aScript, asset},
	{http.MethodGet, "/favicon.ico", nil, aScript, icon},
}

// nowhere answers what no route knows.
var nowhere = route{pattern: "/", handle: func(*call) error { return errNotFound }}

// mount hangs the routes into the mux, and beside them the answers for wrong
// methods and wrong paths, which are pages like all others.
func (h *Handler) mount() {
	methods := map[string][]string{}
	for i := range routes {
		rt := &routes[i]
		methods[rt.pattern] = append(methods[rt.pattern], rt.method)
		h.mux.HandleFunc(rt.method+" "+rt.pattern, func(w http.ResponseWriter, r *http.Request) { h.serve(rt, w, r) })
	}
	for pattern, known := range methods {
		if slices.Contains(known, http.MethodGet) {
			known = append(known, http.MethodHead)
		}
		slices.Sort(known)
		allow := strings.Join(known, ", ")
		wrong := &route{pattern: pattern, handle: func(c *call) error {
			c.w.Header().Set("Allow", allow)
			return errMethod
		}}
		h.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { h.serve(wrong, w, r) })
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { h.serve(&nowhere, w, r) })
}
