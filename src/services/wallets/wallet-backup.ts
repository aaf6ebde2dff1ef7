/**
 * Backups: one compact JWE (RFC 7516) around a JSON document. Under a passphrase: PBES2-HS512+A256KW. Without one: a content key of its
 * own that the key provider wraps (`wrapped_key` in the protected header), marked `server_bound`; the document then names the account.
 */
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, type JWEHeaderParameters } from 'jose';
import { DomainError } from '../../core/errors.ts';
import { NETWORKS, type Network } from '../../core/network.ts';
import type { WalletType } from '../../store/records.ts';
import { KEY_BYTES } from '../secrets/authenticated-encryption.ts';
import { type Deriver, derivations } from '../secrets/derivations.ts';
import type { KeyProvider } from '../secrets/key-provider.ts';
import type { WalletBackup } from './wallet-service.ts';
import { WALLET_TYPES } from './wallet-types.ts';

/** OWASP's figure for PBKDF2-HMAC-SHA512 is 210,000. Ours have never had another; reading allows what others may have chosen since. */
const PBES2_COUNT = 250_000;
const MAX_PBES2_COUNT = 600_000;
const MAX_JWE_LENGTH = 900_000;
const MAX_INDEX = 100_000;
const TYPE = 'ashlar-wallet-backup+jwe';
const PROVIDER_CONTEXT = 'wallet backup';

export interface BackupContents {
  readonly name: string;
  readonly type: WalletType;
  readonly network: Network;
  /** null for wallets without keys here. The caller overwrites it. */
  readonly seed: Uint8Array | null;
  readonly externalDescriptor: string;
  readonly internalDescriptor: string | null;
  readonly birthdayHeight: number;
  readonly nextExternalIndex: number;
  readonly nextInternalIndex: number;
  /** BIP329 lines. */
  readonly labels: string;
}

export interface OpenedBackup extends BackupContents {
  readonly serverBound: boolean;
  /** Whose the wallet is, if the backup is server-bound; null in those of older versions. */
  readonly accountId: string | null;
}

/** How a backup is encrypted, and in whose turn where its key is derived from a passphrase. */
export interface Protection extends Opening {
  readonly randomBytes: (size: number) => Uint8Array;
}

export interface Opening {
  readonly passphrase: string | null;
  readonly provider: KeyProvider;
  readonly whose: Deriver;
}

export async function encryptBackup(contents: BackupContents, protection: Protection): Promise<WalletBackup> {
  const { passphrase, provider, whose } = protection;
  const plaintext = encode(contents, passphrase === null ? whose.accountId : undefined);
  try {
    const jwe = new CompactEncrypt(plaintext);
    if (passphrase !== null) {
      jwe.setProtectedHeader({ alg: 'PBES2-HS512+A256KW', enc: 'A256GCM', typ: TYPE });
      jwe.setKeyManagementParameters({ p2c: PBES2_COUNT });
      const encrypted = await inTurn(whose, () => jwe.encrypt(passphraseBytes(passphrase)));
      return { jwe: encrypted, serverBound: false };
    }
    const contentKey = protection.randomBytes(KEY_BYTES);
    try {
      const wrapped = await provider.wrap(contentKey, PROVIDER_CONTEXT);
      jwe.setProtectedHeader({
        alg: 'dir',
        enc: 'A256GCM',
        typ: TYPE,
        kid: provider.keyId,
        server_bound: true,
        wrapped_key: Buffer.from(wrapped).toString('base64url'),
      });
      return { jwe: await jwe.encrypt(contentKey), serverBound: true };
    } finally {
      contentKey.fill(0);
    }
  } finally {
    plaintext.fill(0);
  }
}

/** Throws `invalid_backup` of `backup` or `backup_passphrase`, saying which of the two is wrong as far as it can be known. */
export async function openBackup(jwe: string, opening: Opening): Promise<OpenedBackup> {
  const header = protectedHeader(jwe);
  const serverBound = header.alg === 'dir';
  const plaintext = serverBound
    ? await openServerBound(jwe, header, opening.provider)
    : await openWithPassphrase(jwe, header.p2c, opening);
  try {
    return { ...decode(plaintext), serverBound };
  } finally {
    plaintext.fill(0);
  }
}

function protectedHeader(jwe: string): JWEHeaderParameters & Record<string, unknown> {
  try {
    if (jwe.length > MAX_JWE_LENGTH || jwe.split('.').length !== 5) throw new Error('not a compact JWE');
    const header = decodeProtectedHeader(jwe) as JWEHeaderParameters;
    if (header.alg === 'dir' || header.alg === 'PBES2-HS512+A256KW') return header as never;
  } catch {
    // The refusal below says all.
  }
  throw refuse(
    'backup',
    'the backup is not one of this service: it is a compact JWE of five parts, as an answer gave it',
  );
}

