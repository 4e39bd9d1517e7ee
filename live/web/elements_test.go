package web

import (
	"strings"
	"testing"

	"github.com/libra-market/libra/client/v1"
)

// The page of an array lists its elements, each with its output, and of many those
// first that failed; what a job asks for and pays is on it, and adds up.
func TestThePageOfAJob(t *testing.T) {
	four := 4
	v := &jobView{}
	v.Elements = []v1.Element{{Index: 1, State: v1.ElementCompleted}, {Index: 2, State: v1.ElementFailed, Exit: &four, Output: "o-2", Rank: 1, Node: "n2"}}
	page, err := pagesIn("cr").part("job", "content", &frame{Body: v})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<th scope="row">2</th>`, `element=2" data-element="2" data-rank="1">o-2</a>`, `<td data-label="Exit">4</td>`, `<td data-label="Node">n2</td>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	v.Request.GPUs, v.Request.GPUKind = 1, "a100"
	v.Receipt = &v1.Receipt{Charged: 63_894, Net: 63_894, Lines: []v1.ReceiptLine{{What: "used", Amount: 58_303}, {What: "reserved", Amount: 5_591}}}
	if page, err = pagesIn("cr").part("job", "content", &frame{Body: v}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<dd>1 a100 GPU for each program</dd>", "<td class=\"num\">0.06\u00a0cr</td>", "<td class=\"num\">&lt;0.01\u00a0cr</td>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	if percent(0.0001) != "<0.1\u2009%" {
		t.Errorf("a hundredth of a percent is %s", percent(0.0001))
	}
	run := elementView{v1.Element{State: v1.ElementRunning, StartedUS: 5_000_000}, 17_000_000}
	if got := run.Took(); got != "12 s" || run.Tone() != "now" {
		t.Errorf("one that runs took %s, %s", got, run.Tone())
	}
	for i := 3; i <= 1000; i++ {
		v.Elements = append(v.Elements, v1.Element{Index: i, State: v1.ElementCompleted})
	}
	v.Elements[999].State = v1.ElementFailed
	if rows := v.ElementRows(); len(rows) != elementRows || rows[1].Index != 1000 || rows[2].Index != 1 || v.ElementsLeft() != 800 {
		t.Errorf("%d rows, the second is %+v, %d left", len(rows), rows[1], v.ElementsLeft())
	}
}
