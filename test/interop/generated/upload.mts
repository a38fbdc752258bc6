import { createHmac } from 'node:crypto';
import { AILogsApi, type AiLog, Configuration } from './index';

const env = process.env as Record<string, string>;
const keys: Record<string, string> = {
  'ACCESS-KEY': env.AILOG_ACCESS_KEY as string,
  'ACCESS-PASSPHRASE': env.AILOG_PASSPHRASE as string,
};
const timestamp = String(Date.now());
const log: AiLog = {
  orderId: '590480926522704171', // A JavaScript number would be rounded.
  ...{ stage: 'Decision Making', model: 'GPT-5-mini', explanation: 'BTC is stronger – 看空 ETH 📉' },
  ...{ input: { prompt: 'BTC/ETH?' }, output: { response: 'Sell ETH' } },
};
const sign = (body: unknown) =>
  createHmac('sha256', env.AILOG_SECRET as string)
    .update(`${timestamp}POST/capi/v2/order/uploadAiLog${body}`)
    .digest('base64');
const api = new AILogsApi(
  new Configuration({ basePath: env.AILOG_URL as string, apiKey: (name) => keys[name] ?? '' }),
).withPreMiddleware(async ({ url, init }) => ({
  url,
  init: { ...init, headers: { ...init.headers, 'ACCESS-SIGN': sign(init.body) } },
}));
api.uploadAiLogRaw({ aCCESSTIMESTAMP: timestamp, locale: 'en-US', aiLog: log }).then(async (answer) => {
  console.log((await answer.value()).code, answer.raw.headers.get('AI-LOG-RECEIPT')?.slice(0, 8));
});
