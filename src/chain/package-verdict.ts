import { type RejectMeaning, rejectMeaning } from './reject-reasons.ts';

/** What `submitpackage` answers, of which an Esplora server hands the same on. */
export interface PackageAnswer {
  package_msg: string;
  /** By wtxid; of transactions that were not looked at there is none. */
  'tx-results'?: Record<string, { txid: string; error?: string }>;
}

/** What a node says of one transaction of a package: `error` null where it has it now. */
export interface PackagePart {
  readonly txid: string;
  readonly error: string | null;
}

/** Words of a node that say nothing of what is wrong: look at the transactions. */
const SEE_TRANSACTIONS = /^(transaction failed|unspent-dust)/;
/** A child lacks inputs where its parent is refused; a parent is known where only the child is new. */
const SAYS_LITTLE: readonly RejectMeaning[] = ['known', 'missing inputs'];

/**
 * Why the child of a package is not in, from `submitpackage`'s answer about parents and then their child: the transaction whose error
 * says it, or (txid null) the message about all of them. null where the child is in, also where not all of the package was taken: a
 * parent of it is in a block.
 */
export function packageCause(
  message: string,
  parts: readonly PackagePart[],
): { readonly txid: string | null; readonly error: string } | null {
  const child = parts.at(-1);
  if (!child?.error) return null;
  if (!SEE_TRANSACTIONS.test(message)) return { txid: null, error: message };
  const telling = parts.filter(({ error }) => error !== null && !SAYS_LITTLE.includes(rejectMeaning(error)));
  const { txid, error } = telling.find((part) => part === child) ?? telling[0] ?? child;
  return { txid, error: error ?? message };
}

/** The parts of an answer in the order of the transactions; what was not looked at has the message about all as its error. */
export function packageParts(txids: readonly string[], answer: PackageAnswer): PackagePart[] {
  const results = new Map(Object.values(answer['tx-results'] ?? {}).map((result) => [result.txid, result]));
  return txids.map((txid) => {
    const result = results.get(txid);
    return { txid, error: result ? (result.error ?? null) : answer.package_msg };
  });
}
