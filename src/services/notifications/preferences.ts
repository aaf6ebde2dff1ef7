/** What each person, or credential that counts as nobody, wants of notifications. */
import { namesVersion, versionTag } from '../../core/entity-tags.ts';
import { DomainError } from '../../core/errors.ts';
import type { PreferencesRecord } from '../../store/repositories/notification-preferences.ts';
import type { Store } from '../../store/store.ts';
import { ownVoice } from '../policies/pass-change.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';

export type Wanted = Pick<PreferencesRecord, 'channels' | 'quietHours' | 'currency'>;
/** `updatedAt`: null where they were never set. */
export interface Preferences extends Wanted {
  readonly version: number;
  readonly updatedAt: number | null;
  /** Of the service (RFC 8292): browsers subscribe with it. */
  readonly pushPublicKey: string;
}

const DEFAULT = { version: 0, channels: { push: true, email: true }, quietHours: null, currency: 'BTC' } as const;

export function createPreferences(deps: { store: Store; pushPublicKey: string; clock: () => number }) {
  const { store, pushPublicKey, clock } = deps;
  return {
    get: async ({ accountId, credential }: RequestContext): Promise<Preferences> => {
      const found = await store.read.notificationPreferences.find({ accountId, subject: ownVoice(credential) });
      return { ...DEFAULT, updatedAt: null, ...found, pushPublicKey };
    },

    /** Throws `precondition_failed` where `ifMatch` names another version; null: whichever it is. */
    replace: (wanted: Wanted, ifMatch: string | null, context: RequestContext): Promise<Preferences> =>
      store.write(async (tx) => {
        const { accountId, credential } = context;
        const subject = ownVoice(credential);
        const updatedAt = clock();
        const before = await tx.notificationPreferences.lockOrMake({ accountId, subject, ...DEFAULT, updatedAt });
        const tag = versionTag(before.version);
        if (ifMatch !== null && !namesVersion(ifMatch, tag)) {
          const message = `the preferences have changed since: the version is ${tag} by now`;
          throw new DomainError('precondition_failed', message, { field: 'headers.if-match' });
        }
        const record = { ...before, ...wanted, version: before.version + 1, updatedAt };
        await tx.notificationPreferences.update(record);
        const result = { ...record, pushPublicKey };
        await recordRequest(tx, context, { result, target: subject });
        return result;
      }),
  };
}
export type PreferencesService = ReturnType<typeof createPreferences>;
