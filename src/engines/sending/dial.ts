/** A connection to a host that an account named: its addresses are checked where it is made, its certificate against the name. */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, connect as netConnect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { createAddressRules } from '../fetching/addresses.ts';
import { checkedLookup, type Resolve } from '../fetching/checked-lookup.ts';
import { FetchFailed } from '../fetching/fetching.ts';
import { SendFailed, type SendOptions, type SendStep, type TlsIdentity } from './sending.ts';

export interface DialingOptions {
  /** Addresses and networks that may be connected to though they are private. */
  readonly allowedNetworks: readonly string[];
  readonly resolve?: Resolve;
  /** Until the connection stands, TLS included. */
  readonly connectMs?: number;
}

export function createDialing({ allowedNetworks, resolve, connectMs = 5_000 }: DialingOptions) {
  const rules = createAddressRules(allowedNetworks);
  const lookup = checkedLookup(rules, resolve ?? ((hostname) => systemLookup(hostname, { all: true })));

  /** `tls` null: plain, for hosts that the operator named. */
  async function dial(
    { hostname, port, tls }: { hostname: string; port: number; tls: TlsIdentity | null },
    { signal, passed = () => {} }: SendOptions,
  ): Promise<Socket> {
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const limit = AbortSignal.timeout(connectMs);
    const ending = AbortSignal.any([signal, limit]);
    if (isIP(host) > 0 && !rules.allows(hostname, host)) throw refused();
    const socket = netConnect({ host, port, lookup: lookup as never });
    try {
      let resolved = isIP(host) > 0;
      if (resolved) passed('resolve', host);
      socket.once('lookup', (error: Error | null) => {
        if (error !== null) return;
        resolved = true;
        passed('resolve', host);
      });
      await happened(socket, 'connect', ending, (error) =>
        error instanceof FetchFailed
          ? new SendFailed('resolve', `${host}: ${error.message}`)
          : new SendFailed(resolved ? 'connect' : 'resolve', `${host}:${port} takes no connection${codeOf(error)}`),
      );
      // The lookup has decided; this is what it decided on.
      if (!rules.allows(hostname, socket.remoteAddress ?? '')) throw refused();
      passed('connect', `${socket.remoteAddress}:${port}`);
      return tls === null ? socket : await secured(socket, host, tls, ending, passed);
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  return { rules, dial };
}

async function secured(
  socket: Socket,
  host: string,
  { ca, certificate, privateKey }: TlsIdentity,
  signal: AbortSignal,
  passed: (step: SendStep, detail: string) => void,
): Promise<Socket> {
  const broken = (error: Error) =>
    new SendFailed('tls', `no TLS with ${host}: ${TLS_PROBLEMS[codeIn(error)] ?? `it failed${codeOf(error)}`}`);
  try {
    const within = tlsConnect({
      ...{ socket, host, minVersion: 'TLSv1.2', rejectUnauthorized: true },
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== null && { ca }),
      ...(certificate !== undefined && privateKey !== undefined && { cert: certificate, key: privateKey }),
    });
    await happened(within, 'secureConnect', signal, broken);
    passed('tls', within.getProtocol() ?? 'TLS');
    return within;
  } catch (error) {
    throw error instanceof SendFailed ? error : broken(error as Error);
  }
}

/** Rejects with what `failed` makes of the socket's error or of the signal. */
function happened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  failed: (error: Error) => SendFailed,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null): void => {
      signal.removeEventListener('abort', abort);
      socket.off('error', done).off('close', closed).off(event, stands);
      socket.on('error', () => {});
      if (error === null) resolve();
      else reject(failed(error));
    };
    const stands = (): void => done(null);
    const closed = (): void => done(new Error('closed'));
    const abort = (): void => done(Object.assign(new Error('timed out'), { code: 'TIMED_OUT' }));
    socket.once(event, stands).once('error', done).once('close', closed);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
}

const refused = (): SendFailed =>
  new SendFailed(
    'resolve',
    'the host has an address that is not connected to: private, loopback, link-local or reserved, and OUTBOUND_ALLOWED_NETWORKS does not name it',
  );

const codeIn = (error: Error): string => (error as NodeJS.ErrnoException).code ?? '';
/** Node's own codes, which say nothing of the other side's bytes. */
const codeOf = (error: Error): string => (/^[A-Z0-9_]+$/.test(codeIn(error)) ? ` (${codeIn(error)})` : '');

const TLS_PROBLEMS: Readonly<Record<string, string>> = {
  TIMED_OUT: 'it took too long',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by a known authority: give that as ca',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by a known authority: give that as ca',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by a known authority: give that as ca',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not signed by a known authority: give that as ca',
};
