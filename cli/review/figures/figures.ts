/**
 * The ways in which a log can repeat another, the strongest first. A log that fills a template repeats none.
 In SQL, they are
 * numbers from 1 on.
 */
export const repeatKinds = ['body', 'data', 'output', 'text', 'near', 'template'] as const;
export type RepeatKind = (typeof repeatKinds)[number];

/** Returns a share in percent, rounded down to a tenth, so that 100 means all; null if the whole is 0. */
export const percent = (part: number, whole: number) => (whole === 0 ? null : Math.floor((part / whole) * 1000) / 10);

export const isoTime = (ms: number | null | undefined) => (typeof ms === 'number' ? new Date(ms).toISOString() : null);
