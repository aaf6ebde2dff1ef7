import { formatBtc } from '../../core/amount.ts';
import type { Unit } from '../../core/metrics/metric-table.ts';

const DECIMALS = 1e6;

/** An estimate as a decimal string: of satoshis in BTC, else with at most six decimals. */
export const estimateOf =
  (unit: Unit) =>
  (value: number): string =>
    unit === 'btc' ? formatBtc(BigInt(Math.round(value))) : `${Math.round(value * DECIMALS) / DECIMALS}`;
