// Tells which results reviewdog keeps of a change, as with -filter-mode=added. On standard input:
// {"Diff": ..., "Results": [{"Path", "Start", "End"}]}; it prints the index of each that it keeps.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/reviewdog/reviewdog/diff"
	"github.com/reviewdog/reviewdog/filter"
	"github.com/reviewdog/reviewdog/proto/rdf"
)

type change struct {
	Diff    string
	Results []struct {
		Path       string
		Start, End int32
	}
}

func main() {
	var changes []change
	if err := json.NewDecoder(os.Stdin).Decode(&changes); err != nil {
		panic(err)
	}
	for _, one := range changes {
		files, err := diff.ParseMultiFile(strings.NewReader(one.Diff))
		if err != nil {
			panic(err)
		}
		kept := []string{}
		for index, result := range one.Results {
			span := &rdf.Range{
				Start: &rdf.Position{Line: result.Start},
				End:   &rdf.Position{Line: result.End},
			}
			at := &rdf.Location{Path: result.Path, Range: span}
			found := []*rdf.Diagnostic{{Location: at}}
			if filter.FilterCheck(found, files, 1, "", filter.ModeAdded)[0].ShouldReport {
				kept = append(kept, fmt.Sprint(index))
			}
		}
		fmt.Println(strings.Join(kept, " "))
	}
}
