/** Where wrapped data keys are kept, kind by kind: what a change of the master key goes through. */

import type { OracleId } from '../../core/ids.ts';
import type { EncryptedSecret, WalletId } from '../../store/records.ts';
import type { EventKey } from '../../store/repositories/wrapped-keys.ts';
import type { Repositories } from '../../store/store.ts';
import type { WrapContext, WrapKind } from './key-provider.ts';

type Tables = Pick<Repositories, 'settings' | 'wrappedKeys'>;
/** Gives the same data key under the new master key. */
type Rewrap = (wrapped: Uint8Array, context: WrapContext) => Promise<Uint8Array>;

export interface WrappedKeys {
  count(tx: Tables): Promise<number>;
  /** Wraps every one anew; `done` is called after each. `keyId` names the new master key. */
  rewrapAll(tx: Tables, rewrap: Rewrap, keyId: string, done: () => void): Promise<void>;
}

const AT_ONCE = 200;

/** Where service-key.ts and open-key-provider.ts keep theirs: a setting `<prefix><name>` holds the key wrapped for `<kind> <name>`. */
export const SERVICE_KEY_PREFIX = 'service_key:';
export const FORMER_KEY_PREFIX = 'former_master_key:';

function settingsWith(prefix: string, kind: WrapKind): WrappedKeys {
  return {
    count: async (tx) => (await tx.wrappedKeys.settings(prefix)).length,
    async rewrapAll(tx, rewrap, _, done) {
      for (const { name, value } of await tx.wrappedKeys.settings(prefix)) {
        const fresh = await rewrap(Buffer.from(value, 'base64url'), `${kind} ${name.slice(prefix.length)}`);
        await tx.settings.set(name, Buffer.from(fresh).toString('base64url'));
        done();
      }
    },
  };
}

/** Secrets of rows, a page of them at a time in order of their keys. */
function encryptedIn<Row>(rows: {
  count(tx: Tables): Promise<number>;
  /** Those behind a row, or the first; at most AT_ONCE. */
  page(tx: Tables, after: Row | null): Promise<{ row: Row; secret: EncryptedSecret }[]>;
  context(row: Row): WrapContext;
  replace(tx: Tables, row: Row, secret: EncryptedSecret): Promise<void>;
}): WrappedKeys {
  return {
    count: rows.count,
    async rewrapAll(tx, rewrap, keyId, done) {
      for (let after: Row | null = null; ; ) {
        const page: { row: Row; secret: EncryptedSecret }[] = await rows.page(tx, after);
        for (const { row, secret } of page) {
          const fresh = await rewrap(Buffer.from(secret.wrappedKey, 'base64url'), rows.context(row));
          await rows.replace(tx, row, { ...secret, keyId, wrappedKey: Buffer.from(fresh).toString('base64url') });
          done();
        }
        const last = page.at(-1);
        if (last === undefined) return;
        after = last.row;
      }
    },
  };
}

const walletSecrets = encryptedIn<WalletId>({
  count: (tx) => tx.wrappedKeys.countWalletSecrets(),
  page: async (tx, after) =>
    (await tx.wrappedKeys.walletSecrets(after ?? '', AT_ONCE)).map(({ walletId, secret }) => ({
      row: walletId,
      secret,
    })),
  context: (walletId) => `wallet ${walletId}`,
  replace: (tx, walletId, secret) => tx.wrappedKeys.replaceWalletSecret(walletId, secret),
});

const oracleSecrets = encryptedIn<OracleId>({
  count: (tx) => tx.wrappedKeys.countOracleSecrets(),
  page: async (tx, after) =>
    (await tx.wrappedKeys.oracleSecrets(after ?? '', AT_ONCE)).map(({ oracleId, secret }) => ({
      row: oracleId,
      secret,
    })),
  context: (oracleId) => `oracle ${oracleId}`,
  replace: (tx, oracleId, secret) => tx.wrappedKeys.replaceOracleSecret(oracleId, secret),
});

const eventNonces = encryptedIn<EventKey>({
  count: (tx) => tx.wrappedKeys.countEventNonces(),
  page: async (tx, after) =>
    (await tx.wrappedKeys.eventNonces(after ?? { oracleId: '', eventId: '' }, AT_ONCE)).map(
      ({ oracleId, eventId, nonces }) => ({ row: { oracleId, eventId }, secret: nonces }),
    ),
  context: ({ oracleId, eventId }) => `nonces ${oracleId} ${eventId}`,
  replace: (tx, event, nonces) => tx.wrappedKeys.replaceEventNonces(event, nonces),
});

const connectionSecrets = encryptedIn<string>({
  count: (tx) => tx.wrappedKeys.countConnectionSecrets(),
  page: async (tx, after) =>
    (await tx.wrappedKeys.connectionSecrets(after ?? '', AT_ONCE)).map(({ connectionId, secret }) => ({
      row: connectionId,
      secret,
    })),
  context: (connectionId) => `connection ${connectionId}`,
  replace: (tx, connectionId, secret) => tx.wrappedKeys.replaceConnectionSecret(connectionId, secret),
});

/** null: not kept here. Backups went to their owners; the master key that they were made under is kept as a former one. */
export const WRAPPED_KEYS: Readonly<Record<WrapKind, WrappedKeys | null>> = {
  service: settingsWith(SERVICE_KEY_PREFIX, 'service'),
  'master key': settingsWith(FORMER_KEY_PREFIX, 'master key'),
  wallet: walletSecrets,
  oracle: oracleSecrets,
  nonces: eventNonces,
  connection: connectionSecrets,
  'wallet backup': null,
};
