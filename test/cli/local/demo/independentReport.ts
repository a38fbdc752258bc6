/**
 * The report on a competition as a program of its own, after docs/review.md: plain loops over exported logs and an
 * order list, without SQL, and with sets of shingles where the report has MinHash. Only the content of a log (its
 * pieces, and the data of its decision) is read as the report reads it; other tests show that.
 */
import { coinOf } from '../../../../functions/features/coins.ts';
import { readContent } from '../../../../functions/features/logContent.ts';

interface Log {
  readonly uid: string;
  readonly id: string;
  readonly signed: number;
  readonly received: number;
  readonly order: bigint | undefined;
  readonly model: string;
  readonly stage: string;
  readonly body: string;
  readonly content: ReturnType<typeof readContent>;
  readonly counts: boolean;
  /** Its place among all logs in the order of receipt. */
  readonly n: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Compares by some properties. */
const by =
  <Name extends string>(...names: Name[]) =>
  (one: Readonly<Record<Name, unknown>>, other: Readonly<Record<Name, unknown>>): number => {
    const name = names.find((name) => one[name] !== other[name]);
    return name === undefined ? 0 : (one[name] as number) < (other[name] as number) ? -1 : 1;
  };
const iso = (ms: number) => new Date(ms).toISOString();
const share = (part: number, whole: number) => (whole === 0 ? null : Math.floor((part / whole) * 1000) / 10);
const counted = (names: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(names, String)].map(([name, { length }]) => [name, length]));

function readLogs(exported: string, since: number, until: number): Log[] {
  const logs = exported
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const read = logs.map(({ uid, entryId, receivedAt, timestamp, orderId, model, stage, body }) => {
    const signed = Number(timestamp);
    const counts = signed >= since && signed < until;
    const content = readContent(body);
    const order = orderId === null ? undefined : BigInt(orderId);
    return { uid, id: entryId, signed, received: Date.parse(receivedAt), order, model, stage, body, content, counts };
  });
  const inTime = read.filter(({ signed }) => signed < until + 7 * DAY);
  return inTime.sort(by('received', 'id')).map((log, n) => ({ ...log, n }));
}

/** Reads orders in the columns of the demo. */
const readOrders = (csv: string) =>
  csv
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [uid = '', id = '', symbol = '', side = '', price, size, time] = line.split(',');
      return {
        uid,
        id: BigInt(id),
        symbol,
        side,
        price: Number(price),
        size: Number(size),
        placed: Date.parse(`${time}Z`),
      };
    });
type Order = ReturnType<typeof readOrders>[number];

const isLong = ({ content }: Log) => content.letters >= 48;

/** What logs of one text have in common; a text that is too short only within a team, an empty one nothing. */
function textKey({ uid, n, content }: Log, pieces: readonly string[]): string {
  if (pieces.length === 0 || content.data === undefined) return `${n}`;
  return `${pieces === content.pieces && content.letters < 48 ? uid : ''} ${pieces.join(' ')}`;
}

/** Finds the earliest text with half of the shingles of each in common, by the keys of the texts. */
function findNear(logs: readonly Log[]): Map<string, string> {
  const leaders = new Map<string, string>();
  const seen: { key: string; size: number }[] = [];
  const places = new Map<string, number[]>();
  const known = new Set<string>();
  for (const log of logs.filter(isLong)) {
    const { pieces } = log.content;
    const key = textKey(log, pieces);
    if (known.has(key)) continue;
    known.add(key);
    const shingles = new Set(pieces.slice(2).map((piece, at) => `${pieces[at]} ${pieces[at + 1]} ${piece}`));
    const shared = new Map<number, number>();
    for (const shingle of shingles)
      for (const place of places.get(shingle) ?? []) shared.set(place, (shared.get(place) ?? 0) + 1);
    const isNear = (earlier: (typeof seen)[number], place: number) => {
      const common = shared.get(place) ?? 0;
      return common >= (earlier.size + shingles.size - common) / 2;
    };
    const leader = seen.find(isNear)?.key;
    if (leader) leaders.set(key, leader);
    for (const shingle of shingles) places.set(shingle, [...(places.get(shingle) ?? []), seen.length]);
    seen.push({ key, size: shingles.size });
  }
  return leaders;
}

