/** What each disposal of bitcoin was of, and gained, by prices that were uploaded. */
import { DomainError } from '../../../core/errors.ts';
import type { ReportColumn, ReportSummary, Row } from '../../../core/reports/cells.ts';
import { createHeap } from '../../../core/tax-lots/heap.ts';
import { moneyText, type PriceList, parsePrices } from '../../../core/tax-lots/price-list.ts';
import { createTaxLots, type DisposedPart, METHODS, type Method } from '../../../core/tax-lots/tax-lots.ts';
import { inSlices } from '../../../scheduling/in-slices.ts';
import type { WalletMovement } from '../../../store/repositories/report-sources.ts';
import type { ReportPage, ReportSource, ReportType } from '../report-type.ts';
import { countHistory, feeOf, movementsOf } from './movements.ts';

/** Held in memory: some hundred bytes each. */
const MOST_TRANSACTIONS = 250_000;
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
];

interface Moved {
  readonly height: number;
  readonly ordinal: number;
  readonly txid: string;
  readonly at: number;
  net: bigint;
  fee: bigint;
}

const pricesOf = (csv: string | null): Promise<PriceList> => {
  if (csv === null)
    throw new DomainError('invalid_value', 'must be given: CSV with the header date,EUR', { field: 'prices' });
  return inSlices(parsePrices(csv), AT_ONCE);
};
const methodOf = ({ method }: ReportSource['options']): Method => {
  const known = METHODS.find((one) => one === method);
  if (known !== undefined) return known;
  throw new DomainError('invalid_value', `must be one of ${METHODS.join(', ')}`, { field: 'method' });
};

/** What each confirmed transaction did to the wallets together, the first of the chain on top. */
const history = () =>
  createHeap<Moved>((one, other) =>
    one.height === other.height ? one.ordinal < other.ordinal : one.height < other.height,
  );

async function* gather(source: ReportSource, into: ReturnType<typeof history>): AsyncGenerator<ReportPage> {
  let open: Moved | null = null;
  const add = (one: WalletMovement): void => {
    const { ordinal, txid, at, blockHeight: height } = one;
    if (one.status !== 'confirmed' || height === null) return;
    if (open?.ordinal !== ordinal) {
      if (open !== null) into.push(open);
      if (into.size >= MOST_TRANSACTIONS)
        throw new DomainError('too_large', `tax lots are of at most ${MOST_TRANSACTIONS} transactions: ask by wallets`);
      open = { height, ordinal, txid, at, net: 0n, fee: 0n };
    }
    open.net += one.receivedSats - one.sentSats;
    open.fee += feeOf(one) ?? 0n;
  };
  // Lots were acquired before the time that is asked for, too.
  for await (const { movements, passed } of movementsOf({ ...source, from: 0 })) {
    for (const one of movements) add(one);
    yield { rows: [], passed };
  }
  if (open !== null) into.push(open);
}

async function* pages(source: ReportSource): AsyncGenerator<ReportPage, ReportSummary> {
  const { from, input, options } = source;
  const prices = await pricesOf(input);
  const method = methodOf(options);
  const moved = history();
  yield* gather(source, moved);
  const lots = createTaxLots(method, prices.priceAt);
  const money = (value: bigint | null) => (value === null ? null : moneyText(value, prices.decimals));
  const all = { acquired: 0n, disposed: 0n, proceeds: 0n, cost: 0n, gain: 0n, withoutPrice: 0, withoutLot: 0n };
  const left = { sats: 0n, cost: 0n, withoutPrice: 0 };

  const rowOf = ({ at, txid }: Moved, kind: string, { lot, sats, proceeds, cost }: DisposedPart): Row => {
    const gain = proceeds === null || cost === null ? null : proceeds - cost;
    all.disposed += sats;
    if (lot === null) all.withoutLot += sats;
    else if (gain === null) all.withoutPrice++;
    if (gain !== null && proceeds !== null && cost !== null) {
      all.proceeds += proceeds;
      all.cost += cost;
      all.gain += gain;
    }
    const days = lot === null ? null : Math.max(0, Math.floor((at - lot.at) / DAY_MS));
    return [at, txid, kind, lot?.at ?? null, lot?.txid ?? null, sats, money(proceeds), money(cost), money(gain), days];
  };
  /** null: a step without a row. */
  function* steps(): Generator<Row | null> {
    for (let one = moved.pop(); one !== undefined; one = moved.pop()) {
      yield null;
      if (one.net > 0n) {
        lots.acquire({ ...one, sats: one.net });
        if (one.at >= from) all.acquired += one.net;
      }
      if (one.net >= 0n) continue;
      const sats = -one.net;
      const forSats = sats > one.fee ? sats - one.fee : 0n;
      for (const part of lots.dispose({ ...one, sats, forSats }))
        yield one.at < from ? null : rowOf(one, forSats > 0n ? 'payment' : 'fee', part);
    }
    for (const { sats, cost } of lots.rest()) {
      left.sats += sats;
      if (cost === null) left.withoutPrice++;
      else left.cost += cost;
      yield null;
    }
  }

  let rows: Row[] = [];
  let taken = 0;
  for (const row of steps()) {
    if (row !== null) rows.push(row);
    if (++taken % AT_ONCE !== 0) continue;
    yield { rows, passed: 0 };
    rows = [];
  }
  yield { rows, passed: 0 };
  const btc = (name: string, value: bigint) => ({ name, kind: 'btc' as const, value });
  const decimal = (name: string, value: bigint) => ({ name, kind: 'decimal' as const, value: money(value) });
  return {
    figures: [
      ...[
        { name: 'method', kind: 'text' as const, value: method },
        { name: 'currency', kind: 'text' as const, value: prices.currency },
      ],
      ...[btc('acquired', all.acquired), btc('disposed', all.disposed)],
      ...[decimal('proceeds', all.proceeds), decimal('cost', all.cost), decimal('gain', all.gain)],
      { name: 'without_price', kind: 'integer', value: all.withoutPrice },
      btc('without_lot', all.withoutLot),
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
  async check({ input, options }) {
    methodOf(options);
    await pricesOf(input);
  },
  count: countHistory,
  pages,
};
