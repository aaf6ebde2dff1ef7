/** Which rules a script runs under: before segwit, BIP143's, BIP342's. */
export type ScriptVersion = 'base' | 'witness-v0' | 'tapscript';

/** What a tapscript's signatures commit to and may cost, besides the transaction. */
export interface TapscriptContext {
  readonly leafHash: Uint8Array;
  readonly annex: Uint8Array | null;
  /** BIP342's budget: the witness's size and 50, less 50 for every signature that is checked. */
  weightLeft: number;
}

/** No code separator was run yet (BIP342). */
export const NO_CODE_SEPARATOR = 0xffffffff;
