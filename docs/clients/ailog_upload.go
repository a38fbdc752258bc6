// Uploads AI logs: signs their bytes, sends the identical request again while that is safe, and keeps what proves them.
// Run: go run ailog_upload.go log.json ... (Go 1.21), with AILOG_URL, AILOG_ACCESS_KEY, AILOG_SECRET, AILOG_PASSPHRASE.
package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"
)

const path = "/capi/v2/order/uploadAiLog"
const attemptTime, resendTime = 8 * time.Second, 26 * time.Second // For 30 s, the identical request is stored once.

var loopback = regexp.MustCompile(`^(localhost|127(\.\d+){3}|::1)$`) // Plain HTTP shows the passphrase on any other way.

var plain = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)
var coded = regexp.MustCompile(`"code"\s*:\s*"`)

// By these, and by redirects, any server says that it has not passed a request on.
var notPassedOn = map[int]bool{401: true, 403: true, 404: true, 405: true, 407: true, 413: true, 414: true, 421: true}

// Upload keeps a line before a log is sent and one with its result, which it returns: "stored", "not stored" or "unknown"
// (the organisers find such a log by its timestamp), "receipt" is the proof, "warning" a probable mistake in the log.
// An error without a result means that nothing was sent.
func Upload(body []byte, keep io.Writer) (map[string]any, error) {
	for _, name := range []string{"AILOG_URL", "AILOG_ACCESS_KEY", "AILOG_SECRET", "AILOG_PASSPHRASE"} {
		if !plain.MatchString(os.Getenv(name)) {
			return nil, errors.New(name + " must be set, in ASCII, without spaces at its ends")
		}
	}
	to, timestamp := strings.TrimRight(os.Getenv("AILOG_URL"), "/")+path, fmt.Sprint(time.Now().UnixMilli())
	at, err := url.Parse(to)
	if err != nil || at.Hostname() == "" || at.RawQuery != "" || at.Fragment != "" || at.User != nil {
		return nil, errors.New("AILOG_URL must be as https://api.example.com, with a path or not")
	}
	if at.Scheme != "https" && !(at.Scheme == "http" && loopback.MatchString(at.Hostname())) {
		return nil, errors.New("AILOG_URL must start with https: anything else would send the passphrase unencrypted")
	}
	mac := hmac.New(sha256.New, []byte(os.Getenv("AILOG_SECRET")))
	fmt.Fprintf(mac, "%sPOST%s%s", timestamp, path, body)
	sign := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	line := map[string]any{"state": "sending", "timestamp": timestamp, "sign": sign, "body": string(body)}
	if err := json.NewEncoder(keep).Encode(line); err != nil {
		return nil, err
	}
	// If this program ends now, the line says what was sent.
	end, failure, tries := time.Now().Add(resendTime), "not stored", 0
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for wait := time.Second; line["state"] == "sending"; wait *= 2 {
		connected := false
		trace := httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }}
		request, err := http.NewRequestWithContext(httptrace.WithClientTrace(context.Background(), &trace), "POST", to, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.Header = http.Header{"Access-Key": {os.Getenv("AILOG_ACCESS_KEY")}, "Access-Timestamp": {timestamp},
			"Access-Sign": {sign}, "Access-Passphrase": {os.Getenv("AILOG_PASSPHRASE")},
			"Content-Type": {"application/json"}, "Locale": {"en-US"}}
		client.Timeout = max(100*time.Millisecond, min(attemptTime, time.Until(end)))
		answer, err := client.Do(request)
		var text []byte
		if err == nil {
			text, err = io.ReadAll(answer.Body)
			answer.Body.Close()
		}
		tries++
		if late := net.Error(nil); errors.As(err, &late) && late.Timeout() {
			err = fmt.Errorf("within %v s", attemptTime.Seconds())
		}
		if err != nil {
			answer, text = &http.Response{}, []byte(fmt.Sprintf("no answer %v, %d tries", err, tries))
		}
		status, get, reply := answer.StatusCode, answer.Header.Get, struct{ Code string }{}
		json.Unmarshal(text, &reply)
		line["status"], line["answer"], line["id"] = status, string(text), get("AI-LOG-ID")
		line["receipt"], line["warning"] = get("AI-LOG-RECEIPT"), get("AI-LOG-WARNING")
		after, _ := time.ParseDuration(get("Retry-After") + "s")
		refused := notPassedOn[status] || status >= 300 && status < 400 || status >= 400 && status < 500 && coded.Match(text)
		if connected && !refused {
			failure = "unknown" // This attempt may have stored the log.
		}
		if status == 200 && reply.Code == "00000" {
			line["state"] = "stored"
		} else if refused && status != 429 || time.Until(end) < max(wait, after) {
			line["state"] = failure
		} else {
			time.Sleep(max(wait, after))
		}
	}
	return line, json.NewEncoder(keep).Encode(line)
}

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: go run ailog_upload.go log.json ...")
	}
	for _, name := range os.Args[1:] {
		keep, err := os.OpenFile("ailog-kept.jsonl", os.O_APPEND|os.O_CREATE|os.O_WRONLY|os.O_SYNC, 0o600)
		body, noLog := os.ReadFile(name)
		var line map[string]any
		if err = errors.Join(err, noLog); err == nil {
			line, err = Upload(body, keep)
		}
		if line == nil {
			log.Printf("%s: not sent: %v", name, err)
			defer os.Exit(1)
			continue
		}
		fmt.Println(name+":", line["state"], "HTTP", line["status"], line["answer"], line["warning"])
		if err != nil {
			log.Print(name, ": keep its receipt ", line["receipt"], ": ", err)
		}
		if line["state"] != "stored" || err != nil {
			defer os.Exit(1) // when the others are sent
		}
	}
}
