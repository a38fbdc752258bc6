package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"net"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// serveAgent makes a new Ed25519 key and serves it as an SSH agent, from which litewitness takes its key.
// Arguments: the path of the socket. Prints the fingerprint of the key.
func serveAgent(args []string) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	keyring := agent.NewKeyring()
	if err := keyring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		return err
	}
	sshKey, err := ssh.NewPublicKey(public)
	if err != nil {
		return err
	}
	listener, err := net.Listen("unix", args[0])
	if err != nil {
		return err
	}
	fmt.Println(ssh.FingerprintSHA256(sshKey))
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go agent.ServeAgent(keyring, connection)
	}
}
