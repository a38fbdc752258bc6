/**
 * Letters that look like a Latin one, by that letter: those of Unicode's confusables.txt (UTS #39, version 17.0.0) of
 * European alphabets, Cherokee, Lisu and dead scripts, and Latin ones with strokes, hooks and tails, small capitals,
 * and turned ones. A small letter without a look-alike stands with its capital, so that case does not matter. The
 * packages (`unicode-confusables`, `unhomoglyph`, `confusables`) also rewrite Chinese, Arabic and Latin letters (m
 * becomes rn).
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'ȺɑΑαАаᎪᗅᴀᶏⱥⱭꓮꭺ𐊠𖽀ⱯɐⱰɒ',
  b: 'ƀƁƂƃƄƅɃɓʙΒβБВЬбвьѢѣҌҍᏏᏴᏼᑲᑳᖯᗷᵬᶀⲂⲃꓐꞖꞗꞴꞵꮟ𐊂𐊡𐌁𖺶',
  c: 'ƇƈȻȼɕСсҪҫᏟᴄⲤⲥꓚꞒꞓꞔꟄꮯ𐊢𐌂𐐕𐐽𐔜𝼝',
  d: 'ÐðĐđƉƊƋƌȡɖɗԀԁᎠᏧᑯᗞᗪᴅᵭᶁᶑꓒꓓꟇꟈꭰꮷ',
  e: 'ƐɆɇɛΕεЕеҼҽҾҿᎬᴇᶒᶓⱸꓰꬲꬴꭼ𐊆𑢦𑢮𑣆𑣎Ǝǝəɘ',
  f: 'ƑƒϜϝՔքᖴᵮᶂẝꓝꜰꞘꞙꬵ𐊇𐊥𐔥𑢢𑣂',
  g: 'ƍƓǤǥɠɡɢԌԍՑցᏀᏳᏻᶃꓖꞠꞡꞬꬶꮐᵷ',
  h: 'ĦħɦʜΗЋНнћҢңҺһӇӈӉӊՀհᎻᏂᏲᏺᕼⱧⱨⲎⲏꓧꚔꚕꞕꞪꮋꮒ𐋏Ɥɥ',
  i: 'ıƖƗɨɩɪΙιІіӀӏՒւᎥᵻᵼᶖⲒⲓⳐⳑꓲꙆꙇꞮꭵ𐐛𐑃𑢣𑢲𑣃𑣒𖺪𝼚ᴉ',
  j: 'ȷɈɉɟʄʝͿϳЈјᎫᒍᴊꓙꞲꭻ',
  k: 'ƘƙΚκКкҚқҞҟᏦᛕᴋᶄⱩⱪⲔⲕꓗꝀꝁꝂꝃꝄꝅꞢꞣꮶ𐔘Ʞʞ',
  l: 'ŁłƚǀȴȽɫɬɭʟᏞᒪᛁᶅⱠⱡⱢꓡꝈꝉꞎꞭꬷꬸꬹꮮ𐊊𐌉𐔦𖼖𖼨𝼑𝼓Ꞁꞁ',
  m: 'ɱΜμϺϻМмӍӎᎷᗰᛖᴍᵯᶆⱮⲘⲙꓟꬺꮇ𐊰𐌑𑜀',
  n: 'ŊŋƝƞȠȵɲɳɴΝηՂՈՌղոռᵰᶇⲚⲛꓠꞐꞑꞤꞥꬻ𐔓',
  o: 'ØøƆƟɔɵΘΟΣθοσϬϭОоѲѳӨөՕօᎤᎾᏫᴏᴑᶗⱺⲐⲑⲞⲟꓳꝊꝋꝌꝍꬽꬾꬿꭴꮎꮻ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑢨𑢵𑢷𑣈𑣕𑣗𝼛ς',
  p: 'ÞþƤƥƿǷΡρϷϸРрᏢᑭᴘᵱᵽᶈⱣⲢⲣⳎⳏꓑꝐꝑꝒꝓꝔꝕꮲ𐊕',
  q: 'ɊɋʠԚԛԳԶգզꝖꝗꝘꝙꞯ',
  r: 'ƦɌɍɼɽɾʀГгҒғᎡᎱᏒᖇᴦᵲᵳᶉⱤⲄⲅꓣꞦꞧꭇꭈꭉꭋꭌꭱꮁꮢ𐒴𐓜𖼵𝼖ɹɺɻ',
  s: 'ƼƽȿʂЅѕՏտᏕᏚᵴᶊⱾꓢꜱꞨꞩꟅꟉꟊꮥꮪ𐊖𐐠𐑈𑢡𑣁𖼺𝼞',
  t: 'ŦŧƫƬƭƮȶȾʈΤτТтҬҭᎢᴛᵵⱦⲦⲧꓔꭲ𐊗𐊱𐌕𑢼𖼊𝼉Ʇʇ',
  u: 'ɄʉʋυЏџՍսᏌᑌᴜᵾᶙꓴꞞꞟꞸꞹꭎꭒꮜ𐓎𐓶𑢸𑣘𖽂',
  v: 'ƲνѴѵᏙᐯᴠⱱⱴꓦꛟꝞꝟꮩ𐔝𑜆𑢠𑣀𖼈Ʌʌ',
  w: 'ƜɯШшѠѡѼѽԜԝԱաᎳᏔᴡⱲⱳⲼⲽꓪꝠꝡꮃꮤ𑓅𑜊𑜎𑜏ʍ',
  x: 'ΧχХхҲҳᕁᕽᚷᶍⲬⲭꓫꞳꭓꭖꭗꭘꭙ𐊐𐊴𐌗𐔧',
  y: 'ƔƳƴɎɏɣʏΓΥγУуҮүҰұᎩᎽᶌỾỿⲨⲩꓬꭚꭹꮍ𐊲𑢤𑣜𖽃ʎ',
  z: 'ƵƶȤȥɀʐʑΖζᏃᴢᵶᶎⱫⱬⱿꓜꟆꮓ𑢩𑣄𑣉',
};

/** The first letters of alphabets in circles and squares, and of flags, that normalization leaves as they are. */
const FRAMED = [0x1f150, 0x1f170, 0x1f1e6];

const LATIN = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([latin, others]) => {
    const framed = FRAMED.map((first) => String.fromCodePoint(first + latin.charCodeAt(0) - 97));
    return [...others, ...framed].map((letter) => [letter, latin] as const);
  }),
);

const LOOK_ALIKE = new RegExp(`[${[...LATIN.keys()].join('')}]`, 'gu');

/** Replaces letters that look like a Latin letter by that letter, in lower case. */
export const foldLookAlikes = (text: string): string =>
  text.replace(LOOK_ALIKE, (letter) => LATIN.get(letter) ?? letter);
