/** Signatures checked for one request. */
const MOST_SIGNATURES = 20_000;
/** Bytes hashed for signatures from before segwit, each of which hashes the whole transaction. */
const MOST_LEGACY_BYTES = 256 * 1024 * 1024;

/** What checking may cost, so that no PSBT keeps the process busy: what comes beyond is left unchecked. */
export interface CheckBudget {
  /** Whether one more signature may be checked, which hashes the whole transaction so many times. */
  take(wholeHashes: number): boolean;
  /** Nothing more is checked. */
  exhaust(): void;
  /** Something was left unchecked. */
  readonly spent: boolean;
}

/** `transactionBytes`: the size of the transaction without witnesses. */
export function createCheckBudget(transactionBytes: number): CheckBudget {
  let signatures = MOST_SIGNATURES;
  let bytes = MOST_LEGACY_BYTES;
  let spent = false;
  return {
    take(wholeHashes) {
      if (signatures <= 0 || bytes < wholeHashes * transactionBytes) {
        spent = true;
        return false;
      }
      signatures--;
      bytes -= wholeHashes * transactionBytes;
      return true;
    },
    exhaust() {
      signatures = 0;
      spent = true;
    },
    get spent() {
      return spent;
    },
  };
}
