/** What each disposal of bitcoin was of, and gained, by prices that were uploaded. */
import { DomainError } from '../../../core/errors.ts';
import type { ReportColumn, ReportSummary, Row } from '../../../core/reports/cells.ts';
import { type LotList, parseLots } from '../../../core/tax-lots/lot-list.ts';
import { moneyText, type PriceList, parsePrices } from '../../../core/tax-lots/price-list.ts';
import { createTaxLots, type DisposedPart, METHODS, type Method, SPECIFIC } from '../../../core/tax-lots/tax-lots.ts';
import { inSlices } from '../../../scheduling/in-slices.ts';
import type { ReportPage, ReportSource, ReportType } from '../report-type.ts';
import { countHistory, feeOf, minedOf } from './movements.ts';

/** Rows, or transactions without one, between two turns of others. */
const AT_ONCE = 200;
const DAY_MS = 86_400_000;

const columns: readonly ReportColumn[] = [
  { name: 'disposed_at', kind: 'time' },
  { name: 'txid', kind: 'text' },
  { name: 'kind', kind: 'text' },
  { name: 'acquired_at', kind: 'time' },
  { name: 'acquired_txid', kind: 'text' },
  { name: 'amount', kind: 'btc' },
  ...(['proceeds', 'cost', 'gain'] as const).map((name) => ({ name, kind: 'decimal' as const })),
  { name: 'term_days', kind: 'integer' },
  { name: 'method', kind: 'text' },
];

interface Asked {
  readonly prices: PriceList;
  /** null: the lots that are uploaded name all. */
  readonly method: Method | null;
  readonly isSpecific: boolean;
  readonly identified: LotList | undefined;
}

interface Moved {
  readonly ordinal: number;
  readonly txid: string;
  readonly at: number;
  net: bigint;
  fee: bigint;
}

interface Uploaded {
  readonly prices?: string | undefined;
  readonly lots?: string | undefined;
}
/** What is uploaded, as it is kept. */
export const taxLotsInput = ({ prices, lots }: Uploaded): string => JSON.stringify({ prices, lots });

const must = (field: string, problem: string) => new DomainError('invalid_value', `must be ${problem}`, { field });

/** Throws what is wrong with the request. */
async function askedOf({ input, options }: Pick<ReportSource, 'input' | 'options'>): Promise<Asked> {
  const isSpecific = options.method === SPECIFIC;
  const known = (field: string): Method | null => METHODS.find((one) => one === options[field]) ?? null;
  const method = known(isSpecific ? 'otherwise' : 'method');
  if (!isSpecific && method === null) throw must('method', `one of ${[...METHODS, SPECIFIC].join(', ')}`);
  if (!isSpecific && options.otherwise !== undefined)
    throw must('otherwise', `absent: it is of \`method\` ${SPECIFIC}`);
  const { prices, lots }: Uploaded = JSON.parse(input ?? '{}');
  if (prices === undefined) throw must('prices', 'given: CSV with the header date,EUR');
  if (isSpecific && lots === undefined) throw must('lots', 'given: CSV with the header txid,acquired_txid,amount');
  if (!isSpecific && lots !== undefined) throw must('lots', `absent: they are of \`method\` ${SPECIFIC}`);
  return {
    ...{ method, isSpecific, prices: await inSlices(parsePrices(prices), AT_ONCE) },
    identified: lots === undefined ? undefined : await inSlices(parseLots(lots), AT_ONCE),
  };
}

/** What each transaction in a block did to the wallets together, in the order of the chain; null: others have their turn. */
async function* history(source: ReportSource): AsyncGenerator<Moved | null> {
  let open = null as Moved | null;
  // Lots were acquired before the time that is asked for, too.
  for await (const movements of minedOf({ ...source, from: 0 })) {
    for (const one of movements) {
      if (open?.ordinal !== one.ordinal) {
        if (open !== null) yield open;
        open = { ordinal: one.ordinal, txid: one.txid, at: one.at, net: 0n, fee: 0n };
      }
      open.net += one.receivedSats - one.sentSats;
      open.fee += feeOf(one) ?? 0n;
    }
    yield null;
  }
  if (open !== null) yield open;
}

