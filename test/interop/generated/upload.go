package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
	"os"
	"time"
)

func main() {
	orderId, timestamp := int64(590480926522704171), fmt.Sprint(time.Now().UnixMilli())
	log := openapi.NewAiLog("Decision Making", "GPT-5-mini", map[string]any{"prompt": "BTC/ETH?"}, map[string]any{}, "看空 📉")
	log.SetOrderId(openapi.Int64AsAiLogOrderId(&orderId))
	mac := hmac.New(sha256.New, []byte(os.Getenv("AILOG_SECRET")))
	fmt.Fprintf(mac, "%sPOST/capi/v2/order/uploadAiLog", timestamp)
	json.NewEncoder(mac).Encode(log) // as the generated client serialises it, with a line break
	configuration := openapi.NewConfiguration()
	configuration.Servers[0].URL = os.Getenv("AILOG_URL")
	configuration.AddDefaultHeader("ACCESS-KEY", os.Getenv("AILOG_ACCESS_KEY"))
	configuration.AddDefaultHeader("ACCESS-PASSPHRASE", os.Getenv("AILOG_PASSPHRASE"))
	configuration.AddDefaultHeader("ACCESS-SIGN", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	upload := openapi.NewAPIClient(configuration).AILogsAPI.UploadAiLog(context.Background())
	accepted, _, err := upload.ACCESSTIMESTAMP(timestamp).Locale("en-US").AiLog(*log).Execute()
	fmt.Println(accepted.GetCode(), err)
}
