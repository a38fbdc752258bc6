use base64::Engine;
use hmac::{Hmac, Mac};
use openapi::{apis::ai_logs_api::upload_ai_log, apis::configuration::Configuration, models};
use std::{collections::HashMap, env::var, time::SystemTime};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    let timestamp = since.as_millis().to_string();
    let prompt = HashMap::from([("prompt".to_string(), "BTC/ETH?".into())]);
    let mut log = models::AiLog::new("Decision Making".into(), "GPT-5-mini".into(), prompt, HashMap::new(), "看空 📉".into());
    log.order_id = Some(Box::new(models::AiLogOrderId::OrderIdNumber(590480926522704171)));
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(var("AILOG_SECRET")?.as_bytes())?;
    mac.update(format!("{timestamp}POST/capi/v2/order/uploadAiLog").as_bytes());
    mac.update(&serde_json::to_vec(&log)?); // as the generated client serialises it
    let sign = base64::engine::general_purpose::STANDARD.encode(mac.finalize().into_bytes());
    let mut headers = reqwest::header::HeaderMap::new();
    // The generated client sends one API key in all three headers, so it gets none.
    headers.insert("ACCESS-KEY", var("AILOG_ACCESS_KEY")?.parse()?);
    headers.insert("ACCESS-PASSPHRASE", var("AILOG_PASSPHRASE")?.parse()?);
    headers.insert("ACCESS-SIGN", sign.parse()?);
    let client = reqwest::Client::builder().default_headers(headers).build()?;
    let configuration = Configuration { base_path: var("AILOG_URL")?, client, ..Configuration::default() };
    let accepted = upload_ai_log(&configuration, &timestamp, "en-US", log).await?;
    println!("{}", serde_json::to_value(&accepted)?["code"].as_str().unwrap_or_default());
    Ok(())
}
