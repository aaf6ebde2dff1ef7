/** Whose list of notifications a credential reads: its own; a rotated key that of the key which its rotations began with. */
import type { AccountId } from '../../core/ids.ts';
import type { Repositories } from '../../store/store.ts';
import type { Credential } from '../requests/request-context.ts';

/**
 * A successor has all rights of its predecessor, and is the same machine. It does not go by whom a key counts as: keys that a key makes
 * count as that one, too, and may have fewer rights.
 */
export const inboxOf = async (
  read: Pick<Repositories, 'apiKeys'>,
  { accountId, credential: { kind, id } }: { accountId: AccountId; credential: Pick<Credential, 'kind' | 'id'> },
): Promise<string> => (kind === 'api_key' ? read.apiKeys.firstOfLine(accountId, id) : id);
