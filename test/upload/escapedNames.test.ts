import { expect, test } from 'vitest';
import { misreadNames } from '../setup/misreadNames.ts';
import { inProcess, logText, signedUpload, world } from '../setup/world.ts';

const fixture = await world();

const rest = logText().slice(1);

test('a log with an escaped name keeps its order id, whatever the same function has parsed before', async () => {
  const team = await fixture.team();
  const transport = inProcess(fixture.dependencies());
  const { before, after } = misreadNames();
  for (const body of [`${before},${rest}`, `${after}:"7",${rest}`]) {
    expect(await transport.send(signedUpload(team, { body }))).toMatchObject({ status: 200 });
  }
  const [, entry] = await fixture.entriesOf(team.uid);
  expect(entry).toMatchObject({ orderId: 7 });
});

test('an escaped name cannot hide a key that is not allowed', async () => {
  const team = await fixture.team();
  const transport = inProcess(fixture.dependencies());
  await transport.send(signedUpload(team, { body: `{"poison":1,"\\\\u005f_p":0,${rest}` }));
  const answer = await transport.send(signedUpload(team, { body: `{"poison":1,"\\u005f_proto__":{},${rest}` }));
  expect(answer).toMatchObject({ status: 400, json: { code: '40017' } });
});
