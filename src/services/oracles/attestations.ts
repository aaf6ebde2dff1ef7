import type { OracleAttestation } from '../../core/dlc/oracle-event.ts';
import { DomainError } from '../../core/errors.ts';
import type { AccountId, OracleId } from '../../core/ids.ts';
import type { AttestationRecord } from '../../store/repositories/attestations.ts';
import type { OracleEventRecord } from '../../store/repositories/oracle-events.ts';
import type { OracleRecord } from '../../store/repositories/oracles.ts';
import { recordRequest } from '../requests/record-request.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { Attesting } from './local/attest.ts';
import type { OracleDependencies } from './oracle-dependencies.ts';
import type { AskedAttestation, AttestationView, OracleService } from './oracle-service.ts';
import { nextQuestion } from './polling/next-question.ts';
import type { OracleQueries } from './querying/query-oracle.ts';
import { type AttestationListeners, requireAttested, storeAttestation } from './store-attestation.ts';
import { parsedAttestation } from './verify-attestations.ts';

type Attestations = Pick<
  OracleService,
  | 'addAttestation'
  | 'attestationsOf'
  | 'fetchAttestation'
  | 'askForAttestation'
  | 'storeAttestation'
  | 'attestation'
  | 'listAttestations'
>;

/** Attestations that are known: posted, asked for, or taken from the chain. */
export function createAttestations(
  deps: OracleDependencies &
    Pick<OracleService, 'resolve'> &
    Pick<Attesting, 'finish'> & { asked: OracleQueries; attestationListeners: AttestationListeners },
): Attestations {
  const { store, clock, log, asked, attestationListeners } = deps;

  async function verified(accountId: AccountId, bytes: Uint8Array) {
    const attestation = parsedAttestation(bytes, 'attestation');
    const publicKey = Buffer.from(attestation.publicKey).toString('hex');
    const oracle = await store.read.oracles.findByPublicKey(accountId, publicKey);
    if (oracle === null) {
      throw new DomainError('not_found', 'its oracle is not registered: register it by its public key first', {
        field: 'attestation',
      });
    }
    const event = await store.read.oracleEvents.find(accountId, oracle.oracleId, attestation.eventId);
    if (event === null) {
      throw new DomainError(
        'announcement_missing',
        'the event that it attests is not known here: post its announcement first',
        { field: 'attestation' },
      );
    }
    await requireAttested(attestation, event);
    return { oracle, event, attestation };
  }

  async function keep(
    given: { oracle: OracleRecord; event: OracleEventRecord; attestation: OracleAttestation },
    source: AttestationRecord['source'],
    context?: RequestContext,
  ): Promise<AttestationView> {
    const kept = await store.write(async (tx) => {
      const made = await storeAttestation(deps, tx, { ...given, source });
      if (context !== undefined) {
        await recordRequest(tx, context, { result: made.view, target: made.view.attestationId });
      }
      return made;
    });
    attestationListeners.notify(kept);
    return kept.view;
  }

  async function view(attestation: AttestationRecord): Promise<AttestationView> {
    const { accountId, oracleId, eventId } = attestation;
    const { oracles, oracleEvents, attestations } = store.read;
    const [oracle, event, ofEvent] = await Promise.all([
      oracles.find(accountId, oracleId),
      oracleEvents.find(accountId, oracleId, eventId),
      attestations.ofEvent(accountId, oracleId, eventId),
    ]);
    if (oracle === null || event === null) throw new Error(`attestation ${attestation.attestationId} has no event`);
    return { ...attestation, event, publicKey: oracle.publicKey, ofEvent };
  }

  async function fetched(
    accountId: AccountId,
    oracleId: OracleId,
    eventId: string,
    signal?: AbortSignal,
  ): Promise<AskedAttestation> {
    const [standing] = await store.read.attestations.ofEvent(accountId, oracleId, eventId);
    if (standing !== undefined) return answered(standing);
    const oracle = await store.read.oracles.find(accountId, oracleId);
    const event = await store.read.oracleEvents.find(accountId, oracleId, eventId);
    if (oracle === null || event === null) return answered(null);
    if (oracle.kind === 'local') return answered(await deps.finish(oracle, event));
    if (oracle.url === null) return answered(null);
    const { found: attestation, failure } = await asked.attestation(oracle, event, signal);
    if (failure === 'too_many' || failure === 'aborted') return { attestation: null, failure };
    const at = clock();
    const next = nextQuestion(event.maturityEpoch, at);
    await store.write((tx) => tx.oracleEvents.polled(accountId, oracleId, eventId, { at, next }));
    if (attestation === null) return { attestation, failure };
    await requireAttested(attestation, event);
    return answered(await keep({ oracle, event, attestation }, 'fetched'));
  }

  const askForAttestation: OracleService['askForAttestation'] = async (accountId, oracleId, eventId, signal) => {
    try {
      return await fetched(accountId, oracleId, eventId, signal);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      log.warn(
        { oracle_id: oracleId, event_id: eventId, code: error.code },
        'an oracle gave no attestation that holds',
      );
      return { attestation: null, failure: 'unreadable' };
    }
  };

  return {
    addAttestation: async (bytes, context) => keep(await verified(context.accountId, bytes), 'posted', context),
    storeAttestation: async (accountId, bytes, source) => keep(await verified(accountId, bytes), source),
    attestationsOf: (accountId, oracleId, eventId) => store.read.attestations.ofEvent(accountId, oracleId, eventId),
    askForAttestation,
    fetchAttestation: async (...question) => (await askForAttestation(...question)).attestation,
    async attestation(attestationId, { accountId }) {
      const found = await store.read.attestations.find(accountId, attestationId);
      if (found !== null) return view(found);
      throw new DomainError('not_found', 'there is no such attestation', { field: 'attestation_id' });
    },
    async listAttestations({ oracle, ...filter }, page, { accountId }) {
      const of = oracle === undefined ? {} : { oracleId: (await deps.resolve(accountId, oracle)).oracleId };
      const found = await store.read.attestations.list(accountId, { ...filter, ...of }, page);
      return { ...found, data: await Promise.all(found.data.map(view)) };
    },
  };
}

const answered = (attestation: AttestationRecord | null): AskedAttestation => ({ attestation, failure: null });
