import type { BroadcastVerdict } from './chain-source.ts';

/**
 * What a node's reject reason (Bitcoin Core's src/validation.cpp, src/policy, src/node/transaction.cpp) means for the same bytes sent
 * again. `missing inputs` says too little: the parent may be on its way, or the coin be spent for good, or the transaction itself be
 * confirmed with its outputs spent; the caller looks.
 */
export type RejectMeaning = 'known' | 'missing inputs' | 'later' | 'never';

const MEANINGS: readonly (readonly [RegExp, RejectMeaning])[] = [
  [/^txn-already-(in-mempool|known)|^txn-same-nonwitness-data-in-mempool|already in (block chain|utxo set)/i, 'known'],
  [/missingorspent|^missing[- ]inputs|inputs missing or spent/i, 'missing inputs'],
  // Time passes, the mempool changes, or a parent or child comes along.
  [/^(non-final|non-bip68-final|bad-txns-premature-spend-of-coinbase)/i, 'later'],
  [/^(mempool min fee not met|min relay fee not met|mempool full|insufficient fee|max-fee-exceeded)/i, 'later'],
  [/^(too-long-mempool-chain|too-large-cluster|exceeds cluster)/i, 'later'],
  [/^(txn-mempool-conflict|too many potential replacements|replacement-)/i, 'later'],
  [/^(truc-violation|v3-rule-violation|missing-ephemeral-spends|package-)/i, 'later'],
  // Consensus or standardness: the bytes themselves are at fault.
  [/script-verify-flag|^bad-|^tx-size|^scriptsig-|^TX decode failed|^transaction failed to decode/i, 'never'],
  [/^(coinbase|version|scriptpubkey|dust|datacarrier|bare-multisig|multi-op-return)\b/i, 'never'],
];

/** An unknown reason counts as `later`: coins of a transaction that someone might still mine are not set free. */
export function rejectMeaning(message: string): RejectMeaning {
  return MEANINGS.find(([pattern]) => pattern.test(message))?.[1] ?? 'later';
}

/** The verdict of a reject reason. Throws nothing; `missing inputs` without a closer look is not final. */
export function verdictOf(message: string): BroadcastVerdict {
  const meaning = rejectMeaning(message);
  return meaning === 'known' ? { result: 'known' } : refused(message, meaning === 'never');
}

export const refused = (message: string, final: boolean): BroadcastVerdict => ({
  result: 'refused',
  reason: message.replace(/\s+/g, ' ').trim().slice(0, 300),
  final,
});
