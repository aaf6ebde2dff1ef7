import { DomainError } from '../../core/errors.ts';
import type { AccountId, WalletId } from '../../core/ids.ts';
import { type SigningFormat, signCompactBy, signMessageBy } from '../../core/messages/sign-message.ts';
import { psbtToBase64 } from '../../core/psbt/codec/psbt-text.ts';
import { inputFactsOf } from '../../core/psbt/construction/derived-script.ts';
import type { PsbtSigningTools } from '../../core/psbt/signing/sign-psbt.ts';
import { decodeAddress } from '../../core/relay-policy/address.ts';
import { participantsOf } from '../../core/wallets/musig-wallets.ts';
import { openSpending } from '../../core/wallets/spending-data.ts';
import type { Repositories, Store } from '../../store/store.ts';
import type { HeldOperation } from '../approvals/held-operation.ts';
import { addressOfScript } from '../ledger/script-address.ts';
import { speaking } from '../policies/gate.ts';
import { requireWallet } from '../wallets/wallet-dependencies.ts';
import { type OpenOwnSigner, signingUnavailable } from '../wallets/wallet-keys.ts';

export interface WalletSignedMessage {
  /** null where others must sign, too. */
  readonly signature: string | null;
  readonly format: SigningFormat;
  /** For the others, base64; null where the signature is complete. */
  readonly psbt: string | null;
}

interface Request {
  readonly walletId: WalletId;
  readonly address: string;
  readonly message: string;
  readonly format: SigningFormat;
}

/** Signs with the wallet's own keys, and records that they were used. Throws `not_found` for what is not the wallet's. */
export function createSignWithWallet(deps: {
  store: Pick<Store, 'write'>;
  read: Pick<Repositories, 'wallets' | 'scripts'>;
  openOwnSigner: OpenOwnSigner;
  tools: PsbtSigningTools;
}): HeldOperation<Request, WalletSignedMessage> {
  const { store, read, openOwnSigner, tools } = deps;

  async function signingPlace(accountId: AccountId, { walletId, address }: Request) {
    const wallet = await requireWallet(read, accountId, walletId);
    const script = Buffer.from(decodeAddress(address, wallet.network).scriptPubKey, 'hex');
    const canonical = addressOfScript(script.toString('hex'), wallet.network);
    const place = await read.scripts.findByScript(accountId, walletId, script.toString('hex'));
    if (!place)
      throw new DomainError('not_found', `${address} is not an address of wallet ${walletId}`, { field: 'address' });
    const descriptor = place.change ? wallet.internalDescriptor : wallet.externalDescriptor;
    if (descriptor !== null && participantsOf(descriptor) > 0)
      throw new DomainError(
        'signing_unavailable',
        `wallet ${walletId} is of MuSig2: its keys sign a message together in two rounds, and not here`,
        { field: 'wallet_id' },
      );
    if (descriptor === null || wallet.secret === null) throw signingUnavailable(wallet);
    return { wallet, script, canonical, descriptor, index: place.index };
  }

  return {
    id: 'message.sign-with-wallet',
    access: { scope: 'messages:write', role: 'operator' },
    async describe(request, accountId) {
      const { wallet, canonical } = await signingPlace(accountId, request);
      const { walletId, message, format } = request;
      return {
        ...{ asked: speaking('message', wallet), subject: canonical },
        signs: { kind: 'message', wallet_id: walletId, address: canonical, format, message },
      };
    },
    async run(request, { accountId, passed, judge, record }) {
      const { wallet, script, descriptor, index } = await signingPlace(accountId, request);
      const { walletId, format } = request;
      const message = Buffer.from(request.message, 'utf8');
      const signer = await openOwnSigner(wallet, passed);
      if (signer === null) throw signingUnavailable(wallet);
      let result: WalletSignedMessage;
      try {
        const facts = inputFactsOf(openSpending(descriptor, wallet.network)(index));
        if (format === 'legacy') result = { signature: signCompactBy(signer, message, facts), format, psbt: null };
        else {
          const { signature, psbt } = signMessageBy(signer, { script, message, facts, format }, tools);
          result = { signature, format, psbt: signature === null ? psbtToBase64(psbt) : null };
        }
      } finally {
        signer.dispose();
      }
      await store.write(async (tx) => {
        await judge(tx);
        await record(tx, { result, target: walletId });
      });
      return result;
    },
  };
}
