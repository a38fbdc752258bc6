import { WrongArgument } from '../../shell/terminal/arguments.ts';

/** The maximum lengths of texts that admins and reviewers write, in code points. They are stored with every change. */
const textLimits = { team: 100, label: 100, note: 500, reason: 500, text: 1000, read: 1000, code: 40 } as const;

/** Finds the problem of a text; undefined if it is valid. @param name its column or option */
export function findTextProblem(name: keyof typeof textLimits, text: string): string | undefined {
  const length = [...text].length;
  return length > textLimits[name]
    ? `the ${name} has ${length} characters; at most ${textLimits[name]} are allowed`
    : undefined;
}

/** Returns a parser for an option with a text. */
export const textOption = (name: keyof typeof textLimits) => (text: string) => {
  const problem = findTextProblem(name, text);
  if (problem !== undefined) throw new WrongArgument(`Too long: ${problem}.`);
  return text;
};
