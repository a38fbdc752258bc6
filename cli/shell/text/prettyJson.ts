import { JSON_STRING } from '../../../functions/ailog/jsonScanner.ts';
import { isJson } from './json.ts';
import { escapeHidden, visible } from './visible.ts';

const TOKEN = new RegExp(String.raw`${JSON_STRING}|[{}[\],:]|[^\s"{}[\],:]+`, 'g');

/** The depth from which the indentation stays the same, so that the output is never much longer than the text. */
const DEEPEST_INDENT = 32;

const indent = (depth: number) => '  '.repeat(Math.min(depth, DEEPEST_INDENT));

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Formats JSON as lines for people: every number digit for digit, lines of a string after `| `. Other texts stay. */
export function* prettyJson(text: string): Generator<string> {
  if (!isJson(text)) return yield* escapeHidden(text).split('\n');
  const tokens = text.match(TOKEN) ?? [];
  let depth = 0;
  let line = '';
  /** True directly after a block, which needs no comma. */
  let afterBlock = false;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as string;
    const next = tokens[index + 1];
    if (token === '{' || token === '[') {
      if (next === CLOSING[token]) {
        line += token + next;
        index += 1;
      } else {
        yield line + token;
        depth += 1;
        line = indent(depth);
      }
    } else if (token === '}' || token === ']') {
      if (!afterBlock) yield line;
      depth -= 1;
      line = indent(depth) + token;
    } else if (token === ',') {
      if (!afterBlock) yield `${line},`;
      line = indent(depth);
    } else if (token === ':') {
      line += ': ';
    } else if (!token.startsWith('"')) {
      line += token;
    } else {
      const content: string = JSON.parse(token);
      if (next !== ':' && content.includes('\n')) {
        if (line.trim() !== '') yield line.trimEnd();
        const start = `${indent(depth + 1)}| `;
        for (const part of content.replaceAll('\r\n', '\n').split('\n')) yield start + visible(part);
        afterBlock = true;
        continue;
      }
      line += visible(JSON.stringify(content));
    }
    afterBlock = false;
  }
  if (!afterBlock) yield line;
}
