import { expect, vi } from 'vitest';
import { closedAtEnd } from '../setup/closing.ts';
import { areProxiesWorking, CALLS, type Call, loaded, type Plan, signedUpload, world } from '../setup/world.ts';

/** The time in milliseconds in which the function guarantees a response. A hanging call takes longer. */
const RESPONSE_LIMIT_MS = 5000;

/** The faults of each call of an upload. */
export type Plans = Partial<Record<Call, Plan>>;

let callers = 0;

/**
 * Gives this process a clock until the test file ends: it goes on to the next timer only when all wait for one. So no
 * call runs out of time because the machine is busy.
 */
function giveClock(): void {
  if (vi.isFakeTimers()) return;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  let quiet = 0;
  const look = setInterval(() => {
    quiet = areProxiesWorking() ? 0 : quiet + 1;
    // A call between this process and itself, and what it computes, take some turns.
    if (quiet % 20 === 19) vi.advanceTimersToNextTimer();
  }, 1);
  closedAtEnd(() => {
    clearInterval(look);
    vi.useRealTimers();
  });
}

/** Functions behind a fault proxy, and a method that sends an upload while calls fail. */
export async function openFaultHarness() {
  const fixture = await world();
  const proxy = await fixture.faulty();
  giveClock();

  /** A team with its own IP address, so that faults affect no other caller. */
  async function newCaller() {
    callers += 1;
    const ip = `10.${callers >> 16}.${(callers >> 8) & 255}.${callers & 255}`;
    const team = await fixture.team();
    const { accessKey, uid } = team;
    const subjects = {
      'get key': accessKey,
      'read records': accessKey,
      'get allowlist entry': uid,
      'consume uid': uid,
      'consume ip': ip,
      'put entry': uid,
    };
    return { team, ip, subjects: subjects satisfies Record<Call, string> };
  }

  return {
    newFunction: () => loaded(proxy),

    /**
     * Sends an upload while calls fail as planned, then the identical upload without faults. Expects an envelope in
     * time from both, an entry for every 200, exactly one entry in the end, and a weight for every accepted upload.
     * @param options `warm`: the function remembers the owner of the key, so it reads key and allowlist entry at once
     */
    async sendWithFaults(plans: Plans, from: ReturnType<typeof loaded>, { warm = false } = {}) {
      const { team, ip, subjects } = await newCaller();
      const transport = from(ip);
      const earlier = warm ? [await transport.send(signedUpload(team, { timestamp: () => Date.now() - 1 }))] : [];
      for (const call of CALLS) proxy.fail(call, subjects[call], plans[call] ?? (() => undefined));
      const upload = signedUpload(team);
      const before = new Set((await fixture.entriesOf(team.uid)).map(({ entryId }) => entryId));
      const stored = async () =>
        (await fixture.entriesOf(team.uid)).map(({ entryId }) => entryId).filter((id) => !before.has(id));

      const start = performance.now();
      const answer = await transport.send(upload);
      const milliseconds = performance.now() - start;
      const entries = await stored();
      for (const call of CALLS) proxy.heal(call, subjects[call]);
      if (!proxy.listening()) await proxy.listen();
      const again = await transport.send(upload);

      expect(milliseconds).toBeLessThan(RESPONSE_LIMIT_MS);
      expect([200, 503]).toContain(answer.status);
      if (answer.status === 200) {
        expect(answer.json).toMatchObject({ code: '00000', msg: 'success', data: 'upload success' });
        expect(entries).toEqual([answer.headers['ai-log-id']]);
      } else {
        expect(answer.json).toMatchObject({ code: '40015', msg: 'System busy, retry', data: null });
        expect(answer.headers['retry-after']).toBe('1');
      }
      expect(again).toMatchObject({ status: 200, json: { code: '00000' } });
      expect(await stored()).toEqual([again.headers['ai-log-id']]);
      const accepted = [...earlier, answer, again].filter(({ status }) => status === 200);
      // A function that remembers an entry lets the identical request cost its UID nothing more.
      const distinct = new Set(accepted.map(({ headers }) => headers['ai-log-id'])).size;
      expect(await fixture.weightOf(`uid#${team.uid}`)).toBeGreaterThanOrEqual(distinct);
      expect(await fixture.weightOf(`ip#${ip}`)).toBeGreaterThanOrEqual(accepted.length);
      return { status: answer.status, stored: entries.length, milliseconds };
    },
  };
}
