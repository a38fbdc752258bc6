import { type Answer, signedUpload, type Team, type Transport } from '../setup/world.ts';

/** Sends uploads of a team in parallel, each with its own timestamp, through the transports in turn. */
export const burst = (transports: Transport[], team: Team, count: number): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: count }, (_, i) => {
      const timestamp = Date.now() + (i % 20_000);
      return (transports[i % transports.length] as Transport).send(signedUpload(team, { timestamp: () => timestamp }));
    }),
  );
