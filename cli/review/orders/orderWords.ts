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
export const AMOUNT_FILLED = [
  'filled', 'executed', ...pairs(DONE, COUNTED), ...pairs(DEALT, COUNTED), 'basevolume', 'volexec', 'filledorderqty',
  'fieldamount', 'cummulativeqty', 'cumqtyrq', 'cumexecqtyrq', 'dealamountbase',
  ...words('已成交 成交数量 已成交数量 成交量 已成交量 累计成交数量 累计成交量 已成交委托数量 成交数 已成数量 已执行 已执行数量 成交数量委托数量'),
  ...words('约定数量 约定数 约定量 约定済数量 约定済み数量 執行数量 체결수량 체결량 체결된수량 exécuté quantitéexécutée montantexécuté rempli ejecutado cantidadejecutada'),
  ...words('completado ausgeführt ausgeführtemenge executado quantidadeexecutada preenchido исполнено исполненныйобъем исполненныйобъём исполненноеколичество'),
];

/** The times of a trade, which is not the time of its order. */
// biome-ignore format: a list of words
export const TRADE_TIMES = words(`tradetime filltime filledtime executiontime exectime executedat dealtime transactiontime
  成交时间 约定日时 约定时间 约定时刻 체결시간 체결시각 체결일시 heuredexécution horadeejecución ausführungszeit horadeexecução времясделки времяисполнения`);

/** The names of columns that only lists of trades have. */
// biome-ignore format: a list of words
export const TRADE_COLUMNS = words(`trade tradeid tradeidstr tradeno tradenumber tradenum tradeuid execid execno executionid fillid fillno dealid dealno matchid
  matchno matchnumber transactionid takerormaker makerortaker takermaker makertaker taker maker istaker ismaker isbuyermaker isbestmatch buyermaker
  liquidity liquidityindicator liquiditytype liquidityside lastliquidityind fillliquidity tradeliquidity tradescope traderole role exectype aggressor
  tradeprice tradefee tradeqty tradequantity tradesize tradeamount commissionasset
  成交编号 成交id 成交单号 成交号 成交序号 交易id 交易编号 交易单号 成交角色 角色 流动性 约定番号 约定id 체결번호`);

