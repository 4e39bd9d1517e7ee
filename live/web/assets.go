package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/libra-market/libra/core/chart"
)

//go:embed assets
var assetFiles embed.FS

// assetPath is where scripts and styles are. Behind it comes a name for the
// state of all of them, so that a browser can keep what it has for ever and
// still sees a new version at once; modules that name each other by a relative
// path stay within one state. Every start has a name of its own: who has the port
// while the server is away could have browsers keep scripts under any name that
// is known.
const assetPath = "/assets/"

// assets are all files by name, and assetVersion is what they are called
// together.
var assets, assetVersion = readAssets()

func readAssets() (files map[string][]byte, version string) {
	files = map[string][]byte{}
	list, err := assetFiles.ReadDir("assets")
	if err != nil {
		panic(err) // they are in the program
	}
	sum := sha256.New()
	fmt.Fprintln(sum, newSecret())
	for _, entry := range list {
		text, err := assetFiles.ReadFile("assets/" + entry.Name())
		if err != nil {
			panic(err)
		}
		if entry.Name() == "style.css" { // begins like every page of the program
			text = bytes.Join([][]byte{[]byte(chart.PageCSS), text}, []byte("\n"))
		}
		files[entry.Name()] = text
		fmt.Fprintf(sum, "%s %d\n%s", entry.Name(), len(text), text)
	}
	return files, hex.EncodeToString(sum.Sum(nil))[:16]
}

func asset(c *call) error {
	name := c.r.PathValue("name")
	text, found := assets[name]
	if !found || c.r.PathValue("version") != assetVersion {
		return errNotFound
	}
	c.w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	c.raw(http.StatusOK, assetKind(name), text)
	return nil
}

// icon answers the browsers that ask for one without being told where it is.
func icon(c *call) error {
	c.w.Header().Set("Cache-Control", "public, max-age=86400")
	c.raw(http.StatusOK, "image/svg+xml", assets["icon.svg"])
	return nil
}

func assetKind(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}

// assetURL is where a file of the program is.
func assetURL(name string) string {
	return strings.Join([]string{assetPath, assetVersion, "/", name}, "")
}
