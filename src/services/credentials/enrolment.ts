/** What the audit record of a signing key's enrolment commits to: for which holder of governance tokens it signs. */
import { keyCommitment } from '../../core/governance/commitments.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Repositories } from '../../store/store.ts';

/** In the job that enrols it for the credential. */
export const enrolment = async (
  tx: Pick<Repositories, 'apiKeys'>,
  { accountId, keyId: credentialId }: { readonly accountId: AccountId; readonly keyId: string },
  signingKeyId: string,
): Promise<string> =>
  keyCommitment({
    keyId: signingKeyId,
    // Of a person, or a client, its own id.
    holderId: await tx.apiKeys.firstOfLine(accountId, credentialId),
  });