/** The names of columns, the best one first. */
// biome-ignore format: lists of words
export const NAMES = {
  uid: UID_HEADINGS,
  orderId: words(`orderid ordid orderno ordernumber ordernum orderidstr oid order id ordertxid 订单号 订单id 订单编号 委托单号 委托编号 委托号 委托id 单号
    注文番号 注文id 注文no オーダーid 주문번호 주문id ndordre nodordre numérodordre numerodordre iddordre iddelordre identifiantdordre identifiantdelordre
    iddeorden iddelaorden nodeorden ndeorden noorden númerodeorden numerodeorden iddaordem iddeordem nodaordem ndaordem númerodaordem numerodaordem
    auftragsnummer auftragsnr auftragsid ordernummer ordernr idордера номерордера noордера idзаявки номерзаявки noзаявки`),
  time: [
    ...words('ordertime orderplacedtime orderplaced orderdate ordercreatedtime ordercreationtime placedat placed placedtime placetime'),
    ...words('createtimems createtime createdtime creationtime createdat createdate createddate created ctime submittime'),
    // In Binance's history of orders, `Time` beside `Date(UTC)` is that of the last fill.
    ...words('submittedat dateutc time timestamp ts datetime dateandtime date datetimeutc transacttime'),
    ...words('委托时间 下单时间 订单时间 创建时间 提交时间 委托日期 下单日期 时间 日期'),
    ...words('注文日时 注文时间 注文时刻 発注日时 作成日时 日时 时刻 주문시간 주문시각 주문일시 주문날짜 생성시간 일시 시간 날짜'),
    ...words('heuredelordre heuredordre datedelordre datedordre datedecréation dateetheure dateheure horodatage heure'),
    ...words('horadelaorden fechadelaorden horadeorden fechadeorden fechadecreación fechayhora fecha hora'),
    ...words('auftragszeit auftragsdatum orderzeit erstellungszeit erstelltam datumundzeit datumuhrzeit zeitstempel zeitpunkt zeit datum'),
    ...words('horadaordem datadaordem datadecriação dataehora datahora datautc horário времяордера датаордера времясоздания датасоздания датаивремя время дата'),
    ...TRADE_TIMES,
  ],
  zone: words('timezone tz zone utcoffset timezoneoffset 时区 タイムゾーン 시간대 zeitzone fuseauhoraire zonahoraria fusohorário часовойпояс'),
  // In which coin the size is: OKX and Bybit say so beside it.
  unit: words('tradingunit sizeunit qtyunit quantityunit amountunit unit tgtccy targetcurrency marketunit'),
  symbol: words(`symbol pair pairs instrument instid contract contracts tradingpair market futures spotpairs currencypair symbolname tradepair 交易对 币对 合约 合约名称 交易品种 品种 标的 市场 币种
    銘柄 通貨ペア 取引ペア 심볼 종목 마켓 거래쌍 페어 paire symbole contrat par símbolo contrato paar handelspaar kontrakt пара торговаяпара символ инструмент контракт`),
  side: words(`side direction orderside action buysell tradeside 方向 买卖方向 交易方向 委托方向 买卖
    买卖区分 売买 売买区分 売买方向 注文方向 매매구분 구분 côté sens lado dirección sentido direção seite richtung kaufverkauf сторона направление type 类型`),
  // In hedge mode, Bitget calls the end of a long position a buy too.
  ends: words('tradeside reduceonly isreduceonly 开平'),
  size: [
    ...words(`size qty quantity orderqty orderquantity orderamount ordersize amount origqty originalqty origquantity origsz sz vol 委托数量 委托量 下单数量 订单数量 数量
      注文数量 注文数 注文量 주문수량 주문량 수량 quantité taille montant quantitédelordre montantdelordre cantidad cantidaddelaorden montodelaorden importedelaorden importe tamaño monto menge anzahl größe ordermenge auftragsmenge quantidade quantidadedaordem tamanho montante количество объем объём`),
    ...AMOUNT_FILLED,
  ],
  price: words(`price orderprice limitprice px 委托价格 委托价 订单价格 限价 价格
    価格 注文価格 指値 指値価格 주문가격 주문가 가격 prix prixdordre prixdelordre precio preciodelaorden preis limitpreis orderpreis auftragspreis preço preçodaordem цена ценаордера`),
  average: words(`avgprice averageprice avgtradingprice avgfilledprice averagefilledprice priceavg avgpx filledprice
    fillprice fillpx execprice executedprice dealprice tradeprice average 成交均价 平均成交价 均价 成交价格 成交价
    约定価格 约定単価 平均约定価格 체결가격 체결가 체결단가 평균체결가 평균체결가격 prixmoyen preciopromedio preciomedio durchschnittspreis preçomédio средняяцена`),
  status: words(`status orderstatus ordstatus state orderstate isactive finishas 状态 订单状态 委托状态 成交状态 ステータス 注文状态 注文状況 状況 상태 주문상태
    statut état estado situação auftragsstatus статус состояние`),
  filled: [...AMOUNT_FILLED, ...pairs(DONE, PAID), ...pairs(DEALT, PAID), 'quotevolume', 'cummulativequoteqty',
    ...words('成交额 成交金额 已成交金额 已成交额 成交总额 累计成交额')],
  remaining: [...words(`remaining remain left leaves leavesqty unfilled 未成交数量 未成交 未成交量 剩余数量 剩余
    未约定数量 残数量 残量 미체결수량 미체결량 미체결 잔량 restant quantitérestante restante cantidadrestante quantidaderestante verbleibend restmenge остаток`),
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
    等待成交 待成交 未触发 待触发 等待触发 已报 已提交 进行中 新订单 撤单中 撤销中
    offen ouvert ouverte abierto abierta aberto aberta открыт 未约定 미체결
    inprogress processing 处理中 待处理 enattente pendiente pendente`),
  filled: [
    ...words(`filled fullyfilled fullfill fullfilled allfilled executed fullyexecuted deal dealt traded complete completed
      success partfilled partialfilled partiallyfilled partialfill partiallyexecuted partiallytraded partiallycompleted
      部分成交 部成 完全成交 全部成交 全部成交完成 已成交 已完全成交 已全部成交 成交 成交完成 已成 已完成 完成 全成`),
    ...words('exécuté rempli ejecutado ejecutada completado completada ausgeführt executado executada preenchido исполнен исполнено 约定 约定済 全约定 全部约定 체결 체결완료 전체체결'),
    ...pairs(words('partiallyfilled partialfilled partfilled partialfill partially partial'), words('canceled cancelled cancel expired')),
    ...words('部分成交已撤销 部分成交部分撤销 部分成交部分取消 部分成交已取消 部分成交已撤单 部分成交撤销 部成已撤 部成部撤 部分撤销 部分取消 部分撤单'),
  ],
  refused: words(`rejected reject failed fail failure invalid deactivated error 已拒绝 拒绝 被拒绝 拒单 失败 下单失败 委托失败 已失败 废单 无效`),
  ended: words(`canceled cancelled cancel cancelorder usercanceled usercancelled systemcanceled systemcancelled autocanceled
    autocancelled canceledbyuser cancelledbyuser canceledbysystem cancelledbysystem marketcanceled marginmodecanceled
    mmpcanceled expired expiredinmatch expire revoked withdrawn killed ended done finished closed inactive false
    已撤销 已撤单 已撤 撤销 撤单 撤单成功 撤销成功 全部撤单 用户撤单 系统撤单 用户撤销 系统撤销 已取消 取消 用户取消 系统取消 已过期 过期 已失效 失效 已结束 已关闭
    annulé annulée expiré expirée cancelado cancelada expirado expirada storniert abgebrochen abgelaufen отменен отменён отменено 取消済 取消済み 취소 취소됨 취소완료`),
} satisfies Record<string, readonly string[]>;
