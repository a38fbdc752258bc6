// Checks receipt.txt against log.json and AILOG_RECEIPT_KEY: see "Receipts" in clients.md. Needs .NET 10, which has no Ed25519 of its own.
#:package BouncyCastle.Cryptography@2.6.2
using System.Security.Cryptography;
using System.Text;
using Org.BouncyCastle.Crypto.Parameters;
using Org.BouncyCastle.Crypto.Signers;

var vkey = Environment.GetEnvironmentVariable("AILOG_RECEIPT_KEY")!.Split('+', 3);
var key = new Ed25519PublicKeyParameters(Convert.FromBase64String(vkey[2]), 1); // the first byte is the type, Ed25519
var note = Encoding.UTF8.GetString(Convert.FromBase64String(File.ReadAllText("receipt.txt").Trim()));
var end = note.LastIndexOf("\n\n", StringComparison.Ordinal) + 1;
var text = note[..end];
var signed = false;
foreach (var line in note[end..].Split('\n')) {
    var words = line.Split(' ');
    if (words.Length != 3 || words[1] != vkey[0]) continue;
    var signature = Convert.FromBase64String(words[2]);
    if (signature.Length != 68 || Convert.ToHexStringLower(signature[..4]) != vkey[1]) continue;
    var signer = new Ed25519Signer();
    signer.Init(false, key);
    var bytes = Encoding.UTF8.GetBytes(text);
    signer.BlockUpdate(bytes, 0, bytes.Length);
    signed |= signer.VerifySignature(signature[4..]);
}
var digest = Convert.ToHexStringLower(SHA256.HashData(File.ReadAllBytes("log.json")));
var origin = vkey[0].EndsWith("/receipts") ? vkey[0][..^"/receipts".Length] : vkey[0];
Console.Write(text);
return signed && text.StartsWith($"ai-log-receipt/v1\n{origin}\n", StringComparison.Ordinal) && text.Split('\n')[5] == digest ? 0 : 1;
