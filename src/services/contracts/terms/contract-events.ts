/** Which oracles' events a contract waits for: announced ones, found or fetched, or made for it by the account's own oracle. */
import { parseAnnouncement } from '../../../core/dlc/messages/announcement.ts';
import type { EventDescriptor, OracleAnnouncement } from '../../../core/dlc/oracle-event.ts';
import { DomainError } from '../../../core/errors.ts';
import type { AccountId } from '../../../core/ids.ts';
import type { OracleEventRecord } from '../../../store/repositories/oracle-events.ts';
import type { OracleRecord } from '../../../store/repositories/oracles.ts';
import type { Repositories } from '../../../store/store.ts';
import type { OracleService } from '../../oracles/oracle-service.ts';
import type { ContractTermsRequest } from '../contract-service.ts';

export interface ContractEvents {
  readonly oracles: readonly OracleRecord[];
  /** In their order; null: the local oracle makes it when the contract is made. */
  readonly announced: readonly (OracleEventRecord | null)[];
}

/** When the last of those that are announced is due, Unix seconds; 0 where none is. */
export const maturityOf = ({ announced }: ContractEvents): number =>
  Math.max(0, ...announced.map((event) => event?.maturityEpoch ?? 0));

/** An announcement with the event that it is kept as. */
export interface StoredAnnouncement {
  readonly event: OracleEventRecord;
  readonly announcement: OracleAnnouncement;
}

/** Events of an oracle that are looked through for the one with the outcomes. */
const MAX_EVENTS = 1_000;
const PAGE = 100;

export function createEventFinder(deps: {
  read: Pick<Repositories, 'oracleEvents'>;
  oracles: Pick<OracleService, 'resolve' | 'announceFor' | 'fetchAnnouncement'>;
}) {
  const { read, oracles } = deps;

  async function find(
    accountId: AccountId,
    { oracles: names, eventIds }: Pick<ContractTermsRequest, 'oracles' | 'eventIds'>,
    wanted: EventDescriptor,
  ): Promise<ContractEvents> {
    const found: OracleRecord[] = [];
    const announced: (OracleEventRecord | null)[] = [];
    for (const [position, name] of names.entries()) {
      const oracle = await oracles.resolve(accountId, name);
      if (found.some(({ oracleId }) => oracleId === oracle.oracleId)) {
        throw new DomainError('invalid_value', `oracle ${oracle.oracleId} is named twice`, {
          field: `oracles[${position}]`,
        });
      }
      found.push(oracle);
      announced.push(await eventOf(oracle, eventIds?.[position], wanted, fieldOf(names, position)));
    }
    return { oracles: found, announced };
  }

  async function eventOf(
    oracle: OracleRecord,
    eventId: string | undefined,
    wanted: EventDescriptor,
    field: string,
  ): Promise<OracleEventRecord | null> {
    if (eventId === undefined) return oracle.kind === 'local' ? null : onlyEvent(oracle, wanted, field);
    const kept = await read.oracleEvents.find(oracle.accountId, oracle.oracleId, eventId);
    const event = kept?.announcement ? kept : await fetched(oracle, eventId, field);
    const problem = mismatch(JSON.parse(event.descriptor) as EventDescriptor, wanted);
    if (problem === null) return event;
    throw new DomainError('invalid_value', `event ${eventId} of oracle ${oracle.oracleId} ${problem}`, { field });
  }

  async function fetched(oracle: OracleRecord, eventId: string, field: string): Promise<OracleEventRecord> {
    if (oracle.kind === 'external' && oracle.url !== null) {
      return oracles.fetchAnnouncement(oracle.accountId, oracle, eventId);
    }
    throw new DomainError(
      'announcement_missing',
      `no announcement of event ${eventId} by oracle ${oracle.oracleId} is known: ` +
        (oracle.kind === 'local'
          ? 'announce it first (POST /api/v1/dlc/events)'
          : 'post it first (POST /api/v1/dlc/announcements)'),
      { field },
    );
  }

  /** The one event that is announced, not attested yet, and has these outcomes. */
  async function onlyEvent(oracle: OracleRecord, wanted: EventDescriptor, field: string): Promise<OracleEventRecord> {
    const fitting: OracleEventRecord[] = [];
    for (let offset = 0; offset < MAX_EVENTS; offset += PAGE) {
      const filter = { oracleId: oracle.oracleId, attested: false };
      const page = await read.oracleEvents.list(oracle.accountId, filter, { limit: PAGE, offset });
      fitting.push(
        ...page.data.filter((event) => mismatch(JSON.parse(event.descriptor) as EventDescriptor, wanted) === null),
      );
      if (!page.hasMore) break;
    }
    const [event, other] = fitting;
    if (event === undefined) {
      throw new DomainError(
        'announcement_missing',
        `oracle ${oracle.oracleId} has announced no event with these outcomes that is still open: ` +
          'post its announcement (POST /api/v1/dlc/announcements), or name the event in event_id',
        { field },
      );
    }
    if (other === undefined) return event;
    throw new DomainError(
      'invalid_value',
      `oracle ${oracle.oracleId} has announced several events with these outcomes (${event.eventId}, ${other.eventId}, …): name one in event_id`,
      { field },
    );
  }

  return {
    /** Throws `not_found` (oracle), `announcement_missing`, `invalid_value` where an event does not fit. */
    find,
    /** Has the local oracle announce what is not announced yet; ids in the order of the oracles. */
    async announce(accountId: AccountId, events: ContractEvents, wanted: EventDescriptor, maturityEpoch: number) {
      const kept: StoredAnnouncement[] = [];
      for (const [position, oracle] of events.oracles.entries()) {
        const event =
          events.announced[position] ??
          (await oracles.announceFor(accountId, { oracle: oracle.oracleId, descriptor: wanted, maturityEpoch }));
        kept.push({ event, announcement: parseAnnouncement(Buffer.from(event.announcement, 'hex')) });
      }
      return kept;
    },
  };
}

export type EventFinder = ReturnType<typeof createEventFinder>;

const fieldOf = (names: readonly string[], position: number): string =>
  names.length === 1 ? 'event_id' : `event_ids[${position}]`;

/** Why an announced event does not fit a contract, in words after "event …"; null where it does. */
function mismatch(announced: EventDescriptor, wanted: EventDescriptor): string | null {
  if (announced.kind !== wanted.kind) {
    return announced.kind === 'enum'
      ? 'has outcomes, and the contract a number'
      : 'is a number, and the contract has outcomes';
  }
  if (announced.kind === 'enum' && wanted.kind === 'enum') {
    const outcomes = new Set(announced.outcomes);
    const same = outcomes.size === wanted.outcomes.length && wanted.outcomes.every((outcome) => outcomes.has(outcome));
    return same ? null : 'has other outcomes than the contract';
  }
  if (announced.kind !== 'digits' || wanted.kind !== 'digits') return null;
  if (announced.base !== 2) return `is attested in base ${announced.base}, and contracts take base 2`;
  if (announced.signed) return 'is signed, and contracts take numbers from 0 on';
  return announced.digits === wanted.digits
    ? null
    : `has ${announced.digits} digits, and the contract ${wanted.digits}`;
}
