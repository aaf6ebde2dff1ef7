import type { Txid } from '../../core/outpoint.ts';

/**
 * Why a transaction, package or block is not taken, in Bitcoin Core's words. Thrown and caught within this folder, so it needs no stack.
 */
export class Refusal extends Error {
  /** The same bytes cannot do better later. */
  readonly final: boolean;
  /** Too low a fee or an input that is missing: others of its package may make up for that (TX_RECONSIDERABLE, TX_MISSING_INPUTS). */
  readonly curable: boolean;
  /** Whose fault it is, of several that were judged together; null: of all, or there was but one. */
  readonly of: Txid | null;

  constructor(reason: string, facts: { final: boolean; curable?: boolean; of?: Txid }) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(reason);
    Error.stackTraceLimit = limit;
    this.name = 'Refusal';
    this.final = facts.final;
    this.curable = facts.curable ?? false;
    this.of = facts.of ?? null;
  }
}

export const never = (reason: string): Refusal => new Refusal(reason, { final: true });
export const notNow = (reason: string): Refusal => new Refusal(reason, { final: false });
/** What a package may cure. */
export const notAlone = (reason: string): Refusal => new Refusal(reason, { final: false, curable: true });

/** Runs `check`, whose refusal is then `txid`'s. */
export function blaming<T>(txid: Txid, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.message, { final: error.final, curable: error.curable, of: txid });
  }
}
