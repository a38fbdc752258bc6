const timestamp = String(Date.now());
const body = pm.variables.replaceIn(pm.request.body.raw);
pm.request.body.raw = body; // signed and sent without variables
const signed = `${timestamp}POST/capi/v2/order/uploadAiLog${body}`;
const { HmacSHA256, enc } = require('crypto-js');
const headers = {
  'ACCESS-KEY': pm.variables.get('AILOG_ACCESS_KEY'),
  'ACCESS-PASSPHRASE': pm.variables.get('AILOG_PASSPHRASE'),
  'ACCESS-SIGN': HmacSHA256(signed, pm.variables.get('AILOG_SECRET')).toString(enc.Base64),
  'ACCESS-TIMESTAMP': timestamp,
  'Content-Type': 'application/json',
  locale: 'en-US',
};
for (const [key, value] of Object.entries(headers)) pm.request.headers.upsert({ key, value });
