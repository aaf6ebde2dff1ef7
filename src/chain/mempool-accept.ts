import { DomainError } from '../core/errors.ts';
import { txid } from '../core/outpoint.ts';
import type { MempoolAcceptResult } from './chain-source.ts';
import { satsFromBtc } from './exact-json.ts';
import { rejectMeaning } from './reject-reasons.ts';

/** One transaction's part of what `testmempoolaccept` answers; amounts as text. */
export interface MempoolAcceptAnswer {
  txid: string;
  allowed?: boolean;
  vsize?: number;
  fees?: { base: string | number };
  'reject-reason'?: string;
  'reject-details'?: string;
  'package-error'?: string;
}

export function mempoolAcceptResults(answers: readonly MempoolAcceptAnswer[]): MempoolAcceptResult[] {
  return answers.map((answer) => {
    const { allowed = null, vsize = null, fees } = answer;
    const packageError = answer['package-error'];
    const reason = answer['reject-details'] ?? answer['reject-reason'] ?? packageError ?? null;
    return {
      txid: txid(answer.txid),
      // A package that is none is refused as a whole.
      allowed: packageError === undefined ? allowed : false,
      known: reason !== null && rejectMeaning(reason) === 'known',
      reason: allowed === true ? null : reason,
      vsize: allowed === true ? vsize : null,
      feeSats: allowed === true && fees ? satsFromBtc(fees.base) : null,
    };
  });
}

/** What a node says of bytes that it cannot read as a transaction although we could. */
export const undecodable = (reason: string): DomainError =>
  new DomainError('invalid_transaction', `the node cannot read this transaction: ${reason.slice(0, 200)}`);
