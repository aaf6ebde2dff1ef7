import { randomBytes } from 'node:crypto';
import { fileIdentity, identityPath, readIdentityFile, writeIdentityFile } from '../identity-file.ts';
import { DECISIONS_SETTING, IDENTITY_SETTING } from '../repositories/decisions.ts';
import type { Repositories, Store } from '../store.ts';

/** Whether a SQLite database is where it was, with all that was decided: by the witness beside it. */
export function createSqliteIdentity(deps: { path: string; store: () => Pick<Store, 'write'>; clock: () => number }) {
  const { path, clock } = deps;
  let nonce: string | null = null;

  const decisionsOf = async (tx: Repositories): Promise<number> =>
    Number((await tx.settings.get(DECISIONS_SETTING)) ?? 0);
  const homeOf = (named: string): string =>
    JSON.stringify({ nonce: named, database: fileIdentity(path), witness: fileIdentity(identityPath(path)) });

  async function isAtHome(tx: Repositories): Promise<string | null> {
    const witness = readIdentityFile(path);
    if (!witness || (await tx.settings.get(IDENTITY_SETTING)) !== homeOf(witness.nonce)) return null;
    // Put back to an earlier time, in its place.
    return witness.decisions > (await decisionsOf(tx)) ? null : witness.nonce;
  }

  return {
    async settle(onMoved: Parameters<Store['bindIdentity']>[0]) {
      const { write } = deps.store();
      const found = await write(async (tx) => ({ nonce: await isAtHome(tx), decisions: await decisionsOf(tx) }));
      nonce = found.nonce;
      if (nonce !== null) return true;
      const fresh = randomBytes(16).toString('hex');
      // First: where the job does not get to its end, the two do not match.
      writeIdentityFile(path, { nonce: fresh, decisions: found.decisions }, clock());
      await write(async (tx) => {
        await onMoved(tx);
        await tx.settings.set(IDENTITY_SETTING, homeOf(fresh));
      });
      nonce = fresh;
      return false;
    },
    /** After a commit that decided something, before whoever decided hears of it. Throws where the disk refuses it. */
    noteDecisions(decisions: number) {
      if (nonce !== null) writeIdentityFile(path, { nonce, decisions }, clock());
    },
  };
}
