package live_test

import (
	"net/http"
	"net/http/httptest"
)

// kept is an answer that is held back for a moment.
type keptAnswer struct{ *httptest.ResponseRecorder }

func newAnswer() keptAnswer { return keptAnswer{httptest.NewRecorder()} }

func (k keptAnswer) to(w http.ResponseWriter) {
	for name, values := range k.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(k.Code)
	_, _ = w.Write(k.Body.Bytes()) // the other side may be gone
}
