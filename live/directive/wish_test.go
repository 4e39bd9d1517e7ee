package directive_test

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/live/directive"
)

// What only a broker can grant becomes a tag, whatever else is said in between.
func TestAWishBetweenClusters(t *testing.T) {
	h := directive.New(directive.Place{})
	for _, line := range [][2]string{{"wish", "gain"}, {"tags", "a,b"}, {"wish", "first"}, {"tags", "c"}} {
		if err := h.Set(line[0], line[1]); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(h.Request.Tags, " "); got != "c wish:first" || h.Request.Wish != "" {
		t.Errorf("tags %q, wish %q", got, h.Request.Wish)
	}
	if err := h.Set("wish", "cheapest"); err != nil || len(h.Request.Tags) != 1 || h.Request.Wish != "cheapest" {
		t.Errorf("tags %v, wish %q, %v", h.Request.Tags, h.Request.Wish, err)
	}
	if err := h.Set("wish", "soonest"); err == nil {
		t.Error("an unknown wish is taken")
	}
}
