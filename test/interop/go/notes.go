package main

import (
	"encoding/hex"
	"os"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// openNote opens the note on standard input with golang.org/x/mod/sumdb/note.
// Arguments: verifier keys. Prints its text and the names of the keys that signed it.
func openNote(keys []string) error {
	var known []note.Verifier
	for _, key := range keys {
		verifier, err := note.NewVerifier(key)
		if err != nil {
			return err
		}
		known = append(known, verifier)
	}
	signed, err := readInput()
	if err != nil {
		return err
	}
	opened, err := note.Open(signed, note.VerifierList(known...))
	if err != nil {
		return err
	}
	names := []string{}
	for _, signature := range opened.Sigs {
		names = append(names, signature.Name)
	}
	return writeJSON(map[string]any{"text": opened.Text, "signedBy": names, "ignored": len(opened.UnverifiedSigs)})
}

func readPolicy(path string) (torchwood.Policy, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return torchwood.ParsePolicy(text)
}

// verifyCheckpoint verifies the checkpoint on standard input with torchwood.
// Arguments: the file of a policy. Prints the times of its cosignatures by the names of their keys.
func verifyCheckpoint(args []string) error {
	policy, err := readPolicy(args[0])
	if err != nil {
		return err
	}
	signed, err := readInput()
	if err != nil {
		return err
	}
	checkpoint, opened, err := torchwood.VerifyCheckpoint(signed, policy)
	if err != nil {
		return err
	}
	cosigned := map[string]int64{}
	for _, signature := range opened.Sigs {
		if signature.Name == checkpoint.Origin {
			continue
		}
		if cosigned[signature.Name], err = torchwood.CosignatureTimestamp(signature); err != nil {
			return err
		}
	}
	return writeJSON(map[string]any{"origin": checkpoint.Origin, "size": checkpoint.N, "cosigned": cosigned})
}

// verifyProofFile verifies the tlog-proof on standard input with torchwood.
// Arguments: the file of a policy, the log entry in hex.
func verifyProofFile(args []string) error {
	policy, err := readPolicy(args[0])
	if err != nil {
		return err
	}
	entry, err := hex.DecodeString(args[1])
	if err != nil {
		return err
	}
	proof, err := readInput()
	if err != nil {
		return err
	}
	return torchwood.VerifyProof(policy, tlog.RecordHash(entry), proof)
}
