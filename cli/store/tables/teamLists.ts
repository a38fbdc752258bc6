import { words } from '../../shell/text/comparable.ts';
import { UID_HEADINGS } from '../../shell/text/uid.ts';

/** The names of the columns in lists of teams and keys, as spreadsheets and forms have them, the best one first. */
export const LIST_NAMES = {
  uid: UID_HEADINGS,
  team: words(`team teamname nameofteam nameoftheteam name groupname group squad participant contestant company
    队名 队伍名称 队伍 团队名称 团队名 团队 战队名称 战队 参赛队伍 参赛队 参赛者 名称 姓名`),
  note: words('note notes remark remarks comment comments memo 备注 注释 说明'),
  label: words('label keylabel keyname nameofkey 标签'),
  accessKey: words('accesskey apikey key'),
  // The record of keys that were handed over has these too.
  file: ['file'],
  changedAt: ['changedat'],
  expiresAt: ['expiresat'],
} satisfies Record<string, readonly string[]>;
