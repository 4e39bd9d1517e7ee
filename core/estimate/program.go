package estimate

import (
	"path"
	"strings"
)

// ScriptFile is the variable that says which file a script was handed in as.
const ScriptFile = "LIBRA_SCRIPT="

// Program is what a job runs, by the name under which its runs are alike: that of the
// program or of the script's file, without its folder. What an interpreter runs is the
// file that it is given, and a text that a shell is given is itself what runs. Of a
// script that was in no file there is no name.
func Program(argv []string, script bool, env []string) string {
	if script {
		for _, setting := range env {
			if file, is := strings.CutPrefix(setting, ScriptFile); is && file != "" {
				return path.Base(file)
			}
		}
		return ""
	}
	if len(argv) == 0 {
		return ""
	}
	name := path.Base(argv[0])
	if len(argv) == 1 || !interprets(name) {
		return name
	}
	switch first := argv[1]; {
	case first == "-c" && len(argv) > 2:
		return short(argv[2])
	case strings.HasPrefix(first, "-"):
		return name
	default:
		return path.Base(first)
	}
}

// interpreters run the file that is named first, whatever number is behind their names.
var interpreters = map[string]bool{
	"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "csh": true, "tcsh": true, "fish": true,
	"python": true, "perl": true, "ruby": true, "Rscript": true, "julia": true, "node": true, "lua": true, "tclsh": true,
}

func interprets(name string) bool { return interpreters[strings.TrimRight(name, ".0123456789")] }

// short is a text of a shell as a name: whole, unless it is long.
func short(text string) string {
	const most = 80
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most])
	}
	return text
}
