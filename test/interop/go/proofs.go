package main

import (
	"context"
	"encoding/hex"
	"fmt"

	"filippo.io/torchwood"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// openLog fetches and verifies the checkpoint of a log.
func openLog(url, key string) (*torchwood.TileFetcher, tlog.Tree, error) {
	fetcher, err := torchwood.NewTileFetcher(url)
	if err != nil {
		return nil, tlog.Tree{}, err
	}
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return nil, tlog.Tree{}, err
	}
	signed, err := fetcher.ReadEndpoint(context.Background(), "checkpoint")
	if err != nil {
		return nil, tlog.Tree{}, err
	}
	policy := torchwood.ThresholdPolicy(2, torchwood.OriginPolicy(verifier.Name()), torchwood.SingleVerifierPolicy(verifier))
	checkpoint, _, err := torchwood.VerifyCheckpoint(signed, policy)
	return fetcher, checkpoint.Tree, err
}

// readEntries iterates over all entries of a log with torchwood's client, which verifies each of them.
// Arguments: the URL of the log, its verifier key. Prints the entries in hex.
func readEntries(args []string) error {
	fetcher, tree, err := openLog(args[0], args[1])
	if err != nil {
		return err
	}
	client, err := torchwood.NewClient(fetcher)
	if err != nil {
		return err
	}
	for _, entry := range client.AllEntries(context.Background(), tree, 0) {
		fmt.Println(hex.EncodeToString(entry))
	}
	return client.Err()
}

// The hashes of a proof, as base64 in JSON.
type hashes [][]byte

// A wanted or given proof of an inclusion (Index) or of the consistency with an earlier tree (Size, Root).
type inclusion struct {
	Index int64
	Entry []byte
	Proof hashes
}
type consistency struct {
	Size  int64
	Root  []byte
	Proof hashes
}
type proofs struct {
	Size        int64
	Root        []byte
	Inclusion   []inclusion
	Consistency []consistency
}

func toHashes(list []tlog.Hash) hashes {
	result := hashes{}
	for _, hash := range list {
		result = append(result, hash[:])
	}
	return result
}

func fromHashes(list hashes) []tlog.Hash {
	var result []tlog.Hash
	for _, hash := range list {
		result = append(result, tlog.Hash(hash))
	}
	return result
}

// prove makes proofs from the tiles of a log with golang.org/x/mod/sumdb/tlog.
// Arguments: the URL of the log, its verifier key. Input: the wanted proofs. Prints them.
func prove(args []string) error {
	fetcher, tree, err := openLog(args[0], args[1])
	if err != nil {
		return err
	}
	var wanted proofs
	if err := readJSON(&wanted); err != nil {
		return err
	}
	reader := torchwood.TileHashReaderWithContext(context.Background(), tree, fetcher)
	for i := range wanted.Inclusion {
		made, err := tlog.ProveRecord(tree.N, wanted.Inclusion[i].Index, reader)
		if err != nil {
			return err
		}
		wanted.Inclusion[i].Proof = toHashes(made)
	}
	for i := range wanted.Consistency {
		made, err := tlog.ProveTree(tree.N, wanted.Consistency[i].Size, reader)
		if err != nil {
			return err
		}
		wanted.Consistency[i].Proof = toHashes(made)
	}
	return writeJSON(wanted)
}

// verify verifies proofs with golang.org/x/mod/sumdb/tlog and with transparency-dev/merkle.
// Input: the proofs. Prints for each proof, inclusions first, which of the two accept it.
func verify([]string) error {
	var given proofs
	if err := readJSON(&given); err != nil {
		return err
	}
	size, root := given.Size, tlog.Hash(given.Root)
	accepted := [][]string{}
	judge := func(byTlog, byMerkle error) {
		by := []string{}
		if byTlog == nil {
			by = append(by, "tlog")
		}
		if byMerkle == nil {
			by = append(by, "merkle")
		}
		accepted = append(accepted, by)
	}
	hasher := rfc6962.DefaultHasher
	for _, one := range given.Inclusion {
		leaf := tlog.RecordHash(one.Entry)
		judge(
			tlog.CheckRecord(fromHashes(one.Proof), size, root, one.Index, leaf),
			proof.VerifyInclusion(hasher, uint64(one.Index), uint64(size), leaf[:], one.Proof, given.Root),
		)
	}
	for _, one := range given.Consistency {
		judge(
			tlog.CheckTree(fromHashes(one.Proof), size, root, one.Size, tlog.Hash(one.Root)),
			proof.VerifyConsistency(hasher, uint64(one.Size), uint64(size), one.Proof, one.Root, given.Root),
		)
	}
	return writeJSON(accepted)
}
