/** One line of an estimate: the service, the amount of use, and dollars a month. */
export interface CostLine {
  readonly of: string;
  readonly amount: string;
  readonly dollars: number;
}

interface Price {
  readonly dollars: number;
  readonly per: number;
}

/** Returns a line whose price has these parts, each a number of units and their price. */
export const costLine = (of: string, amount: string, ...parts: [units: number, price: Price][]): CostLine => ({
  of,
  amount,
  dollars: parts.reduce((sum, [units, { dollars, per }]) => sum + (units * dollars) / per, 0),
});

/** A month of average length, in seconds. */
export const SECONDS_PER_MONTH = (365.25 / 12) * 86_400;

/** Returns a rounded number with its unit, such as `43,830 runs`. */
export const count = (number: number, unit: string): string => `${Math.round(number).toLocaleString('en-US')} ${unit}`;

/** Returns a number of gigabytes, such as `4.2 GB`. */
export const gigabytes = (number: number): string => `${number.toFixed(1)} GB`;
