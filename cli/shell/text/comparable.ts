/** Characters of headings and states, traditional and simplified. */
const TRADITIONAL = '託時間訂單號編約價數額狀態戶銷場對類賬帳產買賣區過拒絕無構東準隊團稱備註說';
const SIMPLIFIED = '托时间订单号编约价数额状态户销场对类账账产买卖区过拒绝无构东准队团称备注说';

/** Returns the characters of a text in simplified Chinese. */
const simplify = (text: string): string =>
  text.replace(/[^\p{ASCII}]/gu, (character) => SIMPLIFIED[TRADITIONAL.indexOf(character)] ?? character);

/** Returns a heading or a state such that spellings of the same words are equal. */
export const comparable = (text: string): string =>
  simplify(text.normalize('NFKC').toLowerCase()).replace(/[^\p{L}\p{N}]/gu, '');

/** The same as SQL. @param text an expression */
export const comparableSql = (text: string): string =>
  `translate(regexp_replace(lower(${text}), '[^\\p{L}\\p{N}]', '', 'g'), '${TRADITIONAL}', '${SIMPLIFIED}')`;

/** Splits words at blanks. */
export const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);