interface Repeats {
  own?: number;
  isTemplate?: boolean;
  /** How it repeats a log of another team, and which: by the strongest kind, and whether several share its text. */
  other?: number;
  copied?: Log | undefined;
  tied?: Log | undefined;
  isShared?: boolean;
}

/** A text that logs have in common, with those that have it, in the order of receipt. */
interface Text {
  readonly kind: number;
  readonly logs: readonly Log[];
  /** It is too short to be a copy with other data. */
  readonly isShort: boolean;
}

/** Finds what logs have in common, the strongest kind first. */
function findTexts(logs: readonly Log[]): Text[] {
  const near = findNear(logs);
  const leading = new Set(near.values());
  const labelsOf = (log: Log) => {
    const { data, outputPieces, pieces } = log.content;
    const text = textKey(log, pieces);
    const output = log.content.outputLetters < 48 ? `${log.n}` : textKey(log, outputPieces);
    const labels = [`1 ${log.body}`, `2 ${data ?? log.body}`, `3 ${output}`, `4 ${text}`];
    for (const label of [near.get(text), leading.has(text) ? text : undefined]) if (label) labels.push(`5 ${label}`);
    return labels;
  };
  const labelled = Map.groupBy(
    logs.flatMap((log) => labelsOf(log).map((label) => ({ label, log }))),
    ({ label }) => label,
  );
  return [...labelled]
    .filter(([, { length }]) => length > 1)
    .map(([label, members]) => {
      const kind = Number(label.charAt(0));
      const same = members.map(({ log }) => log);
      const letters = same.map(({ content }) => (kind === 3 ? content.outputProse : content.prose));
      return { kind, logs: same, isShort: kind > 2 && Math.max(...letters) < (kind === 5 ? 400 : 150) };
    })
    .sort(by('kind'));
}

const dataOf = ({ content, body }: Log) => (content.data === undefined ? body : content.decision);

/** Finds the strongest kind in which each log repeats one of its team (own), and one of another team. */
function findRepeats(logs: readonly Log[], texts: readonly Text[]): Map<Log, Repeats> {
  const found = new Map<Log, Repeats>(logs.map((log) => [log, {}]));
  for (const { kind, logs: same, isShort } of texts) {
    const byTeam = Map.groupBy(same, ({ uid }) => uid);
    const ofAuthor = byTeam.get(same[0]?.uid as string) as Log[];
    const isFrame = kind > 2 && ofAuthor.length >= 3 && new Set(ofAuthor.map(dataOf)).size > 1;
    for (const team of byTeam.values()) {
      const earliest = Math.min(...team.map(({ signed }) => signed));
      for (const [, alike] of Map.groupBy(team, (log) => (kind > 2 ? dataOf(log) : ''))) {
        const [original] = alike.toSorted(by('signed', 'id'));
        for (const log of alike) if (log !== original) (found.get(log) as Repeats).own ??= kind;
      }
      for (const log of team)
        if (kind > 2 && log.content.prose >= 400 && log.signed - earliest > HOUR)
          (found.get(log) as Repeats).isTemplate = true;
    }
    for (const part of Map.groupBy(same, (log) => (isFrame || isShort ? `d ${dataOf(log)}` : '')).values()) {
      const [first] = part as [Log];
      const isTied = ({ received }: Log) => received - first.received <= MINUTE;
      const teams = Map.groupBy(part, ({ uid }) => uid);
      for (const team of teams.values()) {
        const copied = team.some(isTied) ? undefined : first;
        for (const log of team) {
          const repeats = found.get(log) as Repeats;
          if (teams.size > 2) repeats.isShared = true;
          const tied = isTied(log) ? part.find((other) => other.uid !== log.uid && isTied(other)) : undefined;
          if ((repeats.other ?? kind) < kind || !(copied ?? tied)) continue;
          const earliest = (one: Log | undefined, other: Log | undefined) =>
            one && other ? (one.n < other.n ? one : other) : (one ?? other);
          repeats.other = kind;
          repeats.copied = earliest(repeats.copied, copied);
          repeats.tied = earliest(repeats.tied, tied);
        }
      }
    }
  }
  // A copy of a copy of its own text makes no copier of an author.
  const copiedBy = (log: Log | undefined) => {
    const repeats = log && found.get(log);
    return repeats?.isShared ? undefined : repeats?.copied;
  };
  const authored = logs.filter((log) => copiedBy(copiedBy(log))?.uid === log.uid);
  for (const log of authored) if (!found.get(log)?.isShared) delete found.get(log)?.other;
  return found;
}

