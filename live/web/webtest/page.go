package webtest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Page is a tab, with cookies of its own unless it was opened beside another.
type Page struct {
	*Chrome
	session string
	context string // with the cookies
	base    string

	mu       sync.Mutex
	console  []string // errors and warnings
	forgiven bool
}

// Page opens a tab in which nobody is signed in. Paths are of the server at base.
func (c *Chrome) Page(base string) *Page {
	c.t.Helper()
	var context struct{ BrowserContextID string }
	c.must("", "Target.createBrowserContext", nil, &context)
	return c.tab(map[string]any{"url": "about:blank", "browserContextId": context.BrowserContextID}, context.BrowserContextID, base)
}

// Beside opens a path in another tab, with the cookies of this one.
func (p *Page) Beside(path string) *Page {
	p.t.Helper()
	other := p.tab(map[string]any{"url": "about:blank", "browserContextId": p.context}, p.context, p.base)
	other.Go(path)
	return other
}

// Behind opens a path in a tab in the background, as a click with the middle button does.
func (p *Page) Behind(path string) *Page {
	p.t.Helper()
	return p.tab(map[string]any{"url": p.base + path, "browserContextId": p.context, "background": true}, p.context, p.base)
}

// Front shows the tab to whoever looks at the browser; others of its window are in the
// background then.
func (p *Page) Front() {
	p.t.Helper()
	p.Send("Page.bringToFront", nil, nil)
}

func (c *Chrome) tab(wanted map[string]any, context, base string) *Page {
	c.t.Helper()
	var target struct{ TargetID string }
	c.must("", "Target.createTarget", wanted, &target)
	var attached struct{ SessionID string }
	c.must("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p := &Page{Chrome: c, session: attached.SessionID, context: context, base: base}
	c.mu.Lock()
	c.tabs[p.session] = p
	c.mu.Unlock()
	for _, domain := range []string{"Page.enable", "Runtime.enable", "Log.enable", "Network.enable", "DOM.enable", "Accessibility.enable"} {
		p.Send(domain, nil, nil)
	}
	p.Size(1280, 900)
	return p
}

func (c *Chrome) must(session, method string, params, into any) {
	c.t.Helper()
	result, err := c.call(session, method, params)
	if err == nil && into != nil {
		err = json.Unmarshal(result, into)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// Send asks for something of the protocol.
func (p *Page) Send(method string, params, into any) {
	p.t.Helper()
	p.must(p.session, method, params, into)
}

// observe takes in what happens on the page.
func (p *Page) observe(m *message) {
	var said struct {
		Type             string
		Entry            struct{ Level, Text, URL string }
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
		Args []struct {
			Value       any
			Description string
		}
	}
	if json.Unmarshal(m.Params, &said) != nil {
		return
	}
	complaint := ""
	switch m.Method {
	case "Runtime.exceptionThrown":
		complaint = said.ExceptionDetails.Text + " " + said.ExceptionDetails.Exception.Description
	case "Runtime.consoleAPICalled":
		if said.Type == "error" || said.Type == "warning" || said.Type == "assert" {
			for _, a := range said.Args {
				complaint += fmt.Sprint(a.Value, a.Description, " ")
			}
		}
	case "Log.entryAdded":
		if said.Entry.Level == "error" || said.Entry.Level == "warning" {
			complaint = said.Entry.Text + " " + said.Entry.URL
		}
	case "Page.javascriptDialogOpening": // whether to leave a page that is offline, with what was typed: yes
		go func() { _, _ = p.call(p.session, "Page.handleJavaScriptDialog", map[string]any{"accept": true}) }()
	}
	if complaint == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.forgiven {
		p.console = append(p.console, complaint)
	}
}

// Complaints are the errors of the console so far.
func (p *Page) Complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.console...)
}

// Forgive lets errors pass for a while: those of a network that was cut.
func (p *Page) Forgive(yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgiven = yes
}

// Size sets the size of the window.
func (p *Page) Size(width, height int) {
	p.t.Helper()
	p.Send("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
	}, nil)
}

// Scheme sets light or dark.
func (p *Page) Scheme(name string) {
	p.t.Helper()
	p.Send("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": name}, {"name": "prefers-reduced-motion", "value": "reduce"}},
	}, nil)
}

// Cut cuts the network, or gives it back.
func (p *Page) Cut(yes bool) {
	p.t.Helper()
	p.Send("Network.emulateNetworkConditions", map[string]any{
		"offline": yes, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
	}, nil)
}

// Go opens a path and waits until it is there.
func (p *Page) Go(path string) {
	p.t.Helper()
	p.Eval(`window.__old = true`, nil)
	p.Send("Page.navigate", map[string]any{"url": p.base + path}, nil)
	p.Until("the page "+path, `!window.__old && document.readyState === "complete" && (location.protocol === "about:" || document.documentElement.classList.contains("scripted"))`)
}

