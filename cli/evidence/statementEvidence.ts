import { linesOf } from '../files/linesOf.ts';
import type { EvidenceFormat } from './evidence.ts';
import { verifyStatement } from './verifyStatement.ts';

/** A statement of a team: each of its entries, then the whole. It is read line by line, however long it is. */
export const statementEvidence: EvidenceFormat = {
  name: 'statement',
  options: [],

  recognizes: (text) => text.startsWith('{"format":"ai-log-statement/'),

  verify: ({ path }, { policy }) => verifyStatement(linesOf(path), policy),
};
