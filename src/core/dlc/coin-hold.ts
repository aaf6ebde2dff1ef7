import { hash } from 'node:crypto';
import type { Txid } from '../outpoint.ts';

/**
 * The name under which a contract's coins are held until its funding transaction is known: like a txid, and nobody's choice, so that it
 * is no transaction's.
 */
export const coinHoldOf = (contractId: string): Txid => hash('sha256', `ashlar coins held for ${contractId}`) as Txid;
