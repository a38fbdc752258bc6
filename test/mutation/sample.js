import { createHash } from 'node:crypto';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** `SAMPLE=20` mutates about one statement of 20. Which one follows from its text, so that every run takes the same. */
const SAMPLE = Number(process.env.SAMPLE ?? 1);

const STATEMENTS = new Set([
  'VariableDeclaration',
  'ExpressionStatement',
  'ReturnStatement',
  'ThrowStatement',
  'IfStatement',
  'ForStatement',
  'ForOfStatement',
  'WhileStatement',
  'SwitchStatement',
  'TryStatement',
]);

/** Returns whether a statement contains no other statement that could be chosen in its place. */
const isInnermost = (path) => {
  let inner = false;
  path.traverse({
    Statement(statement) {
      if (!STATEMENTS.has(statement.node.type)) return;
      inner = true;
      statement.stop();
    },
  });
  return !inner;
};

/** Returns whether a node is a part of a statement that contains others, such as the condition of an `if`. */
const isHead = (path) =>
  path.isExpression() && STATEMENTS.has(path.parent?.type) && !isInnermost(path.parentPath) && isInnermost(path);

const isChosen = (path) => createHash('sha256').update(path.toString()).digest().readUInt32BE() % SAMPLE === 0;

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'sample', {
    shouldIgnore: (path) =>
      SAMPLE > 1 && ((STATEMENTS.has(path.node.type) && isInnermost(path)) || isHead(path)) && !isChosen(path)
        ? `Not in the sample of one in ${SAMPLE}.`
        : undefined,
  }),
];
