/** What a payment becomes where the wallet's keys do not suffice here: a PSBT for the others, with the service's own signatures. */
import { DomainError } from '../../../core/errors.ts';
import { ecc } from '../../../core/keys/ecc.ts';
import { completePayment } from '../../../core/payments/complete-payment.ts';
import { paymentPsbt } from '../../../core/payments/payment-psbt.ts';
import { psbtToBase64 } from '../../../core/psbt/codec/psbt-text.ts';
import type { DerivedScript } from '../../../core/psbt/construction/derived-script.ts';
import { signPsbt } from '../../../core/psbt/signing/sign-psbt.ts';
import { accountXpubs } from '../../../core/wallets/account-xpubs.ts';
import { participantsOf, refuseTooManyShares } from '../../../core/wallets/musig-wallets.ts';
import { openSpending } from '../../../core/wallets/spending-data.ts';
import type { ScriptRecord, WalletRecord } from '../../../store/records.ts';
import type { Repositories } from '../../../store/store.ts';
import type { OfService, Passed } from '../../policies/gate.ts';
import type { OpenOwnSigner } from '../../wallets/wallet-keys.ts';
import type { BuiltTransaction } from '../drafting/built-transaction.ts';
import type { PreviousTransactions } from './previous-transactions.ts';

/** Characters of base64: with the rest of its request it fits the 10 MiB that a request may have. */
const MAX_PSBT = 8 * 1024 * 1024;

/** Completes a built transaction that has no signed bytes: with a PSBT, or with bytes where the service's own key is enough. */
export type ComposePsbt = (built: BuiltTransaction, passed: Passed | OfService) => Promise<BuiltTransaction>;

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

  return async (built, passed) => {
    const { wallet, inputs, outputs, version, locktime, changeLease } = built;
    refuseTooManyShares(wallet.externalDescriptor, inputs.length);
    const own = await ownOutputs(built);
    const placeOf = (scriptPubKey: string) =>
      changeLease?.scriptPubKey === scriptPubKey ? changeLease : own.get(scriptPubKey);
    const previous = await previousTransactions(
      wallet.accountId,
      inputs.filter((input) => input.scriptType !== 'p2tr').map((input) => input.txid),
    );
    const spendingOf = spendingsOf(wallet);
    const spendings = await inTurns(inputs, spendingOf);
    const psbt = paymentPsbt({
      plan: { version, locktime },
      inputs: inputs.map((coin, index) => ({
        ...{ coin, spending: spendings[index]! },
        previous: previous.get(coin.txid) ?? null,
      })),
      outputs: outputs.map((output) => {
        const place = placeOf(output.scriptPubKey);
        return { output, spending: place ? spendingOf(place) : null };
      }),
      xpubs: accountXpubs(wallet.externalDescriptor, wallet.network),
    });
    // In MuSig2 the service signs last: others' nonces come first (addSignatures).
    const signer = participantsOf(wallet.externalDescriptor) > 0 ? null : await openOwnSigner(wallet, passed);
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

interface Place {
  readonly change: boolean;
  readonly index: number;
}

/** Derives the wallet's scripts; each branch is read once, when it is first asked for. */
function spendingsOf({ walletId, externalDescriptor, internalDescriptor, network }: WalletRecord) {
  const opened = new Map<boolean, (index: number) => DerivedScript>();
  return ({ change, index }: Place): DerivedScript => {
    const descriptor = change ? internalDescriptor : externalDescriptor;
    if (descriptor === null) throw new Error(`wallet ${walletId} has no change branch, and a change script`);
    const derivedAt = opened.get(change) ?? openSpending(descriptor, network);
    opened.set(change, derivedAt);
    return derivedAt(index);
  };
}

/** Scripts are derived, some tenths of a millisecond each: other requests get their turn in between. */
const DERIVE_AT_ONCE = 20;

async function inTurns(places: readonly Place[], derive: (place: Place) => DerivedScript): Promise<DerivedScript[]> {
  const derived: DerivedScript[] = [];
  for (const place of places) {
    if (derived.length % DERIVE_AT_ONCE === DERIVE_AT_ONCE - 1) await new Promise(setImmediate);
    derived.push(derive(place));
  }
  return derived;
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
