/** Prices of one bitcoin as an uploaded CSV says them: nothing is known of any other time. */
import { DomainError } from '../errors.ts';
import { csvLines } from './csv-lines.ts';

const MOST_LINES = 100_000;
const HEADER = /^date,([A-Z]{3,5})$/;
const LINE = /^(\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?),(\d{1,12})(?:\.(\d{1,8}))?$/;
const DAY_MS = 86_400_000;
const SATS_PER_BTC = 100_000_000n;

export interface PriceList {
  readonly currency: string;
  /** Decimals of what is computed: the most that a price has, two at least. */
  readonly decimals: number;
  /** Of the latest price of the 24 hours up to then; -1: there is none. */
  indexAt(at: number): number;
  /** In units of the last decimal. */
  price(index: number): bigint;
}

const wrong = (line: number, problem: string) =>
  new DomainError('invalid_value', `line ${line} ${problem}`, { field: 'prices' });

/** To be taken in slices: a step for each line. Throws what is wrong with the first line that is. */
export function* parsePrices(csv: string): Generator<undefined, PriceList> {
  const times: number[] = [];
  const texts: [whole: string, decimals: string][] = [];
  let [currency, decimals, last] = [null as string | null, 2, 0];
  for (const { number, line } of csvLines(csv)) {
    last = number;
    if (number > MOST_LINES + 1) throw wrong(number, `is too many: at most ${MOST_LINES} prices are taken`);
    if (number === 1) {
      currency = HEADER.exec(line)?.[1] ?? null;
      if (currency === null) throw wrong(1, 'must be the header, date and the currency of the prices: date,EUR');
      continue;
    }
    const [, date = '', whole = '', part = ''] = LINE.exec(line) ?? [];
    const at = date === '' ? Number.NaN : Date.parse(date);
    if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date.slice(0, 10))
      throw wrong(number, 'must be a date or time in UTC and a price, such as 2026-11-28,81234.50');
    if (at <= (times.at(-1) ?? Number.NEGATIVE_INFINITY)) throw wrong(number, 'must be later than the line before');
    times.push(at);
    texts.push([whole, part]);
    decimals = Math.max(decimals, part.length);
    yield;
  }
  if (currency === null || times.length === 0)
    throw wrong(last + 1, 'is missing: a header date,EUR and at least one price are needed');
  return {
    ...{ currency, decimals },
    indexAt(at) {
      let [low, high] = [0, times.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((times[middle] as number) <= at) low = middle + 1;
        else high = middle;
      }
      return low === 0 || at - (times[low - 1] as number) >= DAY_MS ? -1 : low - 1;
    },
    price(index) {
      const [whole, part] = texts[index] as [string, string];
      return BigInt(whole + part.padEnd(decimals, '0'));
    },
  };
}

/** What so many satoshis are worth, to the last decimal, half up. */
export const worth = (sats: bigint, price: bigint): bigint => (2n * sats * price + SATS_PER_BTC) / (2n * SATS_PER_BTC);

export function moneyText(value: bigint, decimals: number): string {
  const digits = `${value < 0n ? -value : value}`.padStart(decimals + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
