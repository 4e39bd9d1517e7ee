package api

import (
	"context"
	"net/http"
)

// Route is a route as tests outside of the package see it.
type Route struct{ Method, Pattern string }

// AllRoutes lists the table.
func AllRoutes() []Route {
	out := make([]Route, len(routes))
	for i := range routes {
		out[i] = Route{routes[i].method, routes[i].pattern}
	}
	return out
}

// ProblemNames lists the problems there are, with their status.
func ProblemNames() map[string]int {
	out := map[string]int{}
	for _, k := range kinds {
		out[k.name] = k.status
	}
	return out
}

// Documented is a pattern as the description writes it.
var Documented = documented

// BySocket is a handler as who comes by the socket with a user number finds it.
func BySocket(h http.Handler, uid int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), bySocket{}, uid)))
	})
}
