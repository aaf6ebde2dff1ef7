import { DomainError } from '../../errors.ts';

/**
 * Bytes that are no valid message, announcement or attestation: which one, which of its fields, where, and what is wrong. 400 on the wire.
 * A door that knows how its caller named the bytes says so by `at`.
 */
export class DlcMessageError extends DomainError {
  /** "offer", "accept", "sign", "announcement", … */
  readonly kind: string;
  /** As in `contract_info.cases[0].descriptor`, or empty of the whole. */
  readonly path: string;
  /** Of the first byte of what is wrong. */
  readonly offset: number;
  readonly problem: string;

  constructor(kind: string, path: string, offset: number, problem: string) {
    super('invalid_message', `${kind}${path === '' ? '' : `: ${path}`} (byte ${offset}): ${problem}`, {
      field: 'message',
    });
    this.name = 'DlcMessageError';
    this.kind = kind;
    this.path = path;
    this.offset = offset;
    this.problem = problem;
  }
}
