import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.*;
import java.security.spec.X509EncodedKeySpec;
import java.util.*;

/** Checks receipt.txt against log.json and AILOG_RECEIPT_KEY: see "Receipts" in clients.md. Needs Java 17. */
class Receipt {
    public static void main(String[] arguments) throws Exception {
        var vkey = System.getenv("AILOG_RECEIPT_KEY").split("\\+", 3);
        var base64 = Base64.getDecoder();
        var der = HexFormat.of().parseHex("302a300506032b6570032100" + HexFormat.of().formatHex(base64.decode(vkey[2]), 1, 33));
        var key = KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(der));
        var note = new String(base64.decode(Files.readString(Path.of("receipt.txt")).strip()), StandardCharsets.UTF_8);
        var end = note.lastIndexOf("\n\n") + 1;
        var text = note.substring(0, end);
        var signed = false;
        for (var line : note.substring(end).split("\n")) {
            var words = line.split(" ");
            if (words.length != 3 || !words[1].equals(vkey[0])) continue;
            var signature = base64.decode(words[2]);
            if (signature.length != 68 || !HexFormat.of().formatHex(signature, 0, 4).equals(vkey[1])) continue;
            var verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(key);
            verifier.update(text.getBytes(StandardCharsets.UTF_8));
            signed |= verifier.verify(signature, 4, 64);
        }
        var digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(Path.of("log.json")));
        var isReceipt = text.startsWith("ai-log-receipt/v1\n" + vkey[0].replaceFirst("/receipts$", "") + "\n");
        System.out.print(text);
        System.exit(signed && isReceipt && text.split("\n")[5].equals(HexFormat.of().formatHex(digest)) ? 0 : 1);
    }
}
