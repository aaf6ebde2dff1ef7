/**
 * Keys and nonces of local oracles: random, each encrypted by itself and apart from every wallet's seed, and in the clear for one signature
 * at a time.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { hex } from '../../../core/bytes.ts';
import { proveNonce } from '../../../core/dlc/oracle/nonce-proofs.ts';
import type { OracleAnnouncement, OracleEvent } from '../../../core/dlc/oracle-event.ts';
import { newId, type OracleId } from '../../../core/ids.ts';
import { ecc } from '../../../core/keys/ecc.ts';
import type { EncryptedSecret } from '../../../store/records.ts';
import type { OracleEventRecord } from '../../../store/repositories/oracle-events.ts';
import type { OracleRecord } from '../../../store/repositories/oracles.ts';
import type { OfService, Passed } from '../../policies/gate.ts';
import type { OracleDependencies } from '../oracle-dependencies.ts';

const SCALAR_BYTES = 32;
type Vault = Pick<OracleDependencies, 'box' | 'randomBytes'>;

/** A local oracle that is not stored yet. */
export async function draftLocalOracle(
  deps: Vault & Pick<OracleDependencies, 'clock'>,
  given: Pick<OracleRecord, 'accountId' | 'name' | 'externalId' | 'isDefault'>,
): Promise<OracleRecord> {
  const oracleId = newId('ora', deps.randomBytes);
  const key = newScalar(deps.randomBytes);
  try {
    const at = deps.clock();
    return {
      ...given,
      oracleId,
      kind: 'local',
      publicKey: hex(ecc.xOnlyPointFromScalar(key)),
      url: null,
      secret: await deps.box.encrypt(key, { oracleId, purpose: 'oracle-key' }),
      equivocatedAt: null,
      nonceReusedAt: null,
      createdAt: at,
      updatedAt: at,
    };
  } finally {
    key.fill(0);
  }
}

/** A proof takes a fraction of a millisecond, and others are waiting. */
const PROOFS_AT_ONCE = 8;

/** Fresh nonces of an event: encrypted, their points, x-only, and the proofs that they are known. */
export async function draftNonces(
  deps: Vault,
  { oracleId, eventId }: { oracleId: OracleId; eventId: string },
  count: number,
  announced: (points: Uint8Array[]) => Pick<OracleAnnouncement, 'publicKey' | 'event'>,
): Promise<{ encrypted: EncryptedSecret; event: OracleEvent; proofs: Uint8Array[] }> {
  const nonces = new Uint8Array(count * SCALAR_BYTES);
  try {
    const points: Uint8Array[] = [];
    for (let at = 0; at < count; at++) {
      const nonce = newScalar(deps.randomBytes);
      points.push(ecc.xOnlyPointFromScalar(nonce));
      nonces.set(nonce, at * SCALAR_BYTES);
      nonce.fill(0);
    }
    const announcement = announced(points);
    const proofs: Uint8Array[] = [];
    for (let at = 0; at < count; at++) {
      const nonce = nonces.subarray(at * SCALAR_BYTES, (at + 1) * SCALAR_BYTES);
      const fresh = newScalar(deps.randomBytes);
      proofs.push(proveNonce(announcement, { nonce, fresh }, deps));
      fresh.fill(0);
      if (at % PROOFS_AT_ONCE === PROOFS_AT_ONCE - 1) await turn();
    }
    const encrypted = await deps.box.encrypt(nonces, { oracleId, eventId, purpose: 'oracle-nonces' });
    return { encrypted, event: announcement.event, proofs };
  } finally {
    nonces.fill(0);
  }
}

/** The key is overwritten when `use` returns. The oracle is a local one. */
export async function withOracleKey<T>(
  { box }: Pick<OracleDependencies, 'box'>,
  { oracleId, secret }: OracleRecord,
  use: (privateKey: Uint8Array) => T | Promise<T>,
): Promise<T> {
  const key = await box.decrypt(secret as EncryptedSecret, { oracleId, purpose: 'oracle-key' });
  try {
    return await use(key);
  } finally {
    key.fill(0);
  }
}

/** The same with the nonces of an event, in their order: for attesting it, which the account's rules let pass. */
export async function withNonces<T>(
  { box }: Pick<OracleDependencies, 'box'>,
  { oracleId, eventId, nonces: encrypted }: OracleEventRecord,
  _passed: Passed | OfService,
  use: (nonces: Uint8Array[]) => T | Promise<T>,
): Promise<T> {
  const nonces = await box.decrypt(encrypted as EncryptedSecret, { oracleId, eventId, purpose: 'oracle-nonces' });
  try {
    const count = nonces.length / SCALAR_BYTES;
    return await use(
      Array.from({ length: count }, (_, at) => nonces.subarray(at * SCALAR_BYTES, (at + 1) * SCALAR_BYTES)),
    );
  } finally {
    nonces.fill(0);
  }
}

function newScalar(randomBytes: (size: number) => Uint8Array): Uint8Array {
  for (;;) {
    const scalar = randomBytes(SCALAR_BYTES);
    // All but one in 2^128 are private keys.
    if (ecc.isPrivate(scalar)) return scalar;
  }
}
