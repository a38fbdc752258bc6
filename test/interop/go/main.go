// The third-party side of `npx vitest run --project interop`. Each command hands what it reads to a library that knows
// nothing about this project, and exits with 1 and a message if the library rejects it.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

var commands = map[string]func(args []string) error{
	"note":       openNote,
	"checkpoint": verifyCheckpoint,
	"proof-file": verifyProofFile,
	"prove":      prove,
	"verify":     verify,
	"entries":    readEntries,
	"agent":      serveAgent,
}

func main() {
	command, ok := commands[os.Args[1]]
	if !ok {
		panic("unknown command " + os.Args[1])
	}
	if err := command(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func readInput() ([]byte, error) { return io.ReadAll(os.Stdin) }

func readJSON(into any) error { return json.NewDecoder(os.Stdin).Decode(into) }

func writeJSON(value any) error { return json.NewEncoder(os.Stdout).Encode(value) }
