/** A wallet's secret material as it is encrypted: the seed, and the account key so that signing derives two steps only. */
import { DomainError } from '../../core/errors.ts';
import { ecc } from '../../core/keys/ecc.ts';
import type { Network } from '../../core/network.ts';
import type { OwnAccount } from '../../core/payments/add-signatures.ts';
import type { KeyOrigin } from '../../core/psbt/codec/key-derivations.ts';
import { type PsbtSigner, signerFromAccountKey } from '../../core/psbt/signing/signers.ts';
import type { KeyRing } from '../../core/transactions/signing-input.ts';
import { accountXpubs } from '../../core/wallets/account-xpubs.ts';
import { type AccountKey, accountKey, accountPath, type KeyedWalletType, wipeKey } from '../../core/wallets/hd-key.ts';
import { createKeyRing } from '../../core/wallets/key-ring.ts';
import type { EncryptedSecret, WalletId, WalletRecord } from '../../store/records.ts';
import type { OfService, Passed } from '../policies/gate.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

const VERSION = 1;
const ACCOUNT_BYTES = 64;
const SINGLE_KEY = new Set(['segwit', 'taproot', 'nested-segwit', 'legacy']);

export interface WalletKeys {
  readonly secret: EncryptedSecret;
  /** `[fingerprint/84h/1h/0h]tpub…` */
  readonly account: string;
  readonly masterFingerprint: string;
}

/** Derives the account of a seed and encrypts both. The caller overwrites the seed. */
export async function encryptWalletKeys(
  box: SecretBox,
  wallet: { walletId: WalletId; type: KeyedWalletType; network: Network },
  seed: Uint8Array,
): Promise<WalletKeys> {
  const key: AccountKey = accountKey(seed, accountPath(wallet.type, wallet.network), wallet.network);
  const plaintext = Buffer.concat([Uint8Array.of(VERSION), key.node.privateKey!, key.node.chainCode, seed]);
  try {
    return {
      secret: await box.encrypt(plaintext, { walletId: wallet.walletId, purpose: 'wallet-keys' }),
      account: `${key.origin}${key.node.neutered().toBase58()}`,
      masterFingerprint: key.masterFingerprint,
    };
  } finally {
    plaintext.fill(0);
    wipeKey(key.node);
  }
}

/** The wallet's BIP32 seed; the caller overwrites it. null where the wallet has no keys here. */
export async function openSeed(
  box: SecretBox,
  wallet: WalletRecord,
  _passed: Passed | OfService,
): Promise<Uint8Array | null> {
  if (!wallet.secret) return null;
  const plaintext = await openPlaintext(box, wallet.walletId, wallet.secret);
  try {
    return Uint8Array.from(plaintext.subarray(1 + ACCOUNT_BYTES));
  } finally {
    plaintext.fill(0);
  }
}

/** Here and below keys are opened only for what the account's rules let pass. */
export type OpenKeyRing = (wallet: WalletRecord, passed: Passed | OfService) => Promise<KeyRing>;

/**
 * Opens the keys of a wallet that signs by itself; the caller disposes of the ring. Throws `signing_unavailable` for multisig and
 * watch-only wallets.
 */
export function createOpenKeyRing(deps: { box: SecretBox }): OpenKeyRing {
  return async (wallet) => {
    if (!canSign(wallet)) throw signingUnavailable(wallet);
    const plaintext = await openPlaintext(deps.box, wallet.walletId, wallet.secret!);
    try {
      const account = { privateKey: plaintext.subarray(1, 33), chainCode: plaintext.subarray(33, 65) };
      return createKeyRing(account, wallet.network);
    } finally {
      plaintext.fill(0);
    }
  };
}

/** The key that the service has among a multisig wallet's; the caller overwrites it. null where it has none. */
export type OpenOwnAccount = (wallet: WalletRecord, passed: Passed | OfService) => Promise<OwnAccount | null>;

export function createOpenOwnAccount(deps: { box: SecretBox }): OpenOwnAccount {
  return async (wallet) => {
    if (wallet.secret === null) return null;
    const plaintext = await openPlaintext(deps.box, wallet.walletId, wallet.secret);
    try {
      const { fingerprint, path } = ownOrigin(wallet, plaintext.subarray(1, 33));
      return { fingerprint, path, key: Uint8Array.from(plaintext.subarray(1, 1 + ACCOUNT_BYTES)) };
    } finally {
      plaintext.fill(0);
    }
  };
}

/** Signs a PSBT with that key; the caller disposes of it. null where there is none. */
export type OpenOwnSigner = (wallet: WalletRecord, passed: Passed | OfService) => Promise<PsbtSigner | null>;

export function createOpenOwnSigner(deps: { box: SecretBox }): OpenOwnSigner {
  const open = createOpenOwnAccount(deps);
  return async (wallet, passed) => {
    const account = await open(wallet, passed);
    if (account === null) return null;
    const { key, ...origin } = account;
    try {
      return signerFromAccountKey({ privateKey: key.subarray(0, 32), chainCode: key.subarray(32) }, origin);
    } finally {
      key.fill(0);
    }
  };
}

/** Of the descriptor's key that is the account key's point. */
function ownOrigin(wallet: WalletRecord, privateKey: Uint8Array): KeyOrigin {
  const point = ecc.pointFromScalar(privateKey, true)!;
  const own = accountXpubs(wallet.externalDescriptor, wallet.network).find(
    ({ bytes }) => Buffer.compare(bytes.subarray(45), point) === 0,
  );
  if (!own) throw new Error(`the keys of wallet ${wallet.walletId} are not in its descriptor`);
  return own;
}

/** Whether payments from the wallet can be signed here, completely. */
export const canSign = (wallet: Pick<WalletRecord, 'type' | 'secret'>): boolean =>
  wallet.secret !== null && SINGLE_KEY.has(wallet.type);

/** The refusal to open keys that are not here. */
export function signingUnavailable(wallet: Pick<WalletRecord, 'walletId' | 'type'>): DomainError {
  return new DomainError(
    'signing_unavailable',
    `wallet ${wallet.walletId} is ${wallet.type}: its keys are not all here, and others sign its payments (by PSBT)`,
    { field: 'wallet_id' },
  );
}

async function openPlaintext(box: SecretBox, walletId: WalletId, secret: EncryptedSecret): Promise<Uint8Array> {
  const plaintext = await box.decrypt(secret, { walletId, purpose: 'wallet-keys' });
  if (plaintext[0] !== VERSION) throw new Error(`the secret of wallet ${walletId} has an unknown form`);
  return plaintext;
}
