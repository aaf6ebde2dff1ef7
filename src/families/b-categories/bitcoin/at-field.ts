import { DomainError } from '../../../core/errors.ts';

/** Has a refusal of the core name the field of the request that it is about, unless it names one. */
export function atField<T>(field: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof DomainError && error.details.field === undefined ? error.at(field) : error;
  }
}