/** Returns the different logs of each other team that logs of a team repeat in a way. */
function countOf(logs: readonly Log[], repeated: (log: Log) => Log | undefined) {
  const others = Map.groupBy(new Set(logs.flatMap((log) => repeated(log) ?? [])), ({ uid }) => uid);
  return new Map([...others].map(([uid, { length }]) => [uid, length]));
}

/** Counts, for each other team, its logs whose short text a team has in the day after, and the most in other days. */
function findFollows(uid: string, texts: readonly Text[], repeats: ReadonlyMap<Log, Repeats>) {
  const days = new Map<string, Set<Log>[]>();
  for (const { kind, logs, isShort } of texts) {
    const teams = Map.groupBy(logs, (log) => log.uid);
    const own = teams.get(uid)?.filter((log) => log.counts && !wayOf(repeats.get(log) as Repeats)) ?? [];
    const [other = ''] = [...teams.keys()].filter((name) => name !== uid);
    const theirs = teams.get(other) ?? [];
    if (kind < 3 || !isShort || teams.size !== 2 || theirs.length > 2) continue;
    for (const later of own)
      for (const earlier of theirs) {
        const day = Math.ceil((later.received - earlier.received - MINUTE) / DAY) - 1;
        if (day < -2 || day > 2) continue;
        const found = days.get(other) ?? Array.from({ length: 5 }, () => new Set<Log>());
        days.set(other, found);
        found[day + 2]?.add(earlier);
      }
  }
  return new Map(
    [...days].flatMap(([other, found]) => {
      const [twoBack = 0, oneBack = 0, count = 0, oneForth = 0, twoForth = 0] = found.map(({ size }) => size);
      return count >= 10 + 3 * Math.max(twoBack, oneBack, oneForth, twoForth) ? [[other, count] as const] : [];
    }),
  );
}

/** Says how a log repeats one of another team. */
const wayOf = ({ isShared, other, copied }: Repeats) =>
  isShared ? 'shared' : other === undefined ? undefined : copied ? 'copy' : 'same time';

/** Finds the child orders of a team, and the parent of each. @param named the ids that logs of the team name */
/** How often an order has the size of its parent, of another symbol its value. */
const timesOf = (order: Order, parent: Order) =>
  order.symbol === parent.symbol ? order.size / parent.size : (order.size * order.price) / (parent.size * parent.price);

