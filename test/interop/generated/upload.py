import base64, hashlib, hmac, json, os, time
import openapi_client


class SigningClient(openapi_client.ApiClient):
    """Signs the text that the generated client is about to send."""

    def call_api(self, method, url, header_params=None, body=None, *others, **named):
        timestamp = header_params["ACCESS-TIMESTAMP"]
        signed = timestamp + "POST/capi/v2/order/uploadAiLog" + json.dumps(body)
        mac = hmac.new(os.environ["AILOG_SECRET"].encode(), signed.encode(), hashlib.sha256)
        header_params["ACCESS-SIGN"] = base64.b64encode(mac.digest()).decode()
        return super().call_api(method, url, header_params, body, *others, **named)


env = os.environ
keys = {"accessKey": env["AILOG_ACCESS_KEY"], "passphrase": env["AILOG_PASSPHRASE"]}
log = openapi_client.AiLog(
    orderId=openapi_client.AiLogOrderId(590480926522704171), stage="Decision Making", model="GPT-5-mini",
    input={"prompt": "BTC/ETH?"}, output={"response": "Sell ETH"}, explanation="BTC is stronger – 看空 ETH 📉",
)
with SigningClient(openapi_client.Configuration(host=env["AILOG_URL"], api_key=keys)) as client:
    api = openapi_client.AILogsApi(client)
    answer = api.upload_ai_log_with_http_info(str(time.time_ns() // 1_000_000), "en-US", log)
    print(answer.data.code, answer.headers["AI-LOG-RECEIPT"][:8])
