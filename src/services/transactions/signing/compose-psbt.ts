import type { BuiltTransaction } from '../drafting/built-transaction.ts';

/** Completes a built transaction that has no signed bytes: with a PSBT, or with bytes where the service's own key is enough. */
export type ComposePsbt = (built: BuiltTransaction) => Promise<BuiltTransaction>;
