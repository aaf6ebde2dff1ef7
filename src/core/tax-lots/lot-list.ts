/** Which lots disposals are of, as an uploaded CSV says it: specific identification. */
import { btcProblem, parseBtc } from '../amount.ts';
import { DomainError } from '../errors.ts';
import { csvLines } from './csv-lines.ts';

/** The columns of a report by these names, so that one can be edited and sent. */
const HEADER = 'txid,acquired_txid,amount';
const LINE = /^([0-9a-f]{64}),([0-9a-f]{64}),([^,]+)$/i;

/** So much of a lot: the transaction that brought it. */
export interface Identified {
  readonly line: number;
  readonly lot: string;
  readonly sats: bigint;
}
/** By the transaction that disposes of them, in the order of the file. */
export type LotList = Map<string, Identified[]>;

export const wrongLot = (line: number, problem: string) =>
  new DomainError('invalid_value', `line ${line} of the lots ${problem}`, { field: 'lots' });

/** To be taken in slices: a step for each line. Throws what is wrong with the first line that is. */
export function* parseLots(csv: string): Generator<undefined, LotList> {
  const list: LotList = new Map();
  let last = 0;
  for (const { number, line } of csvLines(csv)) {
    last = number;
    if (number === 1) {
      if (line !== HEADER) throw wrongLot(1, `must be the header ${HEADER}`);
      continue;
    }
    const [, txid = '', lot = '', amount = ''] = LINE.exec(line.toLowerCase()) ?? [];
    if (txid === '') throw wrongLot(number, `must be two txids and an amount in BTC: ${HEADER}`);
    const problem = btcProblem(amount);
    if (problem !== null) throw wrongLot(number, `has an amount that ${problem}`);
    const sats = parseBtc(amount);
    if (sats === 0n) throw wrongLot(number, 'must have an amount above 0');
    const own = list.get(txid) ?? [];
    const twice = own.find((one) => one.lot === lot);
    if (twice !== undefined) throw wrongLot(number, `has the txids of line ${twice.line}: say their sum once`);
    own.push({ line: number, lot, sats });
    list.set(txid, own);
    yield;
  }
  if (list.size === 0) throw wrongLot(last + 1, `is missing: a header ${HEADER} and at least one line are needed`);
  return list;
}
