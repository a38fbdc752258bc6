import { visible } from '../../shell/text/visible.ts';
import { type Findings, factsOf, sentencesOf, statusOf } from './evidence.ts';

const formatBlock = (status: string, about: string, lines: readonly (readonly [name: string, text: string])[]) => [
  `${status.padEnd(6)}  ${visible(about)}`,
  ...lines.map(([name, text]) => `  ${name.padEnd(12)}${visible(text)}`),
];

const formatFindings = (file: string, findings: Findings): string[] =>
  formatBlock(statusOf(findings), file, [...factsOf(findings), ...sentencesOf(findings)]);

/** The results of which many entries are shown in sum: nothing is wrong with them. */
const SUMMED = ['ok', 'NOT YET'] as const;

/** Sums up entries with one result. Sentences that begin alike count as one, and a single entry is shown with all. */
function openSum(status: (typeof SUMMED)[number]) {
  let count = 0;
  let only: string[] = [];
  const notProven = new Map<string, { sentence: string; count: number }>();
  return {
    add(file: string, findings: Findings): void {
      count += 1;
      only = count === 1 ? formatFindings(file, findings) : [];
      for (const sentence of findings.notProven) {
        const [start = ''] = sentence.split(':');
        const before = notProven.get(start) ?? { sentence, count: 0 };
        notProven.set(start, { sentence: before.sentence === sentence ? sentence : start, count: before.count + 1 });
      }
    },
    /** Returns the lines of the sum, which begins anew. */
    end(): string[] {
      const all = [...notProven.values()].map(
        (one) => ['not proven', `${one.count} of ${count}: ${one.sentence}`] as const,
      );
      const shown = count > 1 ? formatBlock(status, `${count} entries; --verbose shows each`, all) : only;
      count = 0;
      only = [];
      notProven.clear();
      return shown;
    },
  };
}

/** Formats results as lines: what does not hold, and what is about a whole file; the rest in sum unless `verbose`. */
export async function* formatResults(results: AsyncIterable<Findings & { file: string }>, verbose: boolean) {
  const sums = new Map<string, ReturnType<typeof openSum>>(SUMMED.map((status) => [status, openSum(status)]));
  const endSums = () => [...sums.values()].flatMap((sum) => sum.end());
  for await (const { file, ...findings } of results) {
    const sum = verbose || findings.isAboutFile ? undefined : sums.get(statusOf(findings));
    if (findings.isAboutFile) yield* endSums();
    if (sum) sum.add(file, findings);
    else yield* formatFindings(file, findings);
  }
  yield* endSums();
}
