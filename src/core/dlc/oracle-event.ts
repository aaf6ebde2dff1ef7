/** What an oracle announces and attests (dlcspecs Oracle.md, Messaging.md). Points are x-only, 32 bytes; signatures BIP340, 64 bytes. */

export type EventDescriptor =
  | { readonly kind: 'enum'; readonly outcomes: readonly string[] }
  | {
      readonly kind: 'digits';
      /** 2 in every contract; announcements of other bases can be read. */
      readonly base: number;
      /** A sign, "+" or "-", is attested before the digits. */
      readonly signed: boolean;
      readonly unit: string;
      /** Decimal exponent: the value is digits times 10 to this. int32. */
      readonly precision: number;
      /** Without the sign. */
      readonly digits: number;
    };

export interface OracleEvent {
  /** One for an enumeration; one per digit, the sign's first. */
  readonly nonces: readonly Uint8Array[];
  /** Unix seconds: not attested earlier. */
  readonly maturityEpoch: number;
  readonly descriptor: EventDescriptor;
  readonly eventId: string;
}

export interface OracleAnnouncement {
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly event: OracleEvent;
}

export interface OracleAttestation {
  readonly eventId: string;
  readonly publicKey: Uint8Array;
  /** In the order of the event's nonces. */
  readonly signatures: readonly Uint8Array[];
  /** What was signed, in the same order: the outcome, or a digit each (in base 10 text). */
  readonly outcomes: readonly string[];
}
