package experiment

import (
	"errors"
	"strings"
	"testing"
)

const sweepText = `sweep,cell,policy,beta,arrival-factor,seed,jobs,accepted,qos_satisfaction,revenue
x,0,libra-plus,0.1,0.5,1,100,60,0.5,10
x,1,libra-plus,0.1,0.5,2,100,62,0.52,12
x,2,libra-plus,0.1,1,1,100,80,0.7,14
x,3,libra-plus,0.3,0.5,1,100,55,0.4,11
x,4,libra-plus,0.3,1,1,100,70,0.6,16
x,5,libra<b>,,1,1,100,70,0.6,16
`

func TestASweepBecomesAPage(t *testing.T) {
	text, err := SweepHTML(strings.NewReader(sweepText), "A <sweep>", "1")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, want := range []string{"A &lt;sweep&gt;", "libra-plus, arrival-factor 1, beta 0.3", "libra&lt;b&gt;", "Users in time and within budget", "Revenue", "<svg", "--accent", "arrival-factor 0.5", "prefers-color-scheme:dark"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, bad := range []string{"<b>", "<script", "http://", "https://", "ZgotmplZ", "NaN"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	again, err := SweepHTML(strings.NewReader(sweepText), "A <sweep>", "1")
	if err != nil || string(again) != page {
		t.Errorf("the same sweep gives another page (%v)", err)
	}
}

// Without a parameter that goes through numbers the policies stand side by side.
func TestASweepOfPoliciesAlone(t *testing.T) {
	const text = "sweep,cell,policy,seed,accepted,revenue\nx,0,libra,1,5,2\nx,1,libra,2,6,3\nx,2,fifo,1,4,1\n"
	page, err := SweepHTML(strings.NewReader(text), "Policies", "1")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(page), "<figure"); n != 2 {
		t.Errorf("%d figures", n)
	}
}

func TestWhatIsNoSweep(t *testing.T) {
	for _, text := range []string{"", "a,b,c\n1,2,3\n", "sweep,cell,policy,seed,revenue\n", "sweep,cell,policy,seed,revenue\nx,0,libra,1,much\n", "sweep,cell,policy,seed\n\"x\n"} {
		if _, err := SweepHTML(strings.NewReader(text), "t", "1"); !errors.Is(err, ErrSweep) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
