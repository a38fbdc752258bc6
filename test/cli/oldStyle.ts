/** The place of the file of each command that is not where its words say yet. */
export const OLD_STYLE: Readonly<Record<string, string>> = {
  report: 'report report',
  console: 'report console',
  statement: 'report statement',
};
