import { DomainError } from '../errors.ts';

/** Which map of a PSBT: the global one, or an input's or output's by its index. */
export type PsbtPlace = { readonly map: 'global' } | { readonly map: 'input' | 'output'; readonly index: number };

/** Every way in which bytes are no PSBT. */
export type PsbtProblem =
  | 'bad_text'
  | 'bad_magic'
  | 'truncated'
  | 'trailing_bytes'
  | 'non_minimal_size'
  | 'duplicate_key'
  | 'key_without_type'
  | 'unexpected_key_data'
  | 'invalid_key_data'
  | 'invalid_value'
  | 'missing_field'
  | 'forbidden_field'
  | 'unsupported_version'
  | 'map_count'
  | 'too_many_fields'
  | 'signed_transaction';

/** Bytes that are no valid PSBT: what is wrong, in which map, and of which field (its name in the BIPs). 400 on the wire. */
export class PsbtError extends DomainError {
  readonly problem: PsbtProblem;
  readonly place: PsbtPlace | null;
  readonly fieldName: string | null;

  constructor(problem: PsbtProblem, message: string, at: { place?: PsbtPlace; fieldName?: string | null } = {}) {
    const { place = null, fieldName = null } = at;
    super('invalid_psbt', place === null ? message : `${message} (${describePlace(place)})`, { field: 'psbt' });
    this.name = 'PsbtError';
    this.problem = problem;
    this.place = place;
    this.fieldName = fieldName;
  }
}

/** "the global map", "input 3" */
export const describePlace = (place: PsbtPlace): string =>
  place.map === 'global' ? 'the global map' : `${place.map} ${place.index}`;
