import type { ParsedOutput } from '../blocks/transaction.ts';
import type { Outpoint } from '../outpoint.ts';
import type { ScriptError } from '../scripts/interpreter/script-error.ts';
import type { MessageFormat } from './signature-text.ts';

/** An output that a proof of funds shows control of. Whether it exists and is unspent only a chain can say. */
export interface ClaimedOutput {
  readonly outpoint: Outpoint;
  readonly output: ParsedOutput;
  readonly sequence: number;
  /** Blocks or times 512 s that the output must be old (BIP68) for the input to be valid; 0: none. */
  readonly relativeLock: number;
  /** That its scripts checked and found right. 0: anybody can spend it so. */
  readonly signatures: number;
}

export interface MessageVerdict {
  /** BIP322's three states. `inconclusive`: the rules known today do not decide. */
  readonly state: 'valid' | 'inconclusive' | 'invalid';
  /** null where the signature has none. */
  readonly format: MessageFormat | null;
  /** Why it is not valid; null where it is. */
  readonly reason: string | null;
  /** Of the script that failed, where one did. */
  readonly scriptError: ScriptError | null;
  /** "Valid at time T and age S": nLockTime, and the first input's nSequence; null unless valid, and for compact signatures. */
  readonly validAt: { readonly locktime: number; readonly sequence: number } | null;
  /** Of a proof of funds whose scripts are right; else empty. */
  readonly claimed: readonly ClaimedOutput[];
}

export const refused = (
  state: 'invalid' | 'inconclusive',
  format: MessageFormat | null,
  reason: string,
  scriptError: ScriptError | null = null,
): MessageVerdict => ({ state, format, reason, scriptError, validAt: null, claimed: [] });
