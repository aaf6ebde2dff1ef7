/** Who asks, and what a service needs to know of the request. Made by the hook layer, of what authentication and signature found out. */
import type { Rights } from '../../core/access.ts';
import type { AccountId } from '../../core/ids.ts';
import type { RulesChangeText } from '../../core/policies/rules-change.ts';
import type { Repositories } from '../../store/store.ts';

/** What a credential is, whichever way it was presented. */
export type CredentialKind = 'api_key' | 'oauth_client' | 'person';

export interface Credential extends Rights {
  readonly kind: CredentialKind;
  /** key_…, a client id, usr_… */
  readonly id: string;
  /**
   * The person whose voice it is, usr_…: the one it is of, or who made it, if through other credentials. null: nobody's, it counts as itself.
   */
  readonly countsAs: string | null;
  /**
   * Which enrolled key may sign for it. `any`: each key enrolled for the credential. A person's token names one (`cnf.jkt`), or none:
   * then it reads, and changes only that person's own profile and password.
   */
  readonly signingKey: 'any' | 'none' | { readonly keyId: string };
  /** Of a person's token: the login that it came from. */
  readonly sessionId?: string;
}

/** Whose public operations are: nobody is known. */
export const NO_ACCOUNT = '' as string as AccountId;

/** Who a presented credential speaks for. */
export interface Caller {
  readonly accountId: AccountId;
  readonly accountFrozen: boolean;
  /** The account that runs the service: its administrators make accounts. */
  readonly platform: boolean;
  readonly credential: Credential;
}

export interface RequestContext {
  readonly requestId: string;
  /** NO_ACCOUNT for public operations. */
  readonly accountId: AccountId;
  readonly platform: boolean;
  readonly credential: Credential;
  /** Present on idempotent operations: the Idempotency-Key, or the signature's nonce. */
  readonly idempotency: IdempotencyClaim | null;
  /** What the audit log tells of the request. */
  readonly facts: RequestFacts;
  /**
   * Set by recordRequest: the hook layer records by itself what an operation ended without recording. Where the operation fails, the job
   * that wrote this record may have been undone: what is in the log decides.
   */
  readonly outcome: { recorded: AuditPlace | null };
  /** Of a read of data of people; services/audit/record-read.ts. */
  readonly auditsReads?: true;
  /** Of an operation that rules decide on: it moves coins, or signs. */
  readonly spends?: boolean;
  /** Of an operation that changes who may decide; services/policies/pass-change.ts. */
  readonly changesRules?: {
    /** What a request for a record is answered. */
    present(record: object): object;
    /** What was approved, and when it was asked for (epoch milliseconds); null: nothing yet. */
    readonly approved: { readonly signs: RulesChangeText; readonly askedAt: number } | null;
  };
  /** Of what is done later than it was asked for: records the effect in the place of recordRequest. */
  readonly recordInstead?: (
    tx: Repositories,
    effect: { readonly result: unknown; readonly target: string | null; readonly commitment?: string },
  ) => Promise<void>;
  /** Aborts when the request is given up: it took too long, or its client is gone. Whatever takes long ends then. */
  readonly signal: AbortSignal;
}

/** What reading a record needs to know of its reader, who need not be a request: a webhook has rights, and signs nothing. */
export interface Reading {
  readonly accountId: AccountId;
  readonly credential: Pick<Credential, 'kind' | 'id' | 'role' | 'scopes' | 'requireSignature'>;
  readonly facts: Pick<RequestFacts, 'signature'>;
}

/** Where a record of the audit log stands. */
export interface AuditPlace {
  readonly logId: string;
  readonly recordId: string;
}

/** What is known of a request however it ends; never a secret. */
export interface RequestFacts {
  /** Operation id. */
  readonly operation: string;
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly remoteAddress: string;
  /** RFC 9530 `sha-256=:…:`; null without a body, and where the body holds a secret: its digest would let one be guessed. */
  readonly contentDigest: string | null;
  readonly signature: RequestSignature | null;
}

/** A verified RFC 9421 signature. */
export interface RequestSignature {
  /** RFC 7638 thumbprint of the enrolled key. */
  readonly keyId: string;
  readonly algorithm: string;
  readonly nonce: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Keyed digest of the request (hooks/idempotency.ts): what tells a resend from another request under the same nonce. */
  readonly fingerprint: string;
  /** Signature base and value (base64). Both null where the body holds a secret: together with the public key they would confirm a guess. */
  readonly base: string | null;
  readonly value: string | null;
}

interface Kept {
  readonly status: number;
  readonly body: string;
}

/** A key whose answer is to be committed with the effect (services/requests/record-request.ts does it). */
export interface IdempotencyClaim {
  readonly key: string;
  /** HMAC-SHA-256 over method, path, query and body, hex. */
  readonly fingerprint: string;
  readonly operation: string;
  /** When the request came, epoch milliseconds: the kept answer lives for a day from then. */
  readonly at: number;
  /** The answer that this result would be given: status, and JSON text encrypted under the master key, as it is to be stored. */
  answer(result: unknown): Kept | Promise<Kept>;
}
