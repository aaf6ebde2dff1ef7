/** Checks a report of reserves and a customer's proof with nothing but the files. */
import { z } from 'zod';
import { formatBtc, MAX_SATS, parseBtc } from '../amount.ts';
import { parseHeader } from '../blocks/header.ts';
import { verifyHeaderChain } from '../blocks/header-chain.ts';
import { DomainError } from '../errors.ts';
import type { ClaimedOutput } from '../messages/message-verdict.ts';
import { verifyMessage } from '../messages/verify-message.ts';
import { outpointKey } from '../outpoint.ts';
import { decodeAddress } from '../relay-policy/address.ts';
import { customerProofFile, type ReservesReport, reservesMessage, reservesReport } from './reserves-files.ts';
import { ReservesRefused } from './reserves-refused.ts';
import { rootOfPath } from './sum-tree.ts';

export interface VerifiedReserves {
  readonly report: ReservesReport;
  /** What the signatures claim. Whether it is in the chain and unspent is not known from the file. */
  readonly claims: readonly ClaimedOutput[];
  readonly reservesSats: bigint;
  readonly liabilitiesSats: bigint;
  /** Hashes that are expected to be tried for the headers of the file. */
  readonly work: bigint;
}

/** Throws ReservesRefused with the first check that fails. */
export function verifyReserves(file: unknown): VerifiedReserves {
  const report = readFile(reservesReport, file, 'report of reserves');
  const { liabilities, reserves } = report;
  const liabilitiesSats = amountIn(liabilities.total, 'liabilities.total');
  const work = checkHeaders(report);
  const claims = report.proofs.flatMap((_, index) => checkProof(report, index));
  const seen = new Set<string>();
  for (const { outpoint } of claims) {
    const name = outpointKey(outpoint);
    if (seen.has(name)) throw new ReservesRefused(`the output ${name} is claimed twice`, 'proofs');
    seen.add(name);
  }
  const reservesSats = sumOf(claims);
  checkSum('reserves', reserves, { coins: claims.length, sats: reservesSats });
  return { report, claims, reservesSats, liabilitiesSats, work };
}

/** Whether the customer's balance is in the report's total. Throws ReservesRefused where it is not. */
export function verifyInclusion({ liabilities }: ReservesReport, file: unknown) {
  const proof = readFile(customerProofFile, file, "customer's proof");
  const balanceSats = amountIn(proof.balance, 'balance');
  const path = proof.path.map(({ hash, sum }, at) => ({
    hash: Buffer.from(hash, 'hex'),
    sumSats: amountIn(sum, `path[${at}].sum`),
  }));
  const salt = Buffer.from(proof.salt, 'hex');
  const leaf = { index: proof.index, customerId: proof.customer_id, balanceSats, salt };
  const { root, totalSats } = rootOfPath(leaf, path, liabilities.customers);
  if (totalSats !== amountIn(liabilities.total, 'liabilities.total'))
    throw new ReservesRefused(
      `the sums lead to ${formatBtc(totalSats)} BTC, and the report owes ${liabilities.total}`,
      'path',
    );
  if (root.toString('hex') !== liabilities.root)
    throw new ReservesRefused(
      'the proof leads to another root: this balance of this customer is not in the report',
      'path',
    );
  return { customerId: proof.customer_id, balanceSats, index: proof.index };
}

function readFile<T extends z.ZodType>(schema: T, file: unknown, what: string): z.infer<T> {
  const parsed = schema.safeParse(file);
  if (parsed.success) return parsed.data;
  throw new ReservesRefused(`it is no ${what}: ${z.prettifyError(parsed.error)}`);
}

function amountIn(text: string, place: string): bigint {
  if (text.startsWith('-')) throw new ReservesRefused(`${text} is negative`, place);
  try {
    return parseBtc(text);
  } catch (error) {
    throw error instanceof DomainError ? new ReservesRefused(error.message, place) : error;
  }
}

function checkHeaders({ headers: texts, block, network }: ReservesReport): bigint {
  const headers = texts.map((text) => parseHeader(Buffer.from(text, 'hex')));
  if (headers.at(-1)?.hash !== block.hash)
    throw new ReservesRefused(`the last header is not that of block ${block.hash}`, 'headers');
  const startHeight = block.height - headers.length + 1;
  if (startHeight < 0) throw new ReservesRefused(`there are more headers than blocks up to ${block.height}`, 'headers');
  const { failure, work } = verifyHeaderChain({ headers, previous: null, startHeight, network });
  if (failure !== null)
    throw new ReservesRefused(`the header breaks the rule ${failure.problem}`, `headers[${failure.index}]`);
  return work;
}

function checkProof(report: ReservesReport, index: number): readonly ClaimedOutput[] {
  const place = `proofs[${index}]`;
  const proof = report.proofs[index]!;
  const script = scriptOf(proof.address, report, place);
  const message = Buffer.from(reservesMessage(report, index, report.proofs.length), 'utf8');
  const { state, format, reason, claimed, validAt } = verifyMessage(script, message, proof.signature);
  if (state !== 'valid') throw new ReservesRefused(`the signature is ${state}: ${reason}`, place);
  if (format !== 'proof-of-funds') throw new ReservesRefused(`it is no proof of funds, but ${format}`, place);
  if (validAt?.locktime !== 0) throw new ReservesRefused('the signature is locked in time', place);
  for (const { outpoint, relativeLock, signatures } of claimed) {
    const name = outpointKey(outpoint);
    if (signatures === 0) throw new ReservesRefused(`no signature was needed to claim the output ${name}`, place);
    if (relativeLock > 0) throw new ReservesRefused(`the output ${name} is claimed with a relative lock time`, place);
  }
  checkSum(place, { total: proof.amount, coins: proof.coins }, { coins: claimed.length, sats: sumOf(claimed) });
  return claimed;
}

function scriptOf(address: string, { network }: ReservesReport, place: string): Buffer {
  try {
    return Buffer.from(decodeAddress(address, network).scriptPubKey, 'hex');
  } catch (error) {
    throw error instanceof DomainError ? new ReservesRefused(error.message, place) : error;
  }
}

function checkSum(place: string, said: { total: string; coins: number }, found: { coins: number; sats: bigint }) {
  if (found.sats > MAX_SATS) throw new ReservesRefused('the coins are more than all bitcoin', place);
  if (said.coins === found.coins && amountIn(said.total, place) === found.sats) return;
  throw new ReservesRefused(
    `says ${said.coins} coins of ${said.total} BTC, and the signatures claim ${found.coins} of ${formatBtc(found.sats)}`,
    place,
  );
}

const sumOf = (claims: readonly ClaimedOutput[]): bigint =>
  claims.reduce((sum, { output }) => sum + output.amountSats, 0n);
