import { contradictions } from './contradictions.ts';
import { keepsData, type Setting, type Settings, settings } from './settings.ts';

/** The error for invalid settings. Its message has one line per problem. */
export class WrongSettings extends Error {}

/** Reads the settings from CDK's context: text (`-c`) or JSON (cdk.json). @throws WrongSettings with all problems */
export function readSettings(context: Readonly<Record<string, unknown>>): Settings {
  const names = Object.keys(settings);
  // All names in CDK's own context contain a colon. Any other name is a setting or a typo.
  const problems = Object.keys(context)
    .filter((name) => !name.includes(':') && !names.includes(name))
    .map((name) => `Setting ${name} does not exist: the settings are ${names.join(', ')}.`);
  const isProd = keepsData({ stage: String(context.stage ?? settings.stage.default) });
  const values = Object.entries(settings as Record<string, Setting<unknown>>).map(([name, shape]) => {
    const given = context[name];
    if (given === undefined) return [name, isProd && 'inProd' in shape ? shape.inProd : shape.default];
    try {
      const value = shape.parse(String(given));
      if (value !== undefined) return [name, value];
      problems.push(`Setting ${name} is ${JSON.stringify(given)}: it must be ${shape.allowed}.`);
    } catch (error) {
      problems.push(`Setting ${name} is ${JSON.stringify(given)}: ${(error as Error).message}`);
    }
    return [name, undefined];
  });
  const requireWith = (name: keyof Settings, needed: keyof Settings) => {
    if (context[name] === undefined || context[needed] !== undefined) return;
    problems.push(`Setting ${name} needs ${needed}: ${settings[needed].allowed}.`);
  };
  requireWith('domainName', 'certificateArn');
  requireWith('certificateArn', 'domainName');
  // Relations are only meaningful between values that are allowed.
  const read = Object.fromEntries(values) as Settings;
  if (problems.length === 0) problems.push(...contradictions(read));
  if (problems.length > 0) throw new WrongSettings(problems.join('\n'));
  return read;
}
