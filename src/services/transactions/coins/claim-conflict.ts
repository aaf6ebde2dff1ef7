import type { Outpoint } from '../../../core/outpoint.ts';
import { outpointKey } from '../../../core/outpoint.ts';

/** A coin was taken by another process (or the chain) between reading and commit: read again and build anew. */
export class ClaimConflict extends Error {
  constructor(outpoints: readonly Outpoint[]) {
    super(`coins were taken meanwhile: ${outpoints.map(outpointKey).join(', ')}`);
    this.name = 'ClaimConflict';
  }
}
