import { createHash } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { CloudAssembly } from 'aws-cdk-lib/cx-api';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { createApp } from '../../infra/app.ts';
import { fixedKey, newWitness } from '../c2sp/keys.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';

/** A resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly DependsOn?: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON of any shape; each test knows its part.
  readonly Properties: Record<string, any>;
}

/** A key of KMS that is not the stack's own. */
export const existingKey = 'arn:aws:kms:eu-west-1:111122223333:key/12345678-1234-1234-1234-123456789012';

const witness = formatVerifierKey(newWitness('w.example.com', fixedKey(1)).key);
export const policy = `witness w ${witness} https://w.example.com\nquorum w`;
/** The same path in each process of a run, so that they share the deployments with it. */
export const policyFile = join(tmpdir(), 'witnesses.policy');
const written = join(temporaryFolder(), 'witnesses.policy');
writeFileSync(written, `${policy}\n`);
renameSync(written, policyFile);

/** The settings for a custom domain name. */
export const domain = {
  domainName: 'logs.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/12345678-1234-1234-1234-123456789012',
};

/**
 * Creates the app as `cdk` does, in a temporary folder and before synth. A stage is disposable unless it is named prod.
 * `stack` is its only stack.
 * @param options `cloudFormationRules`: whether synth also checks the rules of CloudFormation, which take seconds to
 * load; `bundles`: whether the functions are bundled, which takes seconds too, or else have their sources as assets
 */
export function prepare(
  { stage = 'dev', ...others }: Record<string, string> = {},
  { cloudFormationRules = false, bundles = false } = {},
) {
  const app = createApp({
    context: {
      ...cdkJson.context,
      ...(bundles ? {} : { 'aws:cdk:bundling-stacks': [] }),
      stage,
      stages: { [stage]: { disposable: String(!stage.startsWith('prod')), ...others } },
    },
    outdir: temporaryFolder(),
    builtinCloudFormationValidation: cloudFormationRules,
  });
  return { app, stack: app.node.children.find((child) => child.node.id.startsWith('AiLogUpload')) as Stack };
}

type FunctionName = 'Upload' | 'TlogSequencer' | 'AnalyticsIndexer';

/** The deployments that this process has read, by their settings. */
const deployments = new Map<string, ReturnType<typeof read>>();

/**
 * Returns a deployment with these settings. A synth takes a fifth of a second, so a run of tests makes each one once.
 * Tests share it, so none may change it. @param options as for `prepare`
 */
export function synth(
  settings: Record<string, string> = {},
  options: Parameters<typeof prepare>[1] = {},
): ReturnType<typeof read> {
  const key = JSON.stringify([settings, options]);
  const folder = join(tmpdir(), `synth-${createHash('sha256').update(key).digest('hex')}`);
  if (!existsSync(folder)) keep(prepare(settings, options).app.synth().directory, folder);
  const known = deployments.get(key) ?? read(new CloudAssembly(folder));
  deployments.set(key, known);
  return known;
}

/** Moves a deployment to where the tests of a run look for it. Another process may be there first, with the same. */
function keep(made: string, folder: string): void {
  try {
    renameSync(made, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** Synthesizes a deployment with these settings. */
export const synthesize = (settings?: Record<string, string>) => read(prepare(settings).app.synth());

function read(assembly: CloudAssembly) {
  const [artifact] = assembly.stacks;
  if (!artifact) throw new Error('There is no stack.');
  const resources: Record<string, Resource> = artifact.template.Resources;
  /** Returns the first resource whose logical id begins so, of a type if one is given. */
  const part = (prefix: string, type?: string): Resource => {
    const [, found] =
      Object.entries(resources).find(([id, { Type }]) => id.startsWith(prefix) && Type === (type ?? Type)) ?? [];
    if (found === undefined) throw new Error(`There is no ${prefix}.`);
    return found;
  };
  return {
    artifact,
    folder: assembly.directory,
    resources,
    /** The values of the outputs, references as their names. */
    outputs: Object.fromEntries(
      Object.entries<{ Value: unknown }>(artifact.template.Outputs).map(([key, { Value }]) => [key, nameOf(Value)]),
    ),
    /** All resources of a type, such as `AWS::Lambda::Function`. */
    all: (type: string) => Object.values(resources).filter(({ Type }) => Type === type),
    part,
    /** The function of the API, the sequencer, or the indexer. */
    lambda: (name: FunctionName): Resource => part(`${name}Function`),
    /** The environment of a function, references as their names. */
    environmentOf: (name: FunctionName): Record<string, string> =>
      Object.fromEntries(
        Object.entries(part(`${name}Function`).Properties.Environment.Variables).map(([variable, value]) => [
          variable,
          nameOf(value),
        ]),
      ),
    /** The only policy of a role. */
    policyOf: (role: string): Resource => {
      const found = Object.values(resources).filter(
        ({ Type, Properties }) => Type === 'AWS::IAM::Policy' && Properties.Roles.map(nameOf).includes(role),
      );
      if (found.length !== 1) throw new Error(`${found.length} policies of ${role}`);
      return found[0] as Resource;
    },
    /** The only resource of a type in the transparency log. */
    inTlog: (type: string): Resource => {
      const [found, ...others] = Object.entries(resources).filter(
        ([id, { Type }]) => Type === type && id.startsWith('Tlog'),
      );
      if (found === undefined || others.length > 0) throw new Error(`${others.length + 1} resources of ${type}`);
      return found[1];
    },
    /** The only resource of a type with these properties. Throws if there are none or several. */
    one: (type: string, properties: Record<string, unknown> = {}): Resource => {
      const found = Object.values(resources).filter(
        (resource) =>
          resource.Type === type &&
          Object.entries(properties).every(([name, value]) => resource.Properties[name] === value),
      );
      if (found.length !== 1) throw new Error(`${found.length} resources of ${type} ${JSON.stringify(properties)}`);
      return found[0] as Resource;
    },
  };
}

/** Returns what the statements of a policy say, a line for each action on each resource. */
export const allowed = ({ Properties }: Resource): string[] =>
  Properties.PolicyDocument.Statement.flatMap(({ Effect, Action, Resource }: Record<string, unknown>) =>
    [Action].flat().flatMap((action) => [Resource].flat().map((one) => `${Effect} ${action} ${nameOf(one)}`)),
  );

/** Returns a reference as text, without the hash at the end of the logical id: `TablesAiLogs.Arn`. */
export function nameOf(reference: unknown): string {
  if (typeof reference === 'string') return reference;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = reference as Record<string, unknown>;
  const short = (id: unknown) => String(id).replace(/[0-9A-F]{8}$/, '');
  if (Ref) return short(Ref);
  if (attribute) return (attribute as string[]).map(short).join('.');
  if (join) return (join as [string, unknown[]])[1].map(nameOf).join('');
  throw new Error(`Not a reference: ${JSON.stringify(reference)}`);
}
