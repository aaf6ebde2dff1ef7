import { HEX } from '../bytes.ts';
import { DomainError } from '../errors.ts';
import { MalformedDataError } from './malformed-data-error.ts';
import { type ParsedTransaction, parseTransaction } from './transaction.ts';

/** Reads a caller's transaction in hex. Throws `invalid_transaction` at `field`. */
export function transactionFromHex(hex: string, field: string): ParsedTransaction {
  if (hex === '' || !HEX.test(hex))
    throw new DomainError('invalid_transaction', 'a transaction is given in hex, two digits a byte', { field });
  try {
    return parseTransaction(Buffer.from(hex, 'hex'));
  } catch (error) {
    if (!(error instanceof MalformedDataError)) throw error;
    throw new DomainError('invalid_transaction', `this is no transaction: ${error.message}`, { field });
  }
}
