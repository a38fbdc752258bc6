/** Returns a JSON number with every digit of the text. Node 24 has it, TypeScript does not declare it yet. */
export const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown };

/** The example AI log, as the service parses it. The demo, the page for teams and the tests make theirs from it. */
export const exampleLog = {
  orderId: '590480926522704171',
  stage: 'Decision Making',
  model: 'GPT-5-mini',
  input: { prompt: 'BTC/ETH, last 6 h?' },
  output: { response: 'Sell ETH' },
  explanation: 'BTC is stronger than ETH.',
};

const { orderId: _orderId, ...withoutOrder } = exampleLog;

/** The shortest log: for a first upload, and for tests, which change what they are about. */
export const shortLog = { ...withoutOrder, stage: 'Test', model: 'none', input: {}, output: {}, explanation: 'Test' };

/** The example as the body of an upload. The order id is a number with all 18 digits. */
export const exampleLogJson = JSON.stringify({ ...exampleLog, orderId: rawJSON(exampleLog.orderId) });
