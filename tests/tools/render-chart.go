// render-chart -- renders a Helm chart as helm template does, for tests on hosts without helm. It
// uses the same text/template, and sprig from Debian's packages. Of helm's own functions it has
// those that the chart uses, include and toJson; any other is an error.
//  export GO111MODULE=off GOPATH=/usr/share/gocode
//  go run render-chart.go CHART RELEASE NAMESPACE VALUES...
// Prints a JSON object with the output of each template by file, and the merged "values".
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "render-chart:", err)
		os.Exit(1)
	}
}

// Reads YAML through JSON as helm does, so numbers become float64.
func read(path string) map[string]interface{} {
	var parsed interface{}
	var object map[string]interface{}
	text, err := os.ReadFile(path)
	must(err)
	must(yaml.Unmarshal(text, &parsed))
	text, err = json.Marshal(parsed)
	must(err)
	must(json.Unmarshal(text, &object))
	return object
}

// Merges values of the user into `to`; null removes a default.
func merge(to, from map[string]interface{}) {
	for key, value := range from {
		inner, is := value.(map[string]interface{})
		old, was := to[key].(map[string]interface{})
		if value == nil {
			delete(to, key)
		} else if is && was {
			merge(old, inner)
		} else {
			to[key] = value
		}
	}
}

func functions(all *template.Template) template.FuncMap {
	f := sprig.TxtFuncMap()
	delete(f, "env")
	delete(f, "expandenv")
	f["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	f["toJson"] = func(value interface{}) (string, error) {
		text, err := json.Marshal(value)
		return string(text), err
	}
	return f
}

func main() {
	if len(os.Args) < 4 {
		must(fmt.Errorf("expected CHART RELEASE NAMESPACE VALUES..."))
	}
	dir := os.Args[1]
	about := read(filepath.Join(dir, "Chart.yaml"))
	values := read(filepath.Join(dir, "values.yaml"))
	for _, path := range os.Args[4:] {
		merge(values, read(path))
	}
	chart := map[string]interface{}{}
	for key, value := range about {
		chart[strings.ToUpper(key[:1])+key[1:]] = value
	}
	data := map[string]interface{}{
		"Values": values,
		"Chart":  chart,
		"Release": map[string]interface{}{"Name": os.Args[2], "Namespace": os.Args[3],
			"Service": "Helm"},
	}
	all := template.New("").Option("missingkey=zero")
	all.Funcs(functions(all))
	paths, err := filepath.Glob(filepath.Join(dir, "templates", "*"))
	must(err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(err)
		template.Must(all.New(filepath.Base(path)).Parse(string(text)))
	}
	rendered := map[string]interface{}{"values": values}
	for _, path := range paths {
		var text strings.Builder
		name := filepath.Base(path)
		must(all.ExecuteTemplate(&text, name, data))
		if !strings.HasPrefix(name, "_") {
			rendered[name] = strings.ReplaceAll(text.String(), "<no value>", "")
		}
	}
	text, err := json.MarshalIndent(rendered, "", "  ")
	must(err)
	fmt.Println(string(text))
}
