/**
 * Signed notes (C2SP signed-note) that hold a tree head (C2SP tlog-checkpoint):
 *
 *   <origin>
 *   <size>
 *   <root, base64>
 *
 *   — <key name> <base64 of key id and Ed25519 signature>
 *
 * The key name is the origin, so one key signs for many logs and no head can be taken for another log's.
 */
import { createPublicKey, hash, verify } from 'node:crypto';

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** A key that checks notes: its name and the 32 bytes of its Ed25519 public key. */
export interface NoteVerifier {
  readonly name: string;
  readonly publicKey: Uint8Array;
}

const ED25519 = 1;
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const SIGNATURE_LINE = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/;
const VERIFIER = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/;
const ROOT = /^[A-Za-z0-9+/]{43}=$/;
const SIZE = /^(0|[1-9]\d{0,15})$/;

/** The text that is signed, its last line break included. */
export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;

/** The first four bytes of SHA-256(name, line feed, type, key), 8 hex digits. */
export const noteKeyId = ({ name, publicKey }: NoteVerifier): string =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), Buffer.from([ED25519]), publicKey]), 'hex').slice(0, 8);

/** `<name>+<key id>+<base64 of type and key>`: what an auditor pins. */
export const verifierText = (verifier: NoteVerifier): string =>
  `${verifier.name}+${noteKeyId(verifier)}+${Buffer.concat([Buffer.from([ED25519]), verifier.publicKey]).toString('base64')}`;

/** Null for what is no Ed25519 verifier, or whose key id is not its key's. */
export function parseVerifier(text: string): NoteVerifier | null {
  const [, name, keyId, key] = VERIFIER.exec(text) ?? [];
  if (name === undefined || key === undefined) return null;
  const bytes = Buffer.from(key, 'base64');
  const verifier = { name, publicKey: bytes.subarray(1) };
  return bytes.length === 33 && bytes[0] === ED25519 && noteKeyId(verifier) === keyId ? verifier : null;
}

/** The whole note, signed by `sign` (Ed25519 over the text's bytes). */
export function signNote(text: string, verifier: NoteVerifier, sign: (message: Buffer) => Buffer): string {
  const signature = Buffer.concat([Buffer.from(noteKeyId(verifier), 'hex'), sign(Buffer.from(text))]);
  return `${text}\n\u2014 ${verifier.name} ${signature.toString('base64')}\n`;
}

/** The text of a note that this key signed; null where it did not. Signatures of other keys are passed over. */
export function openNote(note: string, verifier: NoteVerifier): string | null {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) return null;
  const text = note.slice(0, end + 1);
  const lines = note.slice(end + 2, -1).split('\n');
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, verifier.publicKey]), format: 'der', type: 'spki' });
  let signed = false;
  for (const line of lines) {
    const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? [];
    if (name === undefined || encoded === undefined) return null;
    const signature = Buffer.from(encoded, 'base64');
    if (name !== verifier.name || signature.subarray(0, 4).toString('hex') !== noteKeyId(verifier)) continue;
    if (!verify(null, Buffer.from(text), key, signature.subarray(4))) return null;
    signed = true;
  }
  return signed ? text : null;
}

/** Null for a text that is no checkpoint. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n');
  if (origin === '' || !SIZE.test(size) || !ROOT.test(root) || rest.at(-1) !== '') return null;
  return { origin, size: Number(size), root: Buffer.from(root, 'base64') };
}
