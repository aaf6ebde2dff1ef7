/** Which wallets can fund a contract, and what their inputs come to in its messages. */
import { DomainError } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { ScriptType } from '../../../core/script-type.ts';
import type { WalletId, WalletRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import { payingWallet } from '../../transactions/drafting/paying-wallet.ts';
import { canSign, signingUnavailable } from '../../wallets/wallet-keys.ts';

/** Of one kind of input, as the fee rules of contracts count it (dlcspecs Transactions.md, Fees). */
export interface FundingForm {
  readonly scriptType: ScriptType;
  /** Serialized witness with its counts and lengths. */
  readonly maxWitnessLength: number;
  readonly redeemScriptLength: number;
  /** Of the script that the wallet is paid to. */
  readonly scriptLength: number;
}

/** A DER signature may have 72 bytes: what other implementations reckon with, though ours have 71 at most. */
const KEY_HASH_WITNESS = 1 + (1 + 72) + (1 + 33);
const KEY_PATH_WITNESS = 1 + (1 + 64);

const FORMS: Partial<Record<WalletRecord['type'], FundingForm>> = {
  segwit: { scriptType: 'p2wpkh', maxWitnessLength: KEY_HASH_WITNESS, redeemScriptLength: 0, scriptLength: 22 },
  'nested-segwit': {
    scriptType: 'p2sh-p2wpkh',
    maxWitnessLength: KEY_HASH_WITNESS,
    redeemScriptLength: 22,
    scriptLength: 23,
  },
  taproot: { scriptType: 'p2tr', maxWitnessLength: KEY_PATH_WITNESS, redeemScriptLength: 0, scriptLength: 34 },
};

/**
 * The wallet that a side of a contract is taken from: the named one, or the account's default or only one. Throws what payingWallet
 * throws, `policy_refused` for legacy wallets and `signing_unavailable` for those whose keys are not all here.
 */
export async function fundingWallet(
  read: Pick<Repositories, 'wallets'>,
  accountId: AccountId,
  walletId: WalletId | undefined,
): Promise<WalletRecord> {
  const wallet = await payingWallet(read, accountId, walletId);
  fundingForm(wallet);
  return wallet;
}

export function fundingForm(wallet: Pick<WalletRecord, 'walletId' | 'type' | 'secret'>): FundingForm {
  if (wallet.type === 'legacy') {
    throw new DomainError(
      'policy_refused',
      `wallet ${wallet.walletId} is legacy: its signatures change the txid that the contract is built on; ` +
        'take a segwit, nested-segwit or taproot wallet',
      { field: 'wallet_id' },
    );
  }
  const form = FORMS[wallet.type];
  if (form === undefined || !canSign(wallet)) throw signingUnavailable(wallet);
  return form;
}
