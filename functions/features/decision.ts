/** The last words of names whose values say nothing of a decision, and differ from log to log. */
const OTHER = 'id uuid nonce seq sequence counter step iteration index time timestamp ts date datetime latency duration'
  .concat(' elapsed tokens seed hash ref reference version')
  .split(' ');
const CAPITALS = OTHER.map((word) => word.charAt(0).toUpperCase() + word.slice(1));

/** A member with such a name, a value of one word (1), or a number that is no part of a word, time or date (2). */
const DATA = new RegExp(
  `"(?:(?:(?:\\w*_)?(?:${OTHER.join('|')})|\\w*(?:${CAPITALS.join('|')}))":(?:"[^"]*"|[^,\\]}]*)` +
    '|([A-Za-z][A-Za-z/_-]{0,31})"(?!:))' +
    // The first condition is a faster form of the rest: it fails at most characters.
    '|(?=[\\d-])(?<![\\w.-]|\\d:)(-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)(?![\\w-]|:\\d)',
  'g',
);

const ID_OR_TIME = /^\d{10,}$/;

/**
 * Returns the data of a decision in order: numbers, also in texts, and values of one word, such as symbols and sides,
 * but no ids, nonces, counters, times or words with digits. @param texts input and output of a log as JSON, and others
 */
export function decisionOf(...texts: readonly string[]): string {
  const data: string[] = [];
  for (const text of texts) {
    DATA.lastIndex = 0;
    // Half of the time of matchAll.
    for (let found = DATA.exec(text); found; found = DATA.exec(text)) {
      const one = found[1] ?? found[2];
      if (one !== undefined && !ID_OR_TIME.test(one)) data.push(one);
    }
  }
  return data.join(' ');
}
