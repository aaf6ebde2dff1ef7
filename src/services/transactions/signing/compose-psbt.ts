/** What a payment becomes where the wallet's keys do not suffice here: a PSBT for the others, with the service's own signatures. */
import { DomainError } from '../../../core/errors.ts';
import { ecc } from '../../../core/keys/ecc.ts';
import { completePayment } from '../../../core/payments/complete-payment.ts';
import { paymentPsbt } from '../../../core/payments/payment-psbt.ts';
import { psbtToBase64 } from '../../../core/psbt/psbt-text.ts';
import { signPsbt } from '../../../core/psbt/sign-psbt.ts';
import { accountXpubs } from '../../../core/wallets/account-xpubs.ts';
import { type SpendingData, spendingData } from '../../../core/wallets/spending-data.ts';
import type { ScriptRecord, WalletRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import type { OpenOwnSigner } from '../../wallets/wallet-keys.ts';
import type { BuiltTransaction } from '../drafting/built-transaction.ts';
import type { PreviousTransactions } from './previous-transactions.ts';

/** Characters of base64: with the rest of its request it fits the 10 MiB that a request may have. */
export const MAX_PSBT = 8 * 1024 * 1024;

/** Completes a built transaction that has no signed bytes: with a PSBT, or with bytes where the service's own key is enough. */
export type ComposePsbt = (built: BuiltTransaction) => Promise<BuiltTransaction>;

export function createComposePsbt(deps: {
  read: Pick<Repositories, 'ledger'>;
  previousTransactions: PreviousTransactions;
  openOwnSigner: OpenOwnSigner;
  randomBytes: (size: number) => Uint8Array;
}): ComposePsbt {
  const { read, previousTransactions, openOwnSigner, randomBytes } = deps;

  /** The wallet's own scripts among the outputs: signers see by their derivations what comes back. */
  async function ownOutputs({ wallet, outputs }: BuiltTransaction): Promise<Map<string, ScriptRecord>> {
    const known = await read.ledger.scriptsMatching([...new Set(outputs.map((output) => output.scriptPubKey))]);
    return new Map(
      known.filter((script) => script.walletId === wallet.walletId).map((script) => [script.scriptPubKey, script]),
    );
  }

  return async (built) => {
    const { wallet, inputs, outputs, version, locktime, changeLease } = built;
    const own = await ownOutputs(built);
    const placeOf = (scriptPubKey: string) =>
      changeLease?.scriptPubKey === scriptPubKey ? changeLease : own.get(scriptPubKey);
    const previous = await previousTransactions(
      wallet.accountId,
      inputs.filter((input) => input.scriptType !== 'p2tr').map((input) => input.txid),
    );
    const spendings = await spendingsOf(wallet, inputs);
    const psbt = paymentPsbt({
      plan: { version: version as 2 | 3, locktime },
      inputs: inputs.map((coin, index) => ({
        ...{ coin, spending: spendings[index]! },
        previous: previous.get(coin.txid) ?? null,
      })),
      outputs: outputs.map((output) => {
        const place = placeOf(output.scriptPubKey);
        return { output, spending: place ? spendingOf(wallet, place) : null };
      }),
      xpubs: accountXpubs(wallet.externalDescriptor, wallet.network),
    });
    const signer = await openOwnSigner(wallet);
    if (signer === null) return { ...built, psbt: textOf(psbt) };
    try {
      const signed = signPsbt(psbt, signer, { ecc, randomBytes });
      const complete = completePayment(signed.psbt);
      if (!complete) return { ...built, psbt: textOf(signed.psbt) };
      return { ...built, ...complete, psbt: null };
    } finally {
      signer.dispose();
    }
  };
}

/** Scripts are derived, which takes a millisecond each: other requests get their turn in between. */
const DERIVE_AT_ONCE = 20;

async function spendingsOf(
  wallet: WalletRecord,
  places: readonly { change: boolean; index: number }[],
): Promise<SpendingData[]> {
  const spendings: SpendingData[] = [];
  for (const place of places) {
    if (spendings.length % DERIVE_AT_ONCE === DERIVE_AT_ONCE - 1) await new Promise(setImmediate);
    spendings.push(spendingOf(wallet, place));
  }
  return spendings;
}

function spendingOf(wallet: WalletRecord, { change, index }: { change: boolean; index: number }) {
  const descriptor = change ? wallet.internalDescriptor : wallet.externalDescriptor;
  if (descriptor === null) throw new Error(`wallet ${wallet.walletId} has no change branch, and a change script`);
  return spendingData(descriptor, index, wallet.network);
}

function textOf(psbt: Parameters<typeof psbtToBase64>[0]): string {
  const text = psbtToBase64(psbt);
  if (text.length <= MAX_PSBT) return text;
  throw new DomainError(
    'too_large',
    `the PSBT would take ${Math.ceil(text.length / 1024 / 1024)} MiB with the transactions that made its coins, and ${MAX_PSBT / 1024 / 1024} is the most: ` +
      'spend fewer coins at once, or others (coin_control)',
    { field: 'recipients' },
  );
}
