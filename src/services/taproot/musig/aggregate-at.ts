import { DomainError } from '../../../core/errors.ts';
import { type AggregatedKeys, aggregateKeys, type KeyAggregation } from '../../../core/taproot/musig/aggregate-keys.ts';

/** The same as core's, with the field of a request at which it is wrong. */
export function aggregateAt(request: KeyAggregation): AggregatedKeys {
  try {
    return aggregateKeys(request);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw error.at(error.code === 'invalid_key' ? 'public_keys' : 'tweaks');
  }
}
