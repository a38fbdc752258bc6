import { words } from './comparable.ts';

/** The names of a column of UIDs, the best one first. */
export const UID_HEADINGS = words(
  `uid userid teamuid accountid memberid user account 用户id 用户uid 用户编号 会员id 账户id 账号 账户
  ユーザーid ユーザid アカウントid 口座番号 사용자id 회원번호 계좌번호 iddutilisateur identifiantutilisateur iddeusuario iddousuário benutzerid
  kontonummer idпользователя`,
);

/** Compares UIDs as numbers, for sorting. */
export const byUid = (a: { readonly uid: string }, b: { readonly uid: string }): number =>
  a.uid.length - b.uid.length || (a.uid < b.uid ? -1 : Number(a.uid > b.uid));

/** Checks that a text is a UID of the competition: decimal digits. */
export const isUid = (text: string): boolean => /^(0|[1-9]\d{0,31})$/.test(text);
