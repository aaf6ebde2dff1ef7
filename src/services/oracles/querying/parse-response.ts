/**
 * What an oracle's server answers, in the forms in use: the TLV as bytes, as hex, as JSON text; in a JSON object of the oracle explorer's
 * form ({result: {announcement, attestations}}) or plainly ({announcement}, {attestation}); or taken apart as kormir and rust-dlc write it.
 */
import { z } from 'zod';
import { HEX } from '../../../core/bytes.ts';
import { parseAnnouncement, serializeAnnouncement } from '../../../core/dlc/messages/announcement.ts';
import { parseAttestation } from '../../../core/dlc/messages/attestation.ts';
import type { OracleAnnouncement, OracleAttestation } from '../../../core/dlc/oracle-event.ts';
import type { Fetched } from '../../../engines/fetching/fetching.ts';

/** An answer that is none of the forms, or holds something that is no announcement or attestation. Tells nothing of what it holds. */
export class UnreadableAnswer extends Error {
  constructor() {
    super("the oracle's answer is neither an announcement nor an attestation in a form that is read");
    this.name = 'UnreadableAnswer';
  }
}

const hexText = z
  .string()
  .trim()
  .min(1)
  .regex(HEX)
  .transform((text) => Uint8Array.from(Buffer.from(text, 'hex')));
const bytesOf = (length: number) => hexText.refine((bytes) => bytes.length === length);

const takenApartAnnouncement = z.object({
  announcementSignature: bytesOf(64),
  oraclePublicKey: bytesOf(32),
  oracleEvent: z.object({
    oracleNonces: z.array(bytesOf(32)),
    eventMaturityEpoch: z.int().min(0).max(0xffff_ffff),
    eventDescriptor: z.union([
      z.object({ enumEvent: z.object({ outcomes: z.array(z.string()) }) }),
      z.object({
        digitDecompositionEvent: z.object({
          base: z.int(),
          isSigned: z.boolean(),
          unit: z.string(),
          precision: z.int(),
          nbDigits: z.int(),
        }),
      }),
    ]),
    eventId: z.string(),
  }),
});

/** Older servers leave out of which event it is. */
const takenApartAttestation = z.object({
  eventId: z.string().default(''),
  oraclePublicKey: bytesOf(32),
  signatures: z.array(bytesOf(64)),
  outcomes: z.array(z.string()),
});

const announcementMember = z.object({ announcement: hexText });
const attestationMember = z.union([z.object({ attestation: hexText }), z.object({ attestations: hexText })]);

/** With its TLV. Throws UnreadableAnswer. */
export function announcementIn(fetched: Fetched): { announcement: OracleAnnouncement; bytes: Uint8Array } {
  return reading(() => {
    const content = contentOf(fetched);
    const bytes =
      content instanceof Uint8Array
        ? content
        : (announcementMember.safeParse(content).data?.announcement ?? serialized(content));
    return { announcement: parseAnnouncement(bytes), bytes };
  });
}

/** null: it tells of the event, and that it is not attested yet. Throws UnreadableAnswer. */
export function attestationIn(fetched: Fetched): OracleAttestation | null {
  return reading(() => {
    const content = contentOf(fetched);
    if (content instanceof Uint8Array) return parseAttestation(content);
    if (isUnattested(content)) return null;
    const member = attestationMember.safeParse(content).data;
    if (member !== undefined)
      return parseAttestation('attestation' in member ? member.attestation : member.attestations);
    const { eventId, oraclePublicKey, signatures, outcomes } = takenApartAttestation.parse(content);
    return { eventId, publicKey: oraclePublicKey, signatures, outcomes };
  });
}

/** Bytes, or what a JSON object holds. */
function contentOf({ kind, body }: Fetched): Uint8Array | unknown {
  if (kind === 'binary') return Uint8Array.from(body);
  const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  if (kind === 'text') return hexText.parse(text);
  const json: unknown = JSON.parse(text);
  if (typeof json === 'string') return hexText.parse(json);
  const wrapped = z.object({ result: z.record(z.string(), z.unknown()) }).safeParse(json);
  return wrapped.success ? wrapped.data.result : json;
}

const isUnattested = (content: unknown): boolean =>
  z.union([z.object({ attestations: z.null() }), z.object({ attestation: z.null() })]).safeParse(content).success;

function serialized(content: unknown): Uint8Array {
  const { announcementSignature, oraclePublicKey, oracleEvent } = takenApartAnnouncement.parse(content);
  const { oracleNonces, eventMaturityEpoch, eventDescriptor, eventId } = oracleEvent;
  return serializeAnnouncement({
    signature: announcementSignature,
    publicKey: oraclePublicKey,
    event: {
      nonces: oracleNonces,
      maturityEpoch: eventMaturityEpoch,
      eventId,
      descriptor:
        'enumEvent' in eventDescriptor
          ? { kind: 'enum', outcomes: eventDescriptor.enumEvent.outcomes }
          : digitsOf(eventDescriptor.digitDecompositionEvent),
    },
  });
}

const digitsOf = (event: { base: number; isSigned: boolean; unit: string; precision: number; nbDigits: number }) => ({
  kind: 'digits' as const,
  base: event.base,
  signed: event.isSigned,
  unit: event.unit,
  precision: event.precision,
  digits: event.nbDigits,
});

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new UnreadableAnswer();
  }
}
