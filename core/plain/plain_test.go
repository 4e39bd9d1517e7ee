package plain_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/libra-market/libra/core/plain"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"plain, Größe, 数, שלום, 👍":       "plain, Größe, 数, שלום, 👍",
		"\x1b[2Jgone":                    `\u001b[2Jgone`,
		"a\x07\x00\x7f":                  `a\u0007\u0000\u007f`,
		"C1 \u009b31m\u0085":             `C1 \u009b31m\u0085`,
		"two\nlines\r\tof":               `two\nlines\r\tof`,
		"\u202egnp.exe\u202c":            `\u202egnp.exe\u202c`,
		"\u2066\u2069\u200e\u200f\u061c": `\u2066\u2069\u200e\u200f\u061c`,
		"no\u200bwidth\ufeff\u2060":      `no\u200bwidth\ufeff\u2060`,
		"line\u2028paragraph\u2029":      `line\u2028paragraph\u2029`,
		"tag \U000e0041":                 `tag \udb40\udc41`,
		"filler \u3164\u2800":            `filler \u3164\u2800`,
		"bytes \x9b\xff\xc3":             `bytes \x9b\xff\xc3`,
		"half \xed\xa0\x80":              `half \xed\xa0\x80`,
		"a replacement \ufffd":           "a replacement \ufffd",
		"wide\u3000and\u00a0fast":        "wide\u3000and\u00a0fast",
	} {
		if got := plain.Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := plain.Lines("a\n\tb\r\x1b"); got != "a\n\tb"+`\r\u001b` {
		t.Errorf("lines: %q", got)
	}
}

// Whatever it is given, nothing is left that is not seen, and JSON stays what it is.
func TestEverythingIsSeen(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(r, "bytes")) + rapid.String().Draw(r, "text")
		got := plain.Text(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(c rune) bool { return !plain.Seen(c) || unicode.IsControl(c) }) {
			r.Errorf("%q: %q", text, got)
		}
		if again := plain.Text(got); again != got {
			r.Errorf("%q: %q, then %q", text, got, again)
		}
		written, err := json.Marshal(text)
		if err != nil {
			r.Fatal(err)
		}
		var before, after string
		if err := json.Unmarshal(written, &before); err != nil {
			r.Fatal(err)
		}
		if err := json.Unmarshal([]byte(plain.Lines(string(written))), &after); err != nil || before != after {
			r.Errorf("JSON %s became %s: %q, %q, %v", written, plain.Lines(string(written)), before, after, err)
		}
	})
}

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"a memo":             "a memo",
		"-12.5":              "-12.5",
		"+3e7":               "+3e7",
		"-1":                 "-1",
		"-":                  "'-",
		"-x":                 "'-x",
		"=1+1":               "'=1+1",
		"+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0",
		"@SUM(A1)":           "'@SUM(A1)",
		"\t=1":               `'\t=1`,
		"\r=1":               `'\r=1`,
		"  =1":               "'  =1",
		"\u200b=1":           `'\u200b=1`,
		"＝1":                 "'＝1",
		"＋1":                 "'＋1",
		"－1":                 "'－1",
		"＠SUM":               "'＠SUM",
		"-Inf":               "'-Inf",
		"a=b":                "a=b",
		"'quoted":            "'quoted",
		"'=1":                "''=1",
		"\u202egnp":          `\u202egnp`,
		"-0x1p4":             "'-0x1p4",
	} {
		if got := plain.Cell(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("=+-@\t'1a ＝"))).Draw(r, "text")
		if got := plain.Unguard(plain.Guard(text)); got != text {
			r.Errorf("%q came back as %q", text, got)
		}
	})
}
