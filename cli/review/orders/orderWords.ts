import { words } from '../../shell/text/comparable.ts';
import { UID_HEADINGS } from '../../shell/text/uid.ts';

/** The words of order lists as `comparable` writes them. docs/review.md says what is read. */

/** Returns each word of one list before and after each of another. */
const pairs = (ones: readonly string[], others: readonly string[]): string[] =>
  others.flatMap((other) => ones.flatMap((one) => [one + other, other + one]));

const DONE = words(
  'filled executed exec cumexec accfill accumulatedfilled cumfilled cumulativefilled fill filledorder',
);
const DEALT = words('cum cumulative deal dealt traded trade matched completed done');
const COUNTED = words('qty quantity amount size sz vol volume contracts cont coin base');
const PAID = words('value total quote quoteqty funds cost notional turnover money');

/** The amount of an order that was filled, in coins or contracts. */
// biome-ignore format: a list of words
const AMOUNT_FILLED = [
  'filled', 'executed', ...pairs(DONE, COUNTED), ...pairs(DEALT, COUNTED), 'basevolume', 'volexec', 'filledorderqty',
  'fieldamount', 'cummulativeqty', 'cumqtyrq', 'cumexecqtyrq', 'dealamountbase',
  ...words('已成交 成交数量 已成交数量 成交量 已成交量 累计成交数量 累计成交量 已成交委托数量 成交数 已成数量 已执行 已执行数量'),
];

/** The names of columns, the best one first. */
// biome-ignore format: lists of words
export const NAMES = {
  uid: UID_HEADINGS,
  orderId: words('orderid ordid orderno ordernumber ordernum orderidstr oid order id 订单号 订单id 订单编号 委托单号 委托编号 委托号 委托id 单号'),
  time: [
    ...words('ordertime orderplacedtime orderplaced orderdate ordercreatedtime ordercreationtime placedat placed placedtime placetime'),
    ...words('createtimems createtime createdtime creationtime createdat createdate createddate created ctime submittime'),
    // In Binance's history of orders, `Time` beside `Date(UTC)` is that of the last fill.
    ...words('submittedat dateutc time timestamp ts datetime dateandtime date datetimeutc transacttime'),
    ...words('委托时间 下单时间 订单时间 创建时间 提交时间 委托日期 下单日期 时间 日期'),
    ...words('tradetime filltime filledtime executiontime exectime executedat dealtime transactiontime 成交时间'),
  ],
  zone: words('timezone tz zone utcoffset timezoneoffset 时区'),
  symbol: words('symbol pair pairs instrument instid contract contracts tradingpair market futures spotpairs currencypair symbolname tradepair 交易对 币对 合约 合约名称 交易品种 品种 标的 市场 币种'),
  side: words('side direction orderside action buysell tradeside type 方向 买卖方向 交易方向 委托方向 买卖 类型'),
  // In hedge mode, Bitget calls the end of a long position a buy too.
  ends: words('tradeside reduceonly isreduceonly 开平'),
  size: [
    ...words('size qty quantity orderqty orderquantity orderamount ordersize amount origqty originalqty origquantity origsz sz vol 委托数量 委托量 下单数量 订单数量 数量'),
    ...AMOUNT_FILLED,
  ],
  price: words('price orderprice limitprice px 委托价格 委托价 订单价格 限价 价格'),
  average: words(`avgprice averageprice avgtradingprice avgfilledprice averagefilledprice priceavg avgpx filledprice
    fillprice fillpx execprice executedprice dealprice tradeprice average 成交均价 平均成交价 均价 成交价格 成交价`),
  status: words('status orderstatus ordstatus state orderstate isactive finishas 状态 订单状态 委托状态 成交状态'),
  filled: [...AMOUNT_FILLED, ...pairs(DONE, PAID), ...pairs(DEALT, PAID), 'quotevolume', 'cummulativequoteqty',
    ...words('成交额 成交金额 已成交金额 已成交额 成交总额 累计成交额')],
  remaining: [...words('remaining remain left leaves leavesqty unfilled 未成交数量 未成交 未成交量 剩余数量 剩余'),
    ...pairs(words('remaining remain left unfilled unexecuted open'), words('qty quantity amount size sz volume'))],
} satisfies Record<string, readonly string[]>;

/**
 * What the state of an order says of it.
 * - open: more may be filled
 * - filled: at least a part was filled
 * - refused: nothing was ever filled
 * - ended: nothing more will be filled. Only the amount says whether something was
 */
// biome-ignore format: lists of words
export const STATES = {
  open: words(`new open live active accepted submitted pending pendingnew pendingcancel working placed queued init created
    waiting unfilled notfilled untriggered nottriggered pendingtrigger canceling cancelling true 未成交 挂单中 委托中
    等待成交 待成交 未触发 待触发 等待触发 已报 已提交 进行中 新订单 撤单中 撤销中`),
  filled: [
    ...words(`filled fullyfilled fullfill fullfilled allfilled executed fullyexecuted deal dealt traded complete completed
      success partfilled partialfilled partiallyfilled partialfill partiallyexecuted partiallytraded partiallycompleted
      部分成交 部成 完全成交 全部成交 全部成交完成 已成交 已完全成交 已全部成交 成交 成交完成 已成 已完成 完成 全成`),
    ...pairs(words('partiallyfilled partialfilled partfilled partialfill partially partial'), words('canceled cancelled cancel expired')),
    ...words('部分成交已撤销 部分成交部分撤销 部分成交部分取消 部分成交已取消 部分成交已撤单 部分成交撤销 部成已撤 部成部撤 部分撤销 部分取消 部分撤单'),
  ],
  refused: words(`rejected reject failed fail failure invalid deactivated error 已拒绝 拒绝 被拒绝 拒单 失败 下单失败 委托失败 已失败 废单 无效`),
  ended: words(`canceled cancelled cancel cancelorder usercanceled usercancelled systemcanceled systemcancelled autocanceled
    autocancelled canceledbyuser cancelledbyuser canceledbysystem cancelledbysystem marketcanceled marginmodecanceled
    mmpcanceled expired expiredinmatch expire revoked withdrawn killed ended done finished closed inactive false
    已撤销 已撤单 已撤 撤销 撤单 撤单成功 撤销成功 全部撤单 用户撤单 系统撤单 用户撤销 系统撤销 已取消 取消 用户取消 系统取消 已过期 过期 已失效 失效 已结束 已关闭`),
} satisfies Record<string, readonly string[]>;
