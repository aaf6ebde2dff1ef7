/** Carries what accounts send to servers that they named: over connections whose address and certificate were checked, bounded in time. */

/** What a connection is tried by, in this order. */
export const SEND_STEPS = ['resolve', 'connect', 'tls', 'authenticate', 'deliver', 'object_lock'] as const;
export type SendStep = (typeof SEND_STEPS)[number];

/** Did not go beyond this step. The message is a sentence for whoever named the server; nothing of what that answered is in it. */
export class SendFailed extends Error {
  readonly step: SendStep;
  constructor(step: SendStep, message: string) {
    super(message);
    this.name = 'SendFailed';
    this.step = step;
  }
}

/** PEM. */
export interface TlsIdentity {
  /** Of the certificates that are trusted in place of the system's; null: the system's. */
  readonly ca: string | null;
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
}

export interface HttpSend {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  readonly ca: string | null;
  /** So much of the answer is read, and its status counts however the rest of it comes; unless said, an answer that breaks off is none. */
  readonly replyBytes?: number;
}

export interface HttpReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Its first 16 KiB, unless said. */
  readonly body: string;
  /** It is from a host that only OUTBOUND_ALLOWED_NETWORKS opens: what it says is for the operator's eyes. */
  readonly opened: boolean;
}

export interface S3Send {
  readonly method: 'HEAD' | 'PUT';
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly bytes: Buffer; readonly sha256: Buffer } | null;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly ca: string | null;
}

/** Of each try: what went well is told as it does. */
export interface SendOptions {
  readonly signal: AbortSignal;
  readonly passed?: (step: SendStep, detail: string) => void;
  /** Awaited by `http` before it writes, and before it resolves: of many at once so many go on in one turn of the event loop. */
  readonly turn?: (() => Promise<void>) | undefined;
}

/** All reject with SendFailed. */
export interface Sending {
  /** Why a URL, or a host and port, would not be connected to; null where it would. Names are not resolved here. */
  urlProblem(url: string): string | null;
  hostProblem(hostname: string, port: number): string | null;
  /** Redirects are not followed: they are answers. */
  http(request: HttpSend, options: SendOptions): Promise<HttpReply>;
  /** The same signed by AWS Signature Version 4; the bucket in the path. */
  s3(request: S3Send, options: SendOptions): Promise<HttpReply>;
  /**
   * Writes the frames over TLS, closes, and resolves once the other side has closed in order: it has read all of them by then, which is all
   * that syslog has for an acknowledgement.
   */
  syslog(
    target: { readonly hostname: string; readonly port: number; readonly tls: TlsIdentity },
    frames: readonly Buffer[],
    options: SendOptions,
  ): Promise<void>;
}
