import { DomainError } from '../../core/errors.ts';
import type { WalletId } from '../../core/ids.ts';
import { type SigningFormat, signCompactBy, signMessageBy } from '../../core/messages/sign-message.ts';
import { psbtToBase64 } from '../../core/psbt/codec/psbt-text.ts';
import { inputFactsOf } from '../../core/psbt/construction/derived-script.ts';
import type { PsbtSigningTools } from '../../core/psbt/signing/sign-psbt.ts';
import { participantsOf } from '../../core/wallets/musig-wallets.ts';
import { openSpending } from '../../core/wallets/spending-data.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { addressOfScript } from '../ledger/script-address.ts';
import { askerOf, type Gate, refuseUnapproved, speaking } from '../policies/gate.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import { requireWallet } from '../wallets/wallet-dependencies.ts';
import { type OpenOwnSigner, signingUnavailable } from '../wallets/wallet-keys.ts';

export interface WalletSignedMessage {
  /** null where others must sign, too. */
  readonly signature: string | null;
  readonly format: SigningFormat;
  /** For the others, base64; null where the signature is complete. */
  readonly psbt: string | null;
}

/** Signs with the wallet's own keys, and records that they were used. Throws `not_found` for what is not the wallet's. */
export async function signWithWallet(
  deps: {
    store: Store;
    read: Pick<Repositories, 'wallets' | 'scripts'>;
    gate: Gate;
    openOwnSigner: OpenOwnSigner;
    tools: PsbtSigningTools;
  },
  request: { walletId: WalletId; address: string; script: Buffer; message: Uint8Array; format: SigningFormat },
  context: RequestContext,
): Promise<WalletSignedMessage> {
  const { store, read, gate, openOwnSigner, tools } = deps;
  const { walletId, address, script, message, format } = request;
  const wallet = await requireWallet(read, context.accountId, walletId);
  const canonical = addressOfScript(script.toString('hex'), wallet.network);
  const place = await read.scripts.findByAddress(context.accountId, walletId, canonical);
  if (!place)
    throw new DomainError('not_found', `${address} is not an address of wallet ${walletId}`, { field: 'address' });
  const descriptor = place.change ? wallet.internalDescriptor : wallet.externalDescriptor;
  if (descriptor !== null && participantsOf(descriptor) > 0)
    throw new DomainError(
      'signing_unavailable',
      `wallet ${walletId} is of MuSig2: its keys sign a message together in two rounds, and not here`,
      { field: 'wallet_id' },
    );
  const passed = await gate.decide(askerOf(context), speaking('message', wallet));
  refuseUnapproved(passed);
  const signer = descriptor === null ? null : await openOwnSigner(wallet, passed);
  if (descriptor === null || signer === null) throw signingUnavailable(wallet);
  let result: WalletSignedMessage;
  try {
    const facts = inputFactsOf(openSpending(descriptor, wallet.network)(place.index));
    if (format === 'legacy') result = { signature: signCompactBy(signer, message, facts), format, psbt: null };
    else {
      const { signature, psbt } = signMessageBy(signer, { script, message, facts, format }, tools);
      result = { signature, format, psbt: signature === null ? psbtToBase64(psbt) : null };
    }
  } finally {
    signer.dispose();
  }
  await store.write((tx) => recordRequest(tx, context, { result, target: walletId }));
  return result;
}