function findChildren(orders: readonly Order[], named: ReadonlySet<bigint>): Map<Order, Order> {
  const momentOf = ({ id, placed }: Order) => (named.has(id) ? placed - SECOND : placed);
  const sorted = orders.map((order) => ({ order, moment: momentOf(order), id: order.id })).sort(by('moment', 'id'));
  const found = new Map<Order, Order>();
  const withParent = new Map<Order, Order>();
  let latest: Order | undefined;
  for (const { order } of sorted) {
    if (named.has(order.id)) latest = order;
    if (latest && order.placed - latest.placed <= 2 * SECOND) withParent.set(order, latest);
  }
  for (const ofSymbol of Map.groupBy(
    sorted.map(({ order }) => order),
    ({ symbol }) => symbol.toUpperCase(),
  ).values()) {
    const last = new Map<string, Order>();
    const chainOf = new Map<Order, Order[]>();
    let parent: Order | undefined;
    const batches = new Map<Order, Order | undefined>();
    for (const order of ofSymbol) {
      const side = order.side.toUpperCase();
      const before = last.get(side);
      const isNext = before && !named.has(order.id) && order.placed - before.placed <= 10 * MINUTE;
      const chain = isNext ? (chainOf.get(before) as Order[]) : [];
      chain.push(order);
      chainOf.set(order, chain);
      last.set(side, order);
      if (named.has(order.id)) parent = order;
      batches.set(order, parent);
    }
    for (const order of ofSymbol.filter(({ id }) => !named.has(id))) {
      const batch = batches.get(order);
      const ofChain = chainOf.get(order)?.find(({ id }) => named.has(id));
      const ofBatch = batch && order.placed - batch.placed <= 10 * MINUTE ? batch : undefined;
      const candidates = [ofChain, ofBatch, withParent.get(order)].filter((one) => one !== undefined);
      const its = candidates.find((one) => timesOf(order, one) <= 10);
      if (its) found.set(order, its);
    }
  }
  const counts = new Map<Order, number>();
  for (const { order } of sorted) {
    const parent = found.get(order);
    if (parent === undefined) continue;
    counts.set(parent, (counts.get(parent) ?? 0) + 1);
    if ((counts.get(parent) as number) > 50) found.delete(order);
  }
  return found;
}

/** Compares an order of the demo, whose sides are buy and sell, with what its logs say of the trade. */
function compareTrade(order: Order, all: readonly Order[], naming: readonly Log[]) {
  if (naming.length === 0) return { trade: null, logSays: null };
  const said = naming.map(({ content }) => content.trade);
  const coin = coinOf(order.symbol) as string;
  const isNamed = said.some(({ named_coins }) => named_coins.split(' ').includes(coin));
  const only = (values: readonly (string | null)[]): string | null => {
    const [first = null, ...others] = new Set(values.filter((value) => value !== null));
    return others.length > 0 || first === 'unclear' ? null : first;
  };
  const itsCoin = only(said.map(({ trade_coin }) => trade_coin));
  const itsSide = only(said.map(({ trade_side }) => trade_side));
  const isCoin = itsCoin !== null && itsCoin !== coin && !isNamed;
  const before = all.filter(
    ({ symbol, placed, id }) =>
      symbol === order.symbol && (placed < order.placed || (placed === order.placed && id < order.id)),
  );
  const heldBy = (some: readonly Order[]) =>
    some.reduce((sum, { side, size }) => sum + (side === order.side ? -size : size), 0);
  const held = Math.max(heldBy(before), heldBy(before.filter(({ size }) => size === order.size)));
  const isOfOrder = itsCoin === coin || said.every(({ trade_coin }) => trade_coin === null);
  const side = isOfOrder && (itsSide === order.side || held < order.size * 0.99) ? itsSide : null;
  const isSide = side !== null && side !== order.side;
  const isBeside =
    (isCoin || isSide) &&
    all.some(
      ({ symbol, side, placed }) =>
        (itsCoin === null || coinOf(symbol) === itsCoin) &&
        (itsSide === null || side === itsSide) &&
        Math.abs(placed - order.placed) <= 10 * MINUTE,
    );
  const isOther = !isBeside && (isCoin || isSide);
  return {
    trade: isOther ? 'other' : isNamed || (side !== null && !isBeside) ? 'same' : 'untold',
    logSays: isOther ? [itsSide, itsCoin].filter(Boolean).join(' ') : null,
  };
}

