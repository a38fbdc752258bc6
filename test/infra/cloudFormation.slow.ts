import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import { expect, test } from 'vitest';
import { domain, prepare } from './synth.ts';

// biome-ignore format: one case a line
test.each<[string, Record<string, string>]>([
  ['dev', {}],
  ['prod', { stage: 'prod', analytics: 'true', alarmEmail: 'ops@example.com', warmThroughput: '2000', checkpointKeys: '1,2', ...domain }],
])('%s: the template keeps the rules of CloudFormation', (_, settings) => {
  expect(() => prepare(settings, { cloudFormationRules: true }).app.synth()).not.toThrow();
});

test('a template that breaks a rule of CloudFormation fails synth', () => {
  const { app, stack } = prepare({}, { cloudFormationRules: true });
  new CfnTopic(stack, 'Unknown').addPropertyOverride('NoSuchProperty', true);
  expect(() => app.synth()).toThrow('NoSuchProperty');
});
