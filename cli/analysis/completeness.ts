/** The facts of a log that decide whether it is complete. */
export interface CompletenessFacts {
  readonly model: string;
  /** True if neither the input nor the output is the empty object. */
  readonly hasData: boolean;
  /** True if the log names an order. */
  readonly namesOrder: boolean;
}

/** The competition's requirements of an AI log, by the name under which a log without it is counted. */
const requirements = {
  /** The model has a version: a digit in its name, as in GPT-5-mini. */
  modelVersion: ({ model }) => /\d/.test(model),
  data: ({ hasData }) => hasData,
  /** The log names the order whose execution it explains. */
  order: ({ namesOrder }) => namesOrder,
} as const satisfies Record<string, (facts: CompletenessFacts) => boolean>;

type Requirement = keyof typeof requirements;

/** The completeness of a team's logs, as counts of logs. */
export interface Completeness {
  /** Logs that meet all requirements. */
  complete: number;
  readonly missing: Record<Requirement, number>;
  /** Logs without a model version or without data, whether or not they name an order. */
  withoutVersionOrData: number;
}

/** Creates the completeness of a team without logs. */
export const createCompleteness = (): Completeness => ({
  complete: 0,
  missing: { modelVersion: 0, data: 0, order: 0 },
  withoutVersionOrData: 0,
});

/** Adds a log to the completeness of its team. */
export function addCompleteness(completeness: Completeness, facts: CompletenessFacts): void {
  const missing = (Object.keys(requirements) as Requirement[]).filter((name) => !requirements[name](facts));
  for (const name of missing) completeness.missing[name] += 1;
  if (missing.length === 0) completeness.complete += 1;
  if (missing.some((name) => name !== 'order')) completeness.withoutVersionOrData += 1;
}
