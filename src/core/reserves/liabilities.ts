/** Whom the service's operator owes how much: a CSV file, and the leaves that are made of it. */
import { createHmac } from 'node:crypto';
import type { z } from 'zod';
import { recordsOf, wrong } from '../address-book/csv.ts';
import { formatBtc, MAX_SATS } from '../amount.ts';
import { hex } from '../bytes.ts';
import { DomainError, MAX_ERRORS, refuseAll } from '../errors.ts';
import { CUSTOMER_PROOF, type customerProofFile } from './reserves-files.ts';
import type { LiabilityLeaf, SumNode } from './sum-tree.ts';

const MAX_CUSTOMERS = 1_000_000;
const MAX_CUSTOMER_ID = 200;
const HEADER = ['customer_id', 'balance'];
const SALT_BYTES = 32;

export interface Liability {
  readonly customerId: string;
  readonly balanceSats: bigint;
}

/** Why a text cannot name a customer; null where it can. */
function customerIdProblem(text: string): string | null {
  if (text.length === 0 || text.length > MAX_CUSTOMER_ID) return `must have 1 to ${MAX_CUSTOMER_ID} characters`;
  if (text.trim() !== text) return 'must not begin or end with a space';
  return /\p{Cc}/u.test(text) || !text.isWellFormed() ? 'must have no control characters' : null;
}

/**
 * `customer_id,balance` (RFC 4180), a line for each customer, balances in satoshis; the header may be left out. Throws what is wrong with
 * each line (`invalid_value`, `invalid_amount`), the first 20, as `body[line]`.
 */
export function parseLiabilities(csv: string): Liability[] {
  const problems: DomainError[] = [];
  const seen = new Map<string, number>();
  const liabilities: Liability[] = [];
  let totalSats = 0n;
  for (const [at, { record, info }] of recordsOf(csv, MAX_CUSTOMERS).entries()) {
    if (at === 0 && record.every((cell, column) => cell.toLowerCase() === HEADER[column])) continue;
    try {
      const liability = liabilityOf(record, info.lines);
      const before = seen.get(liability.customerId);
      if (before !== undefined) throw wrong(info.lines, 'customer_id', `is in line ${before}, too`);
      seen.set(liability.customerId, info.lines);
      liabilities.push(liability);
      totalSats += liability.balanceSats;
      if (totalSats > MAX_SATS)
        throw wrong(info.lines, 'balance', 'the balances up to here are more than 21,000,000 BTC', 'invalid_amount');
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      problems.push(error);
      if (problems.length === MAX_ERRORS) break;
    }
  }
  refuseAll(problems);
  if (liabilities.length === 0) throw wrong(1, null, 'at least one customer is needed: customer_id,balance');
  if (liabilities.length > MAX_CUSTOMERS)
    throw wrong(MAX_CUSTOMERS + 1, null, `at most ${MAX_CUSTOMERS} customers are taken`);
  return liabilities;
}

function liabilityOf(record: readonly string[], line: number): Liability {
  if (record.length !== HEADER.length)
    throw wrong(line, null, `has ${record.length} columns, and 2 are needed: ${HEADER.join(',')}`);
  const [customerId, balance] = record as [string, string];
  const problem = customerIdProblem(customerId);
  if (problem !== null) throw wrong(line, 'customer_id', problem);
  if (!/^\d{1,16}$/.test(balance))
    throw wrong(
      line,
      'balance',
      balance.startsWith('-')
        ? 'is negative: a customer is owed nothing (0) or more'
        : 'must be whole satoshis, such as 150000 for 0.0015 BTC',
      'invalid_amount',
    );
  return { customerId, balanceSats: BigInt(balance) };
}

/**
 * The leaves in the order in which they stand in the tree. `seed`: 32 bytes from a CSPRNG, of this report alone. The HMAC-SHA512 of a
 * customer's id under it is the salt (first 32 bytes) and the place in the order (last 32), so that the order tells nothing, and whoever has
 * the seed finds a customer without an index of names.
 */
export function leavesOf(liabilities: readonly Liability[], seed: Uint8Array): (LiabilityLeaf & { order: Buffer })[] {
  return liabilities
    .map((liability) => ({ ...liability, ...secretsOf(liability.customerId, seed) }))
    .sort((one, other) => Buffer.compare(one.order, other.order))
    .map((leaf, index) => ({ ...leaf, index }));
}

export function secretsOf(customerId: string, seed: Uint8Array): { salt: Buffer; order: Buffer } {
  const bytes = createHmac('sha512', seed).update(customerId, 'utf8').digest();
  return { salt: bytes.subarray(0, SALT_BYTES), order: bytes.subarray(SALT_BYTES) };
}

/** What the customer is given, and only they: siblings tell sums of others (docs/compliance.md). */
export const customerProof = (
  { index, customerId, balanceSats, salt }: LiabilityLeaf,
  path: readonly SumNode[],
): z.infer<typeof customerProofFile> => ({
  ...{ type: CUSTOMER_PROOF, version: 1, customer_id: customerId, balance: formatBtc(balanceSats) },
  ...{ salt: hex(salt), index },
  path: path.map(({ hash, sumSats }) => ({ hash: hex(hash), sum: formatBtc(sumSats) })),
});
