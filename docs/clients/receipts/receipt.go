// Checks receipt.txt against log.json and AILOG_RECEIPT_KEY: see "Receipts" in clients.md. Needs Go 1.13.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

func main() {
	vkey := strings.SplitN(os.Getenv("AILOG_RECEIPT_KEY"), "+", 3)
	key, _ := base64.StdEncoding.DecodeString(vkey[2]) // the first byte is the type, Ed25519
	header, _ := os.ReadFile("receipt.txt")
	note, _ := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(header)))
	end := bytes.LastIndex(note, []byte("\n\n")) + 1
	text, signed := note[:end], false
	for _, line := range strings.Split(string(note[end:]), "\n") {
		words := strings.Split(line, " ")
		if len(words) != 3 || words[1] != vkey[0] {
			continue
		}
		signature, _ := base64.StdEncoding.DecodeString(words[2])
		if len(signature) == 68 && hex.EncodeToString(signature[:4]) == vkey[1] {
			signed = signed || ed25519.Verify(key[1:], text, signature[4:])
		}
	}
	log, _ := os.ReadFile("log.json")
	fmt.Print(string(text))
	isReceipt := strings.HasPrefix(string(text), "ai-log-receipt/v1\n"+strings.TrimSuffix(vkey[0], "/receipts")+"\n")
	if digest := fmt.Sprintf("%x", sha256.Sum256(log)); !signed || !isReceipt || strings.Split(string(text), "\n")[5] != digest {
		os.Exit(1)
	}
}
