import type { ParsedTransaction } from '../blocks/transaction.ts';
import type { PsbtMap } from './psbt-map.ts';

interface Maps {
  readonly global: PsbtMap;
  readonly inputs: readonly PsbtMap[];
  readonly outputs: readonly PsbtMap[];
}

/** BIP174: the transaction stands whole in the global map. Read, written and migrated; every role works on version 2. */
export interface PsbtV0 extends Maps {
  readonly version: 0;
  readonly unsigned: UnsignedTransactionForm;
}

/** BIP370: the transaction is put together from the fields of all maps. */
export interface PsbtV2 extends Maps {
  readonly version: 2;
}

export type Psbt = PsbtV0 | PsbtV2;

/** What a transaction without scripts says; there may be no inputs or no outputs yet. */
export type UnsignedTransactionForm = Pick<ParsedTransaction, 'version' | 'locktime' | 'inputs' | 'outputs'>;
