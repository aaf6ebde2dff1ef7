/** Signatures checked for one request, in ECDSA signatures: some tenths of a second. */
const MAX_SIGNATURES = 10_000;
/** A Schnorr signature takes as long to check as so many ECDSA signatures. */
const SCHNORR = 4;
/** Bytes hashed for signatures from before segwit, each of which hashes the whole transaction. */
const MAX_LEGACY_BYTES = 256 * 1024 * 1024;
/** Bytes of scriptSigs, witnesses and scripts run for one request: a tapscript of nothing but OP_HASH256 takes microseconds for each. */
const MAX_RUN_BYTES = 300_000;

/**
 * What checking may cost, so that no PSBT keeps the process busy: what comes beyond is left unchecked. `transactionBytes`: the size of
 * the transaction without witnesses.
 */
export function createCheckBudget(transactionBytes: number) {
  let signatures = MAX_SIGNATURES;
  let hashed = MAX_LEGACY_BYTES;
  let ran = MAX_RUN_BYTES;
  let spent = false;
  const refuse = (): false => {
    spent = true;
    return false;
  };
  return {
    /** Whether one more signature may be checked, for which the whole transaction is hashed so many times. */
    take(wholeHashes: number, scheme: 'ecdsa' | 'schnorr' = 'ecdsa') {
      const cost = scheme === 'schnorr' ? SCHNORR : 1;
      if (signatures < cost || hashed < wholeHashes * transactionBytes) return refuse();
      signatures -= cost;
      hashed -= wholeHashes * transactionBytes;
      return true;
    },
    /** Whether scripts of so many bytes, with what they are given, may be run, for which the whole transaction is hashed so many times. */
    run(bytes: number, wholeHashes: number) {
      if (ran < bytes || hashed < wholeHashes * transactionBytes) return refuse();
      ran -= bytes;
      hashed -= wholeHashes * transactionBytes;
      return true;
    },
    /** Nothing more is checked. */
    exhaust() {
      signatures = 0;
      ran = 0;
      spent = true;
    },
    /** Something was left unchecked. */
    get spent() {
      return spent;
    },
  };
}

export type CheckBudget = ReturnType<typeof createCheckBudget>;
