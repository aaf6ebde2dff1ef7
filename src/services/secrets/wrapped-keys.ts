/** Where wrapped data keys are kept, kind by kind: what a change of the master key goes through. */
import type { Repositories } from '../../store/store.ts';
import type { WrapContext, WrapKind } from './key-provider.ts';

type Tables = Pick<Repositories, 'settings' | 'wrappedKeys'>;
/** Gives the same data key under the new master key. */
export type Rewrap = (wrapped: Uint8Array, context: WrapContext) => Promise<Uint8Array>;

export interface WrappedKeys {
  count(tx: Tables): Promise<number>;
  /** Wraps every one anew; `done` is called after each. `keyId` names the new master key. */
  rewrapAll(tx: Tables, rewrap: Rewrap, keyId: string, done: () => void): Promise<void>;
}

const WALLETS_AT_ONCE = 200;

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

const walletSecrets: WrappedKeys = {
  count: (tx) => tx.wrappedKeys.countWalletSecrets(),
  async rewrapAll(tx, rewrap, keyId, done) {
    for (let after = ''; ; ) {
      const wallets = await tx.wrappedKeys.walletSecrets(after, WALLETS_AT_ONCE);
      for (const { walletId, secret } of wallets) {
        const fresh = await rewrap(Buffer.from(secret.wrappedKey, 'base64url'), `wallet ${walletId}`);
        const wrappedKey = Buffer.from(fresh).toString('base64url');
        await tx.wrappedKeys.replaceWalletSecret(walletId, { ...secret, keyId, wrappedKey });
        done();
      }
      const last = wallets.at(-1);
      if (last === undefined) return;
      after = last.walletId;
    }
  },
};

/** null: not kept here. Backups went to their owners; the master key that they were made under is kept as a former one. */
export const WRAPPED_KEYS: Readonly<Record<WrapKind, WrappedKeys | null>> = {
  service: settingsWith(SERVICE_KEY_PREFIX, 'service'),
  'master key': settingsWith(FORMER_KEY_PREFIX, 'master key'),
  wallet: walletSecrets,
  'wallet backup': null,
};