async function* pages(source: ReportSource): AsyncGenerator<ReportPage, ReportSummary> {
  const { from } = source;
  const { prices, method, isSpecific, identified } = await askedOf(source);
  const lots = createTaxLots({ method, identified, prices });
  const money = (value: bigint | null) => (value === null ? null : moneyText(value, prices.decimals));
  const all = { acquired: 0n, disposed: 0n, proceeds: 0n, cost: 0n, gain: 0n };
  const counted = { withoutPrice: 0, withoutLot: 0n, named: 0n };
  const left = { sats: 0n, cost: 0n, withoutPrice: 0 };

  const rowOf = ({ at, txid }: Moved, kind: string, part: DisposedPart): Row => {
    const { lot, sats, proceeds, cost, isNamed } = part;
    const gain = proceeds === null || cost === null ? null : proceeds - cost;
    all.disposed += sats;
    if (isNamed) counted.named += sats;
    if (lot === null) counted.withoutLot += sats;
    else if (gain === null) counted.withoutPrice++;
    if (gain !== null && proceeds !== null && cost !== null) {
      all.proceeds += proceeds;
      all.cost += cost;
      all.gain += gain;
    }
    const days = lot === null ? null : Math.max(0, Math.floor((at - lot.at) / DAY_MS));
    const amounts = [sats, money(proceeds), money(cost), money(gain)];
    const by = lot === null ? null : isNamed ? SPECIFIC : method;
    return [at, txid, kind, lot?.at ?? null, lot?.txid ?? null, ...amounts, days, by];
  };
  /** null: a step without a row. */
  function* steps(one: Moved): Generator<Row | null> {
    if (one.net > 0n) {
      lots.acquire({ ...one, sats: one.net });
      if (one.at >= from) all.acquired += one.net;
    }
    if (one.net >= 0n) return;
    const sats = -one.net;
    const forSats = sats > one.fee ? sats - one.fee : 0n;
    for (const part of lots.dispose({ ...one, sats, forSats }))
      yield one.at < from ? null : rowOf(one, forSats > 0n ? 'payment' : 'fee', part);
  }

  const length = await countHistory(source);
  let [rows, passed, done, taken] = [[] as Row[], 0, 0, 0];
  function page(): ReportPage {
    const made = { rows, passed };
    [rows, passed, done] = [[], 0, done + passed];
    return made;
  }
  for await (const one of history(source)) {
    if (one === null) yield page();
    else passed++;
    for (const row of one === null ? [] : steps(one)) {
      if (row !== null) rows.push(row);
      if (++taken % AT_ONCE === 0) yield page();
    }
  }
  for (const { sats, cost } of lots.rest()) {
    left.sats += sats;
    if (cost === null) left.withoutPrice++;
    else left.cost += cost;
    if (++taken % AT_ONCE === 0) yield page();
  }
  // Those in no block, too.
  passed = Math.max(passed, length - done);
  yield page();
  const text = (name: string, value: string | null) => ({ name, kind: 'text' as const, value });
  const btc = (name: string, value: bigint) => ({ name, kind: 'btc' as const, value });
  const decimal = (name: string, value: bigint) => ({ name, kind: 'decimal' as const, value: money(value) });
  return {
    figures: [
      ...[
        text('method', isSpecific ? SPECIFIC : method),
        ...(isSpecific ? [text('otherwise', method)] : []),
        text('currency', prices.currency),
      ],
      ...[btc('acquired', all.acquired), btc('disposed', all.disposed)],
      ...(isSpecific ? [btc('identified', counted.named)] : []),
      ...[decimal('proceeds', all.proceeds), decimal('cost', all.cost), decimal('gain', all.gain)],
      { name: 'without_price', kind: 'integer', value: counted.withoutPrice },
      btc('without_lot', counted.withoutLot),
      ...[btc('remaining', left.sats), decimal('remaining_cost', left.cost)],
      { name: 'remaining_without_price', kind: 'integer', value: left.withoutPrice },
    ],
    notes: [
      'A price is the latest of the 24 hours up to the block; where there is none, proceeds, cost and gain are empty, and the row is in no sum of money.',
      'proceeds, cost and gain of the summary are of the rows that have a gain. remaining is as of the end of the time that was asked for.',
      'Transactions in blocks alone, in the order of the chain. The time of a block from before the service followed the chain is when it was recorded.',
    ],
    chart: null,
  };
}

export const taxLots: ReportType = {
  ...{ kind: 'compliance', name: 'tax-lots', title: 'Tax lots', columns, ofWallets: true },
  needs: { role: 'operator', scopes: ['transactions:read'] },
  async check(source) {
    await askedOf(source);
  },
  count: countHistory,
  pages,
};
