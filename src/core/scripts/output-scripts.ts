/** Output scripts by what they pay to. */
import { hash160, sha256 } from '../hashes.ts';

/** P2PKH, which is also the script code of a P2WPKH program (BIP143). */
export const keyHashScript = (keyHash: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(0x76, 0xa9, 20), keyHash, Buffer.of(0x88, 0xac)]);

export const scriptHashScript = (scriptHash: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(0xa9, 20), scriptHash, Buffer.of(0x87)]);

/** `version`: 0 to 16. */
export const witnessProgramScript = (version: number, program: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(version === 0 ? 0 : 0x50 + version, program.length), program]);

export const p2pkh = (key: Uint8Array): Buffer => keyHashScript(hash160(key));
export const p2wpkh = (key: Uint8Array): Buffer => witnessProgramScript(0, hash160(key));
export const p2wsh = (script: Uint8Array): Buffer => witnessProgramScript(0, sha256(script));
export const p2sh = (script: Uint8Array): Buffer => scriptHashScript(hash160(script));
export const p2tr = (outputKey: Uint8Array): Buffer => witnessProgramScript(1, outputKey);
