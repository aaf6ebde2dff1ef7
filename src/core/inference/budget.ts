/** What calls of models cost, and what of a budget is left. Money is in millionths of a US dollar, days and months are UTC. */

/** In millionths of a US dollar for a million tokens. */
interface Prices {
  readonly inputPerMillion: bigint;
  readonly outputPerMillion: bigint;
}

export interface Amounts {
  readonly tokens: bigint;
  readonly micros: bigint;
}

/** null: as much as there is. */
export interface BudgetLimits {
  readonly tokensPerDay: bigint | null;
  readonly tokensPerMonth: bigint | null;
  readonly microsPerDay: bigint | null;
  readonly microsPerMonth: bigint | null;
}

/** What was used on a day (since the epoch) and in its month, with what calls under way may still use. */
export interface BudgetSums {
  readonly day: number;
  readonly dayTokens: bigint;
  readonly dayMicros: bigint;
  readonly monthTokens: bigint;
  readonly monthMicros: bigint;
}

const DAY_MS = 86_400_000;
const MILLION = 1_000_000n;

export const dayOf = (at: number): number => Math.floor(at / DAY_MS);
/** Epoch milliseconds of its first instant. */
export const startOfDay = (day: number): number => day * DAY_MS;
export function startOfMonth(day: number): number {
  const date = new Date(startOfDay(day));
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
function endOfMonth(day: number): number {
  const date = new Date(startOfDay(day));
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** Rounded up. */
export function costOf(price: Prices | null, promptTokens: number, completionTokens: number): bigint {
  if (price === null) return 0n;
  const exact = BigInt(promptTokens) * price.inputPerMillion + BigInt(completionTokens) * price.outputPerMillion;
  return (exact + MILLION - 1n) / MILLION;
}

/** The day that a call counts on: the clock of another process may be a little ahead, and what it has begun goes on. */
export const countedDay = (today: number, sums: readonly Pick<BudgetSums, 'day'>[]): number =>
  sums.some(({ day }) => day === today + 1) ? today + 1 : today;

/** As they stand on this day. */
export function sumsOn(sums: BudgetSums, day: number): BudgetSums {
  if (sums.day === day) return sums;
  const same = startOfMonth(sums.day) === startOfMonth(day);
  const { monthTokens, monthMicros } = same ? sums : { monthTokens: 0n, monthMicros: 0n };
  return { day, dayTokens: 0n, dayMicros: 0n, monthTokens, monthMicros };
}

const atLeastNone = (amount: bigint): bigint => (amount > 0n ? amount : 0n);

/** With `more`, which may be less than nothing, of a call that counts on this day. What a day or month that is over has is left. */
export function addedOn(sums: BudgetSums, day: number, more: Amounts): BudgetSums {
  const [ofDay, ofMonth] = [sums.day === day, startOfMonth(sums.day) === startOfMonth(day)];
  return {
    day: sums.day,
    dayTokens: atLeastNone(sums.dayTokens + (ofDay ? more.tokens : 0n)),
    dayMicros: atLeastNone(sums.dayMicros + (ofDay ? more.micros : 0n)),
    monthTokens: atLeastNone(sums.monthTokens + (ofMonth ? more.tokens : 0n)),
    monthMicros: atLeastNone(sums.monthMicros + (ofMonth ? more.micros : 0n)),
  };
}

export interface Shortage {
  readonly unit: 'tokens' | 'micros';
  readonly per: 'day' | 'month';
  readonly limit: bigint;
  readonly used: bigint;
  readonly wanted: bigint;
  /** When the next day or month begins, epoch milliseconds. */
  readonly until: number;
}

/** What does not fit, the one that lasts longest; null: all does. */
export function shortageOf(limits: BudgetLimits, sums: BudgetSums, wanted: Amounts): Shortage | null {
  const [tomorrow, nextMonth] = [startOfDay(sums.day + 1), endOfMonth(sums.day)];
  const asked: readonly (readonly [Shortage['unit'], Shortage['per'], bigint | null, bigint, number])[] = [
    ['micros', 'month', limits.microsPerMonth, sums.monthMicros, nextMonth],
    ['tokens', 'month', limits.tokensPerMonth, sums.monthTokens, nextMonth],
    ['micros', 'day', limits.microsPerDay, sums.dayMicros, tomorrow],
    ['tokens', 'day', limits.tokensPerDay, sums.dayTokens, tomorrow],
  ];
  // What costs nothing passes a budget that is used up.
  for (const [unit, per, limit, used, until] of asked)
    if (limit !== null && wanted[unit] > 0n && used + wanted[unit] > limit)
      return { unit, per, limit, used, wanted: wanted[unit], until };
  return null;
}

/** As dollars with 6 decimals. */
export function formatUsd(micros: bigint): string {
  const digits = String(micros).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
