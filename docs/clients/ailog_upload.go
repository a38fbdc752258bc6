// Uploads AI logs: signs their bytes, sends the identical request again while that is safe, and keeps what proves them.
// Run: go run ailog_upload.go log.json ... (Go 1.21), with AILOG_URL, AILOG_ACCESS_KEY, AILOG_SECRET, AILOG_PASSPHRASE.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

const path = "/capi/v2/order/uploadAiLog"
const attemptTime, resendTime = 8 * time.Second, 26 * time.Second // For 30 s, the identical request is stored once.

// Upload keeps a line before a log is sent and one with its result, which it returns: "stored", "not stored" or "unknown"
// (the organisers find such a log by its timestamp), "receipt" is the proof, "warning" a probable mistake in the log.
func Upload(body []byte, keep io.Writer) map[string]any {
	url, timestamp := strings.TrimRight(os.Getenv("AILOG_URL"), "/")+path, fmt.Sprint(time.Now().UnixMilli())
	mac := hmac.New(sha256.New, []byte(os.Getenv("AILOG_SECRET")))
	fmt.Fprintf(mac, "%sPOST%s%s", timestamp, path, body)
	sign := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	line := map[string]any{"state": "sending", "timestamp": timestamp, "sign": sign, "body": string(body)}
	json.NewEncoder(keep).Encode(line) // If this program ends now, the line says what was sent.
	end, failure := time.Now().Add(resendTime), "not stored"
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for wait := time.Second; line["state"] == "sending"; wait *= 2 {
		request, _ := http.NewRequest("POST", url, bytes.NewReader(body))
		request.Header = http.Header{"Access-Key": {os.Getenv("AILOG_ACCESS_KEY")}, "Access-Timestamp": {timestamp},
			"Access-Sign": {sign}, "Access-Passphrase": {os.Getenv("AILOG_PASSPHRASE")},
			"Content-Type": {"application/json"}, "Locale": {"en-US"}}
		client.Timeout = max(100*time.Millisecond, min(attemptTime, time.Until(end)))
		answer, err := client.Do(request)
		if err != nil {
			answer = &http.Response{Body: io.NopCloser(strings.NewReader("no answer: " + err.Error()))}
		}
		text, _ := io.ReadAll(answer.Body) // Half an answer has no code.
		answer.Body.Close()
		status, get, reply := answer.StatusCode, answer.Header.Get, struct{ Code string }{}
		json.Unmarshal(text, &reply)
		line["status"], line["answer"], line["id"] = status, string(text), get("AI-LOG-ID")
		line["receipt"], line["warning"] = get("AI-LOG-RECEIPT"), get("AI-LOG-WARNING")
		after, _ := time.ParseDuration(get("Retry-After") + "s")
		if status < 300 || status >= 500 {
			failure = "unknown" // This attempt may have stored the log.
		}
		if status == 200 && reply.Code == "00000" {
			line["state"] = "stored"
		} else if (status >= 300 && status < 500 && status != 429) || time.Until(end) < max(wait, after) {
			line["state"] = failure
		} else {
			time.Sleep(max(wait, after))
		}
	}
	json.NewEncoder(keep).Encode(line)
	return line
}

func main() {
	keep, err := os.OpenFile("ailog-kept.jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY|os.O_SYNC, 0o600)
	for _, name := range os.Args[1:] {
		body, noLog := os.ReadFile(name)
		if err = errors.Join(err, noLog); err != nil {
			log.Fatal(err)
		}
		line := Upload(body, keep)
		fmt.Println(name+":", line["state"], "HTTP", line["status"], line["answer"], line["warning"])
		if line["state"] != "stored" {
			defer os.Exit(1) // when the others are sent
		}
	}
}
