import { createServer, type ServerResponse } from 'node:http';
import { listen } from '../../../../cli/local/serve.ts';
import { policyText } from '../../../../cli/proof/inclusion/trustedKeys.ts';
import { entryIdOf } from '../../../../functions/ailog/entry.ts';
import { formatCheckpoint } from '../../../../functions/c2sp/checkpoint.ts';
import { type Signer, signNote } from '../../../../functions/c2sp/note.ts';
import { rootOfEdge } from '../../../../functions/c2sp/rightEdge.ts';
import { formatVerifierKey } from '../../../../functions/c2sp/verifierKey.ts';
import { formatReceipt, receiptOf } from '../../../../functions/receipts/receiptFormat.ts';
import { entryHashOf, entryPreimage, type HashedAttributes } from '../../../../functions/tlog/entryHash.ts';
import { formatHint, type Hint } from '../../../../functions/tlog/hints.ts';
import { hintsPath } from '../../../../functions/tlog/paths.ts';
import { newSigner, newWitness } from '../../../c2sp/keys.ts';
import { memoryLog, plainRoot } from '../../../c2sp/trees.ts';

/** The time that an entry waits before it is sequenced. */
const LAG_MS = 30_000;

const never = new AbortController().signal;
const vkey = ({ key }: Pick<Signer, 'key'>) => formatVerifierKey(key);

/** Answers a request for a file in place of the server. Returns false to let the server answer. */
type Intercept = (path: string, response: ServerResponse) => boolean;

/** The keys of a log, of its receipts, and of its witness. */
type Keys = Readonly<{ log: Signer; receipts: Signer; witness: ReturnType<typeof newWitness> }>;

/** A transparency log in memory with a witness, behind a real HTTP server at `/log/`. */
export async function openPublicLogServer(
  origin = 'logs.example.com/ailog',
  { log, receipts, witness }: Keys = {
    log: newSigner(origin),
    receipts: newSigner(`${origin}/receipts`),
    witness: newWitness('w.example'),
  },
) {
  const tree = memoryLog();
  const files = new Map<string, Uint8Array | string>();
  /** When files were stored that are older than the others, in milliseconds since 1970. */
  const stored = new Map<string, number>();
  const state = { requests: [] as string[], intercept: (() => false) as Intercept, storedAt: Date.now() };
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/log\//, '');
    state.requests.push(path);
    if (state.intercept(path, response)) return;
    const bytes = files.get(path);
    if (bytes === undefined) response.writeHead(404, { 'Access-Control-Allow-Origin': '*' }).end('no such file');
    else {
      const at = new Date(stored.get(path) ?? state.storedAt).toUTCString();
      response.writeHead(200, { 'Last-Modified': at, 'Access-Control-Allow-Origin': '*' }).end(bytes);
    }
  });
  const url = `${await listen(server, 0)}/log`;
  const close = () => server.close().closeAllConnections();
  let uid = 1000;

  return {
    url,
    files,
    stored,
    tree,
    log,
    receipts,
    witness,
    state,
    close,
    policy: policyText({ keys: [vkey(log), vkey(receipts)] }),
    witnessed: policyText({ keys: [vkey(log), vkey(receipts)], witnesses: `witness W ${vkey(witness)}\nquorum W\n` }),

    /** Returns a new entry with its receipt and its entry hash. */
    async entry(receivedAt: number) {
      uid += 1;
      const signed = { accessKey: `ailog_${uid}`, timestamp: String(receivedAt), signature: 'c2lnbmVk' };
      const entry: HashedAttributes = {
        uid: String(uid),
        entryId: entryIdOf(signed),
        receivedAt,
        ...signed,
        locale: 'en-US',
        sourceIp: '192.0.2.1',
        bodySha256: 'ab'.repeat(32),
        bodyBytes: 2,
      };
      const receipt = await signNote(formatReceipt(receiptOf(origin, entry)), [receipts], never);
      return { entry, receipt, entryHash: entryHashOf(entryPreimage(entry)) };
    },

    /**
     * Appends entries and publishes the checkpoint.
     * @param options times in milliseconds since 1970: `cosigned`: that of the cosignature of the witness; undefined:
     * there is none; `at`: that at which it was stored, as its hint says too; undefined: now; null: it has no hint
     */
    async publish(
      leaves: readonly Uint8Array[],
      {
        cosigned,
        at = Date.now(),
        signer = log,
      }: { cosigned?: number | undefined; at?: number | null; signer?: Signer } = {},
    ) {
      const from = tree.edge().size;
      tree.append(leaves);
      for (const [path, bytes] of tree.files) if (!files.has(path)) files.set(path, bytes);
      const { size } = tree.edge();
      const text = formatCheckpoint({ origin, size, root: rootOfEdge(tree.edge()) });
      const signed = await signNote(text, [signer], never);
      files.set(`checkpoints/${size}`, signed);
      if (at !== null && size > from) {
        stored.set(`checkpoints/${size}`, at);
        this.hint({ cursor: at - LAG_MS, size, published: at, from });
      }
      const line = cosigned === undefined ? '' : witness.cosign(text, Math.floor(cosigned / 1000));
      files.set('checkpoint', signed + line);
      if (line !== '' && !files.has(`cosigned/${size}`)) files.set(`cosigned/${size}`, signed + line);
      return signed + line;
    },

    /** Returns a cosigned checkpoint over other entries, as whoever has the key of the log can make it. */
    async forge(leaves: readonly Uint8Array[], cosigned: number): Promise<string> {
      const text = formatCheckpoint({ origin, size: leaves.length, root: plainRoot(leaves) });
      return (await signNote(text, [log], never)) + witness.cosign(text, Math.floor(cosigned / 1000));
    },

    /** Lets the log have these entries instead of those before. @returns the checkpoint, which its key signed */
    async fork(leaves: readonly Uint8Array[]): Promise<string> {
      const other = await openPublicLogServer(origin, { log, receipts, witness });
      const signed = await other.publish(leaves);
      other.close();
      files.clear();
      for (const [path, bytes] of other.files) files.set(path, bytes);
      return signed;
    },

    /**
     * Answers the first request for a file, or for one whose path begins so, in place of the server.
     * @returns how often it was asked for
     */
    answerOnce(start: string, answer: (response: ServerResponse) => unknown): () => number {
      let asked = 0;
      state.intercept = (path, response) => {
        if (!path.startsWith(start)) return false;
        asked += 1;
        return asked === 1 && !!answer(response);
      };
      return () => asked;
    },

    /** Adds a line of hints. */
    hint(hint: Hint): void {
      const path = hintsPath(new Date(hint.cursor).toISOString().slice(0, 10));
      files.set(path, `${files.get(path) ?? ''}${formatHint(hint)}`);
    },
  };
}

/** A public log of a test. */
export type PublicLogServer = Awaited<ReturnType<typeof openPublicLogServer>>;
