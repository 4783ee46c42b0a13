// Checks notes, roots and proofs with Go's checksum-database code. Reads JSON on standard input
// and prints what does not hold, a line each.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type proofs struct {
	Size        int64
	Root        string
	Index       int64
	Inclusion   []string
	From        int64
	Consistency []string
}

type input struct {
	Key    string
	Notes  []string
	Texts  []string
	Leaves []string
	Proofs []proofs
}

var hashes []tlog.Hash

func readHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		out[i] = hashes[index]
	}
	return out, nil
}

func main() {
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		panic(err)
	}
	verifier, err := note.NewVerifier(in.Key)
	if err != nil {
		panic(err)
	}
	for i, signed := range in.Notes {
		opened, err := note.Open([]byte(signed), note.VerifierList(verifier))
		if err != nil {
			fmt.Printf("note %d: %v\n", i, err)
		} else if opened.Text != in.Texts[i] {
			fmt.Printf("note %d: other text %q\n", i, opened.Text)
		}
	}
	for i, leaf := range in.Leaves {
		more, err := tlog.StoredHashes(int64(i), []byte(leaf), tlog.HashReaderFunc(readHashes))
		if err != nil {
			panic(err)
		}
		hashes = append(hashes, more...)
	}
	for _, p := range in.Proofs {
		if err := check(p, in.Leaves); err != nil {
			fmt.Printf("size %d, index %d, from %d: %v\n", p.Size, p.Index, p.From, err)
		}
	}
	fmt.Printf("checked %d notes, %d sizes\n", len(in.Notes), len(in.Proofs))
}

func check(p proofs, leaves []string) error {
	reader := tlog.HashReaderFunc(readHashes)
	root, err := tlog.TreeHash(p.Size, reader)
	if err != nil {
		return err
	}
	if root.String() != p.Root {
		return fmt.Errorf("root is %v", root)
	}
	older, err := tlog.TreeHash(p.From, reader)
	if err != nil {
		return err
	}
	record, err := tlog.ProveRecord(p.Size, p.Index, reader)
	if err != nil {
		return err
	}
	tree, err := tlog.ProveTree(p.Size, p.From, reader)
	if err != nil {
		return err
	}
	if !slices.Equal(record, parse(p.Inclusion)) || !slices.Equal(tree, parse(p.Consistency)) {
		return fmt.Errorf("another proof")
	}
	leaf := tlog.RecordHash([]byte(leaves[p.Index]))
	if err := tlog.CheckRecord(parse(p.Inclusion), p.Size, root, p.Index, leaf); err != nil {
		return err
	}
	return tlog.CheckTree(parse(p.Consistency), p.Size, root, p.From, older)
}

func parse(texts []string) []tlog.Hash {
	var out []tlog.Hash
	for _, text := range texts {
		hash, err := tlog.ParseHash(text)
		if err != nil {
			panic(err)
		}
		out = append(out, hash)
	}
	return out
}