/** Computes what `ailog report --json` prints of teams that are approved, all of whose logs are in the log. */
export function reportOn(exported: string, orderList: string, teams: readonly { uid: string; team: string | null }[]) {
  const orders = readOrders(orderList);
  const times = orders.map(({ placed }) => placed);
  const since = Math.floor(Math.min(...times) / DAY) * DAY;
  const until = (Math.floor(Math.max(...times) / DAY) + 1) * DAY;
  const logs = readLogs(exported, since, until);
  const texts = findTexts(logs);
  const repeats = findRepeats(logs, texts);
  const owners = new Map(orders.map(({ id, uid }) => [id, uid]));
  const contested = [
    ...Map.groupBy(
      logs.filter(({ order }) => order !== undefined),
      ({ order }) => order as bigint,
    ),
  ]
    .map(([id, naming]) => ({ id, owner: owners.get(id) ?? null, byTeam: [...Map.groupBy(naming, ({ uid }) => uid)] }))
    .filter(({ owner, byTeam }) => byTeam.length > 1 || (owner !== null && owner !== byTeam[0]?.[0]))
    .filter(({ owner, byTeam }) => owner !== null || byTeam.some(([, own]) => own.some(({ counts }) => counts)))
    .sort(by('id'));

  const described = teams.map(({ uid, team }) => {
    const all = logs.filter((log) => log.uid === uid).sort(by('signed', 'id'));
    const own = all.filter(({ counts }) => counts);
    const placed = orders.filter((order) => order.uid === uid).sort(by('placed', 'id'));
    const children = findChildren(placed, new Set(all.flatMap(({ order }) => order ?? [])));
    const timeline = placed.map((order) => {
      const naming = all.filter((log) => log.order === order.id);
      const [log] = naming;
      const before = all.findLast(({ signed }) => signed < order.placed);
      const after = all.find(({ signed }) => signed >= order.placed);
      const show = (one: Log | undefined) => (one ? { entryId: one.id, signed: iso(one.signed) } : null);
      const written = Math.min(...naming.flatMap(({ signed, received }) => [signed, received]));
      const delay = log && written - order.placed;
      const isNear = [before, after].some((near) => near && Math.abs(near.signed - order.placed) <= MINUTE);
      const unnamed = children.has(order) ? 'child order' : isNear ? 'not named' : 'no log';
      const named =
        delay === undefined ? unnamed : delay > MINUTE ? 'late' : delay < -30 * SECOND ? 'early' : 'in time';
      const others = contested.find(({ id }) => id === order.id)?.byTeam.map(([other]) => other) ?? [];
      const row = {
        uid,
        orderId: String(order.id),
        placed: iso(order.placed),
        ...{ symbol: order.symbol, side: order.side, size: order.size, price: order.price },
        timing: named,
        parentOrder: children.has(order) ? String(children.get(order)?.id) : null,
        ...compareTrade(order, placed, naming),
        delaySeconds: delay === undefined ? null : delay / SECOND,
        log: show(log),
        logBefore: log ? null : show(before),
        logAfter: log ? null : show(after),
        namedByOthers: others.filter((other) => other !== uid),
      };
      return { order, delay, before, after, row };
    });
    const silent = timeline.filter(
      ({ order, before, after, row }) =>
        row.timing !== 'child order' &&
        (!before || order.placed - before.signed > MINUTE) &&
        (!after || after.signed > order.placed),
    );
    const silences = [...Map.groupBy(silent, ({ after }) => after?.signed ?? Number.POSITIVE_INFINITY)]
      .map(([ends, [start, ...more]]) => ({ from: start?.order.placed ?? 0, ends: Math.min(ends, until), more }))
      .map(({ from, ends, more }) => ({ from, ends, orders: more.length + 1, unlength: from - ends }))
      .filter(({ unlength }) => unlength < 0)
      .sort(by('unlength', 'from'))
      .slice(0, 20);
    const count = (timing: string) => timeline.filter(({ row }) => row.timing === timing).length;
    const delays = timeline.flatMap(({ delay }) => delay ?? []).sort((a, b) => a - b);
    const rank = (percent: number) => delays[Math.ceil((delays.length * percent) / 100) - 1];
    const repeated = own.map((log) => repeats.get(log) as Repeats);
    const ofOwn = repeated.map(({ own, isTemplate }) => own ?? (isTemplate ? 6 : 0));
    const inWay = (way: string) => own.filter((log) => wayOf(repeats.get(log) as Repeats) === way);
    const copiesOf = (team: readonly Log[]) =>
      countOf(
        team.filter((log) => wayOf(repeats.get(log) as Repeats) === 'copy'),
        (log) => repeats.get(log)?.copied,
      );
    const most = (counts: ReadonlyMap<string, number>) =>
      [...counts].sort(([one, ofOne], [other, ofOther]) => ofOther - ofOne || (one < other ? -1 : 1))[0];
    const copied = most(copiesOf(own));
    const tied = most(countOf(inWay('same time'), (log) => repeats.get(log)?.tied));
    const followed = most(findFollows(uid, texts, repeats));
    const inPeriod = logs.filter(({ counts }) => counts);
    const back = copied && copiesOf(inPeriod.filter((log) => log.uid === copied[0])).get(uid);
    const numberOf = (found: readonly (number | undefined)[], most = 5) =>
      found.filter((one) => one && one <= most).length;
    const withOrder = own.filter(({ order }) => order !== undefined).length;
    const hasVersion = ({ model }: Log) => /[0-9]/.test(model);
    const isComplete = (log: Log) => hasVersion(log) && log.content.hasData;
    const foreign = contested.filter(({ owner, byTeam }) => owner !== uid && byTeam.some(([other]) => other === uid));
    const byOrder = [
      ...Map.groupBy(
        own.filter(({ order }) => order !== undefined),
        ({ order }) => order,
      ).values(),
    ];
    const report = {
      ...{ uid, team, status: 'approved', verdicts: null, entries: own.length },
      first: own.length > 0 ? iso(Math.min(...own.map(({ signed }) => signed))) : null,
      last: own.length > 0 ? iso(Math.max(...own.map(({ signed }) => signed))) : null,
      perDay: counted(own.map(({ signed }) => iso(signed).slice(0, 10))),
      models: counted(own.map(({ model }) => model)),
      stages: counted(own.map(({ stage }) => stage)),
      withOrder,
      withOrderPercent: share(withOrder, own.length),
      complete: own.filter((log) => isComplete(log) && log.order !== undefined).length,
      missing: {
        modelVersion: own.filter((log) => !hasVersion(log)).length,
        data: own.filter(({ content }) => !content.hasData).length,
        order: own.length - withOrder,
        versionOrData: own.filter((log) => !isComplete(log)).length,
      },
      silences: silences.map(({ from, ends, orders, unlength }) => ({
        ...{ seconds: Math.round(-unlength / SECOND), from: iso(from), until: iso(ends), orders },
      })),
      ...{ ownRepeats: numberOf(ofOwn), templates: numberOf(ofOwn, 6) - numberOf(ofOwn) },
      ...{ copies: copied?.[1] ?? 0, copiesOf: copied?.[0] ?? null, copiesBack: back ?? 0 },
      ...{ sameTime: tied?.[1] ?? 0, follows: followed?.[1] ?? 0, followsOf: followed?.[0] ?? null },
      ...{ shared: inWay('shared').length, shortTexts: own.filter((log) => !isLong(log)).length },
      hiddenCharacters: own.filter(({ content }) => content.hasHiddenCharacters).length,
      cutTexts: own.filter(({ content }) => content.isCut).length,
      foreignOrders: foreign.length,
      namedOrders: byOrder.length,
      saysNothing: byOrder.filter((of) => of.every(({ content }) => !content.trade.says_trade)).length,
      contestedOrders: foreign.filter(({ owner }) => owner === null).length,
      orders: placed.length,
      ordersWithLog: delays.length,
      coveragePercent: share(delays.length, placed.length - count('child order')),
      childOrders: count('child order'),
      parentOrders: new Set(children.values()).size,
      childVolume:
        children.size === 0
          ? null
          : Number([...children].reduce((sum, [order, parent]) => sum + timesOf(order, parent), 0).toPrecision(3)),
      toldOrders: timeline.filter(({ row }) => row.trade === 'same' || row.trade === 'other').length,
      otherTrades: timeline.filter(({ row }) => row.trade === 'other').length,
      ordersOnlyNear: count('not named'),
      ordersWithoutLog: count('no log'),
      ordersOnlyOthers: timeline.filter(({ row }) => !row.log && row.namedByOthers.length > 0).length,
      ...{ late: count('late'), early: count('early') },
      medianDelaySeconds: delays.length > 0 ? (rank(50) as number) / SECOND : null,
      p95DelaySeconds: delays.length > 0 ? (rank(95) as number) / SECOND : null,
      tlog: { logged: own.length },
      orderList: timeline.map(({ row }) => row),
    };
    return report;
  });

  const ratios = described
    .filter(({ entries, orders }) => entries > 0 && orders > 0)
    .map((one) => one.entries / one.orders);
  const median = ratios.sort((a, b) => a - b)[Math.ceil(ratios.length / 2) - 1] as number;
  const reasonsOf = (one: (typeof described)[number]) => {
    const { entries, orders, ownRepeats, templates, copies, sameTime, follows, hiddenCharacters, silences } = one;
    const tell: Record<string, boolean> = {
      late: one.late > one.ordersWithLog * 0.05,
      early: one.early > one.ordersWithLog * 0.05,
      'no log near': entries > 0 && one.ordersWithoutLog > (orders - one.childOrders) * 0.1,
      'few named': entries > 0 && one.ordersWithLog < (orders - one.childOrders) / 2,
      silent: entries > 0 && (silences[0]?.seconds ?? 0) >= 3600,
      repeats: entries > 0 && (ownRepeats >= entries * 0.2 || ownRepeats >= 40),
      template: entries > 0 && (templates >= entries * 0.2 || templates >= 40),
      copies: copies >= 3 && (copies > entries * 0.05 || copies >= 20),
      'same time': sameTime >= 3 && (sameTime > entries * 0.05 || sameTime >= 20),
      follows: follows > entries * 0.05 || follows >= 20,
      'hidden characters': hiddenCharacters > entries * 0.05 || hiddenCharacters >= 20,
      'many logs': entries >= 200 && entries > 5 * median * orders,
      'contested orders': one.contestedOrders > 0,
      'says nothing': one.saysNothing > 0 && (one.saysNothing >= one.namedOrders * 0.2 || one.saysNothing >= 40),
      incomplete: one.missing.versionOrData > entries / 2,
    };
    const ofOthers = one.foreignOrders - one.contestedOrders;
    const silentOrders = entries === 0 ? orders : 0;
    const trades = one.otherTrades;
    const isOther = trades >= 3 && (trades > one.ordersWithLog * 0.05 || trades >= 20);
    const facts = [
      ...(silentOrders > 0 ? ['no entries'] : []),
      ...(ofOthers > 0 ? ["others' orders"] : []),
      ...(isOther ? ['other trade'] : []),
    ];
    const questions = Object.keys(tell).filter((reason) => tell[reason]);
    return { lookAt: [...facts, ...questions], facts, factOrders: silentOrders + ofOthers + (isOther ? trades : 0) };
  };
  return {
    period: { from: iso(since), until: iso(until) },
    teams: described.map((one) => ({ ...one, ...reasonsOf(one) })),
    contestedOrders: contested.map(({ id, owner, byTeam }) => ({
      orderId: String(id),
      placedBy: owner,
      claims: byTeam.map(([uid, own]) => ({
        ...{ uid, logs: own.length, firstEntryId: own[0]?.id, firstReceived: iso(own[0]?.received as number) },
      })),
    })),
  };
}
