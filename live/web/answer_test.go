package web

import (
	"net/url"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// What is said of a refusal is made a sentence; the name of an account is not changed.
func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "it costs 2.00": "It costs 2.00.", "demo/root has 1.00 free, 2.00 is needed": "demo/root has 1.00 free, 2.00 is needed.",
	} {
		if got := sentence(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Who takes an offer of fewer elements at a time has them in the form, and no other field is changed.
func TestAnOfferOfFewerElements(t *testing.T) {
	o := v1.Offer{Change: "array", Quote: v1.Quote{Request: v1.Request{EstimateMS: 1000, Array: &v1.Array{First: 1, Last: 9, Step: 1, Limit: 4}}}}
	terms, err := url.ParseQuery(offerTerms(&o))
	if err != nil {
		t.Fatal(err)
	}
	f := form{Fields: map[string]string{"array": "1-9", "gpus": "2"}, Wrong: map[string]string{"array": "too wide"}}
	if f.use(terms); f.Fields["array"] != "1-9%4" || f.Fields["gpus"] != "2" || f.Wrong["array"] != "" {
		t.Errorf("%v, %v", f.Fields, f.Wrong)
	}
	o.Change = "deadline_ms"
	if terms, err = url.ParseQuery(offerTerms(&o)); err != nil || terms.Has("array") {
		t.Errorf("an offer of another deadline says %v of the elements, %v", terms["array"], err)
	}
}
