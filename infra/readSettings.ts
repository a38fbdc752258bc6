import { readFileSync } from 'node:fs';
import { contradictions } from './contradictions.ts';
import { keepsData, type Setting, type Settings, settings } from './settings.ts';

/** The error for invalid settings. Its message has one line per problem. */
export class WrongSettings extends Error {}

type Context = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, string>>;

const shapes = Object.entries(settings as Record<string, Setting<unknown>>);
const isObject = (value: unknown): value is Context => typeof value === 'object' && value !== null;

/** Returns the value that a setting has unless it is given. @param isKept whether the stage keeps its data */
const usualOf = ({ default: usual, ...shape }: Setting<unknown>, isKept: boolean): unknown =>
  isKept && 'whenKept' in shape ? shape.whenKept : usual;

const pairsOf = (name: string) => Array.from(name.slice(1), (_, at) => name.slice(at, at + 2).toLowerCase());

/** Returns a question that has the name which shares most pairs of letters with another one, if it is similar. */
function similarTo(name: string, names: readonly string[]): string {
  const own = pairsOf(name);
  const shared = (other: string) => {
    const pairs = pairsOf(other);
    return (2 * pairs.filter((pair) => own.includes(pair)).length) / (own.length + pairs.length);
  };
  const [most = ''] = names.toSorted((a, b) => shared(b) - shared(a));
  return shared(most) > 0.6 ? ` (did you mean ${most}?)` : '';
}

/** Returns a text as cdk.json has it best: a number, true or false without quotes. */
const jsonOf = (text: string): unknown => (/^(true|false|[1-9]\d*|0)$/.test(text) ? JSON.parse(text) : text);

/** Returns the settings that have a value, as texts that `readSettings` reads. */
export const textsOf = (read: Settings): Record<string, string> =>
  Object.fromEntries(
    Object.entries(read).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]])),
  );

/** Returns what `stages` of cdk.json needs for a stage to have these settings: those without their default value. */
export const blockOf = ({ stage: _name, ...texts }: Texts): Record<string, unknown> => {
  const isKept = keepsData({ disposable: texts.disposable === 'true' });
  const usual = new Map(shapes.map(([name, shape]) => [name, String(usualOf(shape, isKept))]));
  const changed = Object.entries(texts).filter(([name, text]) => usual.get(name) !== text);
  return Object.fromEntries(changed.map(([name, text]) => [name, jsonOf(text)]));
};

/**
 * Reads the settings from CDK's context: `stage`, the block `stages.STAGE` of cdk.json, and options. A stage that keeps
 * its data takes the settings of its block only: the next deployment can forget an option.
 * @throws WrongSettings with all problems
 */
export function readSettings(context: Context): Settings {
  const { stages = {}, ...beside } = context;
  const stage = String(beside.stage ?? settings.stage.default);
  const problems: string[] = [];
  const block = isObject(stages) ? stages[stage] : stages;
  if (block !== undefined && !isObject(block)) {
    problems.push(`"stages" in cdk.json must have an object of settings for ${stage}, such as {"uidQuota": 500}.`);
  }
  // All names in CDK's own context contain a colon. Any other name is a setting or a typo.
  const options = Object.entries(beside).filter(([name]) => !name.includes(':') && name !== 'stage');
  // Only the block of a stage makes it disposable, or an option where there is none: the next deployment stops without
  // it.
  const { disposable } = isObject(block) ? block : beside;
  const isKept = keepsData({ disposable: String(disposable) === 'true' });
  if (isKept) {
    if (block === undefined) {
      const names = isObject(stages) ? Object.keys(stages).join(', ') : '';
      const others = names && `, which has those of ${names}`;
      problems.push(
        `Stage ${stage} has no settings in cdk.json${others}. Write into its context: "stages": {"${stage}": {"alarmEmail": "ops@example.com"}}. ` +
          `If nobody needs its data, write "disposable": true there. If it is deployed, npx ailog ops check --stack AiLogUpload-${stage} --json prints what it has.`,
      );
    }
    problems.push(
      ...options.map(
        ([name, value]) =>
          `Setting ${name} is given beside cdk.json, and the next deployment would forget it. ` +
          `Write into stages.${stage} of cdk.json: ${JSON.stringify(name)}: ${JSON.stringify(jsonOf(String(value)))}`,
      ),
    );
  }
  const given: Context = { ...(isObject(block) && block), ...Object.fromEntries(options) };
  const names = Object.keys(settings).filter((name) => name !== 'stage');
  problems.push(
    ...Object.keys(given)
      .filter((name) => !names.includes(name))
      .map((name) => `Setting ${name} does not exist${similarTo(name, names)}: the settings are ${names.join(', ')}.`),
  );
  const values = shapes.map(([name, shape]) => {
    const value = name === 'stage' ? stage : given[name];
    if (value === undefined) return [name, usualOf(shape, isKept)];
    try {
      const parsed = shape.parse(String(value));
      if (parsed !== undefined) return [name, parsed];
      problems.push(`Setting ${name} is ${JSON.stringify(value)}: it must be ${shape.allowed}.`);
    } catch (error) {
      problems.push(`Setting ${name} is ${JSON.stringify(value)}: ${(error as Error).message}`);
    }
    return [name, undefined];
  });
  const requireWith = (name: keyof Settings, needed: keyof Settings) => {
    if (given[name] === undefined || given[needed] !== undefined) return;
    problems.push(`Setting ${name} needs ${needed}: ${settings[needed].allowed}.`);
  };
  requireWith('domainName', 'certificateArn');
  requireWith('certificateArn', 'domainName');
  requireWith('tlogDomainName', 'tlogCertificateArn');
  requireWith('tlogCertificateArn', 'tlogDomainName');
  // Relations are only meaningful between values that are allowed.
  const read = Object.fromEntries(values) as Settings;
  if (problems.length === 0) problems.push(...contradictions(read));
  if (problems.length > 0) throw new WrongSettings(problems.join('\n'));
  return read;
}

const cdkContext = (): Context => JSON.parse(readFileSync(new URL('../cdk.json', import.meta.url), 'utf8')).context;

/** Reads the settings of a stage from cdk.json. @param given settings that override the file @throws WrongSettings */
export function readStage(stage: string, given: Texts = {}, { stages, ...others } = cdkContext()): Settings {
  const block = { ...(isObject(stages) && (stages[stage] as Context)), ...given };
  return readSettings({ ...others, stage, stages: { [stage]: block } });
}
