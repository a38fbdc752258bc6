import { expect, test } from 'vitest';
import { outputs } from '../../infra/outputs.ts';
import { tables } from '../../infra/tables.ts';
import { nameOf, synth } from './synth.ts';

const { part } = synth({ analytics: 'true' });
const ROLES = Object.keys(outputs.staff);
/** The unique id of the caller, and keys that belong to others. */
const OWN = 'AROA2REVIEWER:ann';
const KEYS = [OWN, 'AIDA2SOMEBODYELSE', 'receipt-keys', 'head'];
const CHANGES = ['Put', 'Update', 'Delete', 'BatchWrite'].map((name) => `dynamodb:${name}Item`);
const PARTIQL = ['Insert', 'Update', 'Delete'].map((name) => `dynamodb:PartiQL${name}`);

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: {
    readonly 'ForAllValues:StringEquals'?: { readonly 'dynamodb:LeadingKeys': string | string[] };
  };
}

/** Returns true if a text fits a pattern of IAM, in which `*` stands for any characters. */
const fits = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`).test(text);

/** Returns true if a policy lets the caller do this with the items of a key, as IAM evaluates it. */
const allows = (role: string, action: string, table: string, key: string): boolean =>
  (part(`Staff${role}`).Properties.PolicyDocument.Statement as Statement[]).some(({ Action, Resource, Condition }) => {
    const leading = Condition?.['ForAllValues:StringEquals'];
    const keys = leading && [leading['dynamodb:LeadingKeys']].flat();
    return (
      [Action].flat().some((one) => fits(one, action)) &&
      [Resource].flat().some((one) => fits(nameOf(one).replace(/^arn:.*table\//, ''), table)) &&
      (keys?.some((one) => one.replace(`$${'{aws:userid}'}`, OWN) === key) ?? true)
    );
  });

/** Returns who may change which items of a table. */
function writersOf(table: string): string[] {
  return ROLES.flatMap((role) =>
    [...CHANGES, ...PARTIQL].flatMap((action) => {
      const allowed = KEYS.filter((key) => allows(role, action, table, key));
      if (allowed.length === 0) return [];
      const which = allowed.length === KEYS.length ? 'any' : allowed.join(', ').replace(OWN, 'own');
      return [`${role} ${action.replace('dynamodb:', '')}: ${which}`];
    }),
  );
}

/** Returns true if a policy lets the caller write a file of a bucket. */
const writes = (role: string, file: string): boolean =>
  (part(`Staff${role}`).Properties.PolicyDocument.Statement as Statement[]).some(
    ({ Action, Resource }) =>
      [Action].flat().some((one) => fits(one, 's3:PutObject') || fits(one, 's3:DeleteObject')) &&
      [Resource].flat().some((one) => fits(nameOf(one), file)),
  );

const ofCopies = ['Put', 'Update', 'Delete', 'BatchWrite'].map((name) => `repairer ${name}Item: any`);

// biome-ignore format: one case a line
test.each<[keyof typeof tables, readonly string[], readonly string[]]>([
  ['reviews', ['reviewer PutItem: own'], []],
  ['allowlist', ['admin PutItem: any'], ofCopies],
  ['apiKeys', ['admin PutItem: any'], ofCopies],
  ['aiLogs', ['repairer PutItem: any'], ofCopies],
  ['receiptKeys', [], []],
  ['weights', [], []],
])('the table %s is written by %j, and a restored copy of it by %j', (table, writers, ofCopy) => {
  const name = `Tables${tables[table].name}`;
  expect(writersOf(name)).toEqual(writers);
  expect(writersOf(`${name}-restored`)).toEqual(ofCopy);
});

test('feature rows, from which reports are made, are written by the repairer alone', () => {
  const fileOf = (prefix: string, path: string) => {
    const granted = (part('Staffrepairer').Properties.PolicyDocument.Statement as Statement[])
      .flatMap(({ Resource }) => [Resource].flat().map(nameOf))
      .find((name) => name.endsWith(prefix));
    return `${granted?.slice(0, -prefix.length)}${path}`;
  };
  const writers = (file: string) => ROLES.filter((role) => writes(role, file));
  for (const folder of ['entries', 'texts'])
    expect(writers(fileOf(`/${folder}/*`, `/${folder}/a`))).toEqual(['repairer']);
  expect(writers(fileOf('/entries/*', '/results/a'))).toEqual(['reviewer']);
  expect(writers(fileOf('/entries/*', '/a'))).toEqual([]);
});
