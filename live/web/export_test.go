package web

// Routes lists the routes as "METHOD pattern", for tests that must not miss one.
func Routes() []string {
	var list []string
	for _, r := range routes {
		list = append(list, r.method+" "+r.pattern)
	}
	return list
}

// ContentPolicy is the policy that every answer carries.
const ContentPolicy = contentPolicy

// AssetURL is where a file of the program is.
func AssetURL(name string) string { return assetURL(name) }

// Seen is a page as it is shown.
func Seen(page string) string { return string(seen([]byte(page))) }