async function openServerBound(
  jwe: string,
  header: { kid?: unknown; wrapped_key?: unknown },
  provider: KeyProvider,
): Promise<Uint8Array> {
  if (typeof header.kid !== 'string' || !provider.opens(header.kid) || typeof header.wrapped_key !== 'string') {
    throw boundElsewhere();
  }
  let contentKey: Uint8Array | null = null;
  try {
    contentKey = await provider.unwrap(Buffer.from(header.wrapped_key, 'base64url'), PROVIDER_CONTEXT);
    return (await compactDecrypt(jwe, contentKey, { keyManagementAlgorithms: ['dir'] })).plaintext;
  } catch {
    throw refuse('backup', 'the backup was changed or cut: its authentication fails');
  } finally {
    contentKey?.fill(0);
  }
}

async function openWithPassphrase(jwe: string, rounds: unknown, { passphrase, whose }: Opening): Promise<Uint8Array> {
  if (passphrase === null) throw refuse('backup_passphrase', 'this backup opens with its backup_passphrase');
  if (!(Number.isInteger(rounds) && (rounds as number) <= MAX_PBES2_COUNT)) {
    throw refuse(
      'backup',
      `the backup asks for more rounds of PBKDF2 (p2c) than the ${MAX_PBES2_COUNT} that are computed`,
    );
  }
  try {
    const options = { keyManagementAlgorithms: ['PBES2-HS512+A256KW'], maxPBES2Count: MAX_PBES2_COUNT };
    const opened = await inTurn(whose, () => compactDecrypt(jwe, passphraseBytes(passphrase), options));
    return opened.plaintext;
  } catch (error) {
    if (whose.signal?.aborted || (error instanceof DomainError && error.code === 'unavailable')) throw error;
    throw refuse('backup_passphrase', 'the backup does not open: the passphrase is wrong, or the backup was changed');
  }
}

const inTurn = <Made>({ accountId, signal }: Deriver, work: () => Promise<Made>) =>
  derivations.take({ accountId, signal }, work);

const passphraseBytes = (passphrase: string): Uint8Array => Buffer.from(passphrase.normalize('NFC'));

function encode(contents: BackupContents, accountId: string | undefined): Uint8Array {
  // Named one by one: a caller may pass a whole wallet record, and nothing else of it belongs in here.
  const { seed, name, type, network, externalDescriptor, internalDescriptor, labels } = contents;
  const { birthdayHeight, nextExternalIndex, nextInternalIndex } = contents;
  return Buffer.from(
    JSON.stringify({
      format: 'ashlar-wallet-backup',
      version: 1,
      accountId,
      name,
      type,
      network,
      seed: seed === null ? null : Buffer.from(seed).toString('base64url'),
      externalDescriptor,
      internalDescriptor,
      birthdayHeight,
      nextExternalIndex,
      nextInternalIndex,
      labels,
    }),
  );
}

function decode(plaintext: Uint8Array): Omit<OpenedBackup, 'serverBound'> {
  const document = jsonObject(Buffer.from(plaintext).toString('utf8'));
  if (document === null) throw refuse('backup', 'the backup opens, but does not hold a wallet');
  const {
    format,
    version,
    seed,
    accountId = null,
    ...rest
  } = document as Record<string, unknown> & Omit<BackupContents, 'seed'>;
  const index = (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_INDEX;
  const sound =
    format === 'ashlar-wallet-backup' &&
    version === 1 &&
    (accountId === null || typeof accountId === 'string') &&
    (seed === null || (typeof seed === 'string' && /^[\w-]{22,86}$/.test(seed))) &&
    WALLET_TYPES.includes(rest.type) &&
    NETWORKS.includes(rest.network) &&
    typeof rest.externalDescriptor === 'string' &&
    (rest.internalDescriptor === null || typeof rest.internalDescriptor === 'string') &&
    Number.isInteger(rest.birthdayHeight) &&
    rest.birthdayHeight >= 0 &&
    index(rest.nextExternalIndex) &&
    index(rest.nextInternalIndex) &&
    typeof rest.labels === 'string';
  if (!sound) throw refuse('backup', 'the backup opens, but is of a form this version does not know');
  return {
    ...rest,
    accountId: accountId as string | null,
    seed: seed === null ? null : Buffer.from(seed as string, 'base64url'),
  };
}

function jsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The same of another account's as of another server's: nothing tells them apart. */
export const boundElsewhere = () =>
  refuse(
    'backup',
    'the backup is bound to another account, or to the master key of another server: it restores only in the account that made it, under the same master key',
  );

const refuse = (field: string, message: string) => new DomainError('invalid_backup', message, { field });
