import { decodeHash } from '../../functions/c2sp/base64.ts';
import { parseCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { sameHash } from '../../functions/c2sp/hashing.ts';
import { parseNote, verifyNote } from '../../functions/c2sp/note.ts';
import { verifyConsistency } from '../../functions/c2sp/proofs.ts';
import type { VerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { newWitness } from '../c2sp/keys.ts';
import { startFaultProxy } from './faults.ts';
import { startServer } from './server.ts';

/**
 * A witness of one log that answers as C2SP tlog-witness says, "add-checkpoint".
 * @param log the key of the log that it watches
 * @param clock returns the time of its cosignatures, in seconds since 1970
 */
export async function startWitness(name: string, log: VerifierKey, clock = () => 1_763_112_660) {
  const { key, cosign } = newWitness(name);
  let seen: { size: number; root: Uint8Array } | undefined;
  const requests: { status: number; old: number }[] = [];

  const judge = (body: string): readonly [status: number, body: string] => {
    const end = body.indexOf('\n\n');
    const [old = '', ...proof] = body.slice(0, end).split('\n');
    const note = parseNote(body.slice(end + 2));
    const checkpoint = parseCheckpoint(note.text);
    if (checkpoint.origin !== log.name) return [404, 'unknown log'];
    if (verifyNote(note, [log]).length === 0) return [403, 'not signed'];
    const from = Number(/^old (\d+)$/.exec(old)?.[1]);
    if (!(from <= checkpoint.size)) return [400, 'old size'];
    if (from !== (seen?.size ?? 0)) return [409, `${seen?.size ?? 0}\n`];
    const hashes = proof.map((line) => decodeHash(line, 'hash'));
    if (seen?.size === checkpoint.size && !sameHash(seen.root, checkpoint.root)) return [409, 'root'];
    if (seen ? !verifyConsistency(hashes, seen, checkpoint) : hashes.length > 0) return [422, 'proof'];
    seen = checkpoint;
    return [200, cosign(note.text, clock())];
  };

  const { url } = await startServer((request, response, bytes) => {
    const body = bytes.toString();
    if (request.method !== 'POST' || request.url !== '/w/add-checkpoint') return response.writeHead(404).end();
    const [status, says] = judge(body);
    requests.push({ status, old: Number(/^old (\d+)/.exec(body)?.[1]) });
    response.writeHead(status).end(says);
  });
  /** The faulty connection to it. */
  const way = await startFaultProxy(url);
  return { key, cosign, url: `${way.url}/w/`, requests, way };
}