// Eval runs an expression on the page; a promise is waited for.
func (p *Page) Eval(expression string, into any) {
	p.t.Helper()
	if err := p.eval(expression, into); err != nil {
		p.t.Fatalf("%v in %s", err, expression)
	}
}

func (p *Page) eval(expression string, into any) error {
	raw, err := p.call(p.session, "Runtime.evaluate", map[string]any{
		"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true,
	})
	if err != nil {
		return err
	}
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return err
	}
	if e := answer.ExceptionDetails; e != nil {
		return fmt.Errorf("%s %s", e.Text, e.Exception.Description)
	}
	if into == nil || answer.Result.Value == nil {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, into)
}

// Until waits until an expression is true.
func (p *Page) Until(what, expression string) {
	p.t.Helper()
	var last error
	for range 2400 { // a minute, and more on a busy machine
		yes := false
		// What a page says first is there before the rest of it has come.
		if last = p.eval("document.readyState !== 'loading' && Boolean("+expression+")", &yes); last == nil && yes {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	text := ""
	_ = p.eval("document.body.innerText.slice(0, 3000)", &text)
	p.t.Fatalf("waited in vain for %s (%v); the console says %q; the page says:\n%s", what, last, p.Complaints(), text)
}

// Text is what an element says.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	text := ""
	p.Eval(fmt.Sprintf(`document.querySelector(%q)?.innerText ?? ""`, selector), &text)
	return strings.TrimSpace(text)
}

// Click presses an element with a real mouse, as somebody does who sees where it is: when it
// has come to rest and nothing lies over it. While a page is being laid out, or shows a price
// that has just come, its buttons move; a press that they were not hit by is tried again.
func (p *Page) Click(selector string) {
	p.t.Helper()
	for range 40 {
		var box struct {
			X, Y  float64
			Rests bool
		}
		p.Eval(fmt.Sprintf(`(async () => {
			const e = document.querySelector(%q);
			if (!e) throw new Error("there is no such thing");
			e.scrollIntoView({block: "center"});
			const middle = () => { const b = e.getBoundingClientRect(); return {X: b.x + b.width / 2, Y: b.y + b.height / 2}; };
			const before = middle();
			await new Promise((f) => setTimeout(f, 25));
			const now = middle(), top = document.elementFromPoint(now.X, now.Y);
			window.__hit = false;
			e.addEventListener("click", () => { window.__hit = true; }, {once: true, capture: true});
			return {...now, Rests: before.X === now.X && before.Y === now.Y && (e === top || e.contains(top)) && document.readyState === "complete"};
		})()`, selector), &box)
		if !box.Rests {
			continue
		}
		for _, kind := range []string{"mousePressed", "mouseReleased"} {
			p.Send("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": box.X, "y": box.Y, "button": "left", "clickCount": 1}, nil)
		}
		missed := false
		if p.eval(`window.__hit === false`, &missed) != nil || !missed { // it led to another page
			return
		}
	}
	p.t.Fatalf("%s was never there to be clicked", selector)
}

// Type puts a text into a field as a keyboard would, in the place of what was
// there.
func (p *Page) Type(selector, text string) {
	p.t.Helper()
	p.Eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.focus(); e.select(); })()`, selector), nil)
	if text == "" {
		p.Press("Backspace", 8)
		return
	}
	p.Send("Input.insertText", map[string]any{"text": text}, nil)
}

// Press presses a key.
func (p *Page) Press(key string, code int) {
	p.t.Helper()
	down := map[string]any{"type": "rawKeyDown", "key": key, "code": key, "windowsVirtualKeyCode": code}
	if key == "Enter" {
		down["type"], down["text"] = "keyDown", "\r"
	}
	p.Send("Input.dispatchKeyEvent", down, nil)
	p.Send("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code}, nil)
}

// SignIn signs somebody in with a token.
func (p *Page) SignIn(token string) {
	p.t.Helper()
	p.Go("/login")
	p.Type("#token", token)
	p.Click("form button.big")
	p.Until("somebody to be signed in", `document.querySelector(".purse")`)
	p.Enter()
}

// At is the address of a path.
func (p *Page) At(path string) string { return p.base + path }

// Enter makes the paths of a page those of the session that has begun on it.
func (p *Page) Enter() {
	p.t.Helper()
	p.Eval(`document.baseURI.replace(/[/]$/, "")`, &p.base)
}

// Shot is a picture of the page, down to a height.
func (p *Page) Shot(most int) []byte {
	p.t.Helper()
	var size struct{ W, H float64 }
	p.Eval(`({W: document.documentElement.clientWidth, H: Math.max(document.documentElement.scrollHeight, innerHeight)})`, &size)
	var shot struct{ Data string }
	p.Send("Page.captureScreenshot", map[string]any{
		"format": "png", "captureBeyondViewport": true,
		"clip": map[string]any{"x": 0, "y": 0, "width": size.W, "height": min(size.H, float64(most)), "scale": 1},
	}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return png
}
