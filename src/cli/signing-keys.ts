/** `ashlar signing-keys pair|pem|proof`: keys that sign requests, on the client's side; the service never sees the private half. */
import { createPrivateKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { makeProof } from '../core/request-signatures/proof-of-possession.ts';
import { type PrivateJwk, publicJwkOf, thumbprintOf } from '../core/request-signatures/signing-algorithm.ts';
import { CREDENTIALS_FILE } from '../services/credentials/credentials-file.ts';
import { parseArguments } from './arguments.ts';
import { printJson, type Terminal } from './terminal.ts';
import { UsageError, usage } from './usage-error.ts';

const USAGE =
  'ashlar signing-keys pair, signing-keys pem [FILE], or signing-keys proof [FILE] --account ID --credential ID';
const KEY_FILE = z.object({
  private_key: z.object({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string().optional(), d: z.string() }),
});

export async function signingKeys(config: Config, args: string[], terminal: Terminal): Promise<void> {
  const [action, ...rest] = args;
  if (action === 'pair' && rest.length === 0) return printPair(terminal);
  if (action === 'pem' && rest.length <= 1) return printPem(privateJwk(config, rest[0], terminal), terminal);
  if (action === 'proof') return printProof(config, rest, terminal);
  throw usage(USAGE);
}

/** As it stands in a credentials file beside an api_key. */
function printPair(terminal: Terminal): void {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { kty, crv, x, d } = privateKey.export({ format: 'jwk' }) as PrivateJwk;
  const jwk = { kty, crv, x, d } as PrivateJwk;
  printJson(terminal, { key_id: thumbprintOf(publicJwkOf(jwk)), public_key: publicJwkOf(jwk), private_key: jwk });
}

/** PKCS #8, for openssl. */
function printPem(jwk: PrivateJwk, terminal: Terminal): void {
  const key = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
  terminal.out((key.export({ type: 'pkcs8', format: 'pem' }) as string).trimEnd());
}

/** The body with which POST /api/v1/signing-keys enrols the key. */
function printProof(config: Config, args: string[], terminal: Terminal): void {
  const { values, positionals } = parseArguments({
    args,
    allowPositionals: true,
    options: { account: { type: 'string' }, credential: { type: 'string' } },
  });
  const { account: accountId, credential: credentialId } = values;
  if (!accountId || !credentialId || positionals.length > 1) throw usage(USAGE);
  const jwk = privateJwk(config, positionals[0], terminal);
  const proof = makeProof(jwk, { accountId, credentialId }, Math.floor(Date.now() / 1000));
  // A key or client enrols for itself unless it says otherwise; a person's session names the person.
  const person = credentialId.startsWith('usr_') ? { credential: { kind: 'person', id: credentialId } } : {};
  printJson(terminal, { public_key: publicJwkOf(jwk), proof, ...person });
}

/** Of a file as `pair` or a credential's making gives it: by default the credentials that requests are made with. */
function privateJwk(config: Config, given: string | undefined, { env }: Terminal): PrivateJwk {
  const file = given ?? (env.ASHLAR_CREDENTIALS || join(config.dataDir, CREDENTIALS_FILE));
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return KEY_FILE.parse(JSON.parse(text)).private_key as PrivateJwk;
  } catch {
    throw new UsageError(`${file} holds no private_key (a JWK): ashlar signing-keys pair makes one`);
  }
}
