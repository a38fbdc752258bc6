/** The place of the file of each command that is not where its words say yet. */
export const OLD_STYLE: Readonly<Record<string, string>> = {
  report: 'report report',
  console: 'report console',
  statement: 'report statement',
  'tlog export-policy': 'tlog exportPolicy',
  'tlog rotate-receipt-key': 'tlog rotateReceiptKey',
  prove: 'tlog prove',
  upload: 'team upload',
  verify: 'team verify',
};
