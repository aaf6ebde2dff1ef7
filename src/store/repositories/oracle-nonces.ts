import { insertRows } from '../queries/insert-rows.ts';
import { amongTexts, textList } from '../queries/json-lists.ts';
import { prepared } from '../queries/prepared.ts';
import type { Session } from '../queries/session.ts';

/** Hex throughout. */
export interface AnnouncedNonces {
  readonly publicKey: string;
  /** SHA-256 of the event as it is signed. */
  readonly eventDigest: string;
  readonly nonces: readonly string[];
}

declare module '../schema.ts' {
  interface Schema {
    oracle_nonces: { public_key: string; nonce: string; event_digest: string; reused_at: bigint | null };
  }
}

const insertNonces = insertRows(
  'oracle_nonces',
  ['public_key', 'nonce', 'event_digest', 'reused_at'],
  'on conflict do nothing',
);
const ofOtherEvent = prepared((db, p: { publicKey: string; eventDigest: string; nonces: string }, kind) =>
  db
    .selectFrom('oracle_nonces')
    .select('nonce')
    .where('public_key', '=', p.publicKey)
    .where(amongTexts(kind, 'nonce', p.nonces))
    .where('event_digest', '!=', p.eventDigest)
    .orderBy('nonce')
    .limit(1n),
);
const mark = prepared((db, p: { publicKey: string; nonce: string; at: bigint }) =>
  db
    .updateTable('oracle_nonces')
    .set({ reused_at: p.at })
    .where('public_key', '=', p.publicKey)
    .where('nonce', '=', p.nonce)
    .where('reused_at', 'is', null),
);

/** What oracles have signed is of no account: the same oracle serves many. */
export function oracleNonceRepository(session: Session) {
  const reusedBy = async ({ publicKey, eventDigest, nonces }: AnnouncedNonces) => {
    const row = await ofOtherEvent.first(session, { publicKey, eventDigest, nonces: textList(nonces) });
    return row?.nonce ?? null;
  };
  return {
    /** Answers one of the nonces that was announced with another event before, null where none was. */
    reusedBy,
    /** The same, and keeps those that are new. */
    async remember(announced: AnnouncedNonces) {
      const { publicKey, eventDigest, nonces } = announced;
      const rows = nonces.map((nonce) => ({ public_key: publicKey, nonce, event_digest: eventDigest }));
      await insertNonces(session, rows);
      return reusedBy(announced);
    },
    /** The oracle is marked from then on (epoch milliseconds), in every account. False where it was by this nonce. */
    mark: async (publicKey: string, nonce: string, at: number) =>
      (await mark.run(session, { publicKey, nonce, at: BigInt(at) })) > 0n,
  };
}
