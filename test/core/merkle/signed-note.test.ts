import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  checkpointText,
  noteKeyId,
  openNote,
  parseCheckpoint,
  parseVerifier,
  signNote,
  verifierText,
} from '../../../src/core/merkle/signed-note.ts';

/** The examples of C2SP's signed-note and of golang.org/x/mod/sumdb/note. */
const FOO = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const FOO_NOTE =
  'This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';

function newKey(name: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const verifier = { name, publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32) };
  return { verifier, sign: (message: Buffer) => sign(null, message, privateKey) };
}

describe('signed notes', () => {
  it('opens the published example', () => {
    const verifier = parseVerifier(FOO)!;
    expect(verifierText(verifier)).toBe(FOO);
    expect(noteKeyId(verifier)).toBe('530d903a');
    expect(openNote(FOO_NOTE, verifier)).toBe('This is an example message.\n');
    expect(openNote(FOO_NOTE.replace('example message', 'exemple message'), verifier)).toBeNull();
  });

  it('reads and writes checkpoints', () => {
    const head = {
      origin: 'example.com/behind-the-sofa',
      size: 20852163,
      root: Buffer.from('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=', 'base64'),
    };
    const text = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
    expect(checkpointText(head)).toBe(text);
    expect(parseCheckpoint(text)).toEqual(head);
    for (const wrong of ['', 'a\n', text.trimEnd(), text.replace('2085', '02085'), text.replace('CsU', 'C!U')]) {
      expect(parseCheckpoint(wrong)).toBeNull();
    }
  });

  it('takes a note from the named key alone', () => {
    const ours = newKey('ashlar/one');
    const theirs = newKey('ashlar/one');
    const note = signNote('ashlar/one\n1\nroot\n', ours.verifier, ours.sign);
    expect(openNote(note, ours.verifier)).toBe('ashlar/one\n1\nroot\n');
    expect(openNote(note, theirs.verifier)).toBeNull();
    expect(openNote(note, { ...ours.verifier, name: 'ashlar/two' })).toBeNull();
    expect(openNote(signNote('ashlar/one\n1\nroot\n', ours.verifier, theirs.sign), ours.verifier)).toBeNull();
    expect(openNote(note.slice(0, -1), ours.verifier)).toBeNull();
    const cosigned = `${note}${signNote('x\n', theirs.verifier, theirs.sign).split('\n\n')[1]}`;
    expect(openNote(cosigned, ours.verifier)).toBe('ashlar/one\n1\nroot\n');
    // A signature that holds, under a name that is not the key's.
    expect(openNote(note.replace('\u2014 ashlar/one', '\u2014 ashlar/two'), ours.verifier)).toBeNull();
    // One of the key that does not hold spoils the note, whatever stands beside it.
    const wrong = signNote('another\n', ours.verifier, ours.sign).split('\n\n')[1];
    expect(openNote(`${note}${wrong}`, ours.verifier)).toBeNull();
  });

  it("takes no verifier whose key id is not its key's, or whose key is none", () => {
    const { verifier } = newKey('ashlar/one');
    const text = verifierText(verifier);
    expect(parseVerifier(text)).toEqual({ ...verifier, publicKey: Buffer.from(verifier.publicKey) });
    const [name, keyId = '', key] = text.split('+', 3);
    const rest = text.slice(`${name}+${keyId}+`.length);
    expect(key).toBeDefined();
    expect(parseVerifier(`${name}+${keyId === '00000000' ? '00000001' : '00000000'}+${rest}`)).toBeNull();
    expect(parseVerifier(`${name}x+${keyId}+${rest}`)).toBeNull();
    expect(parseVerifier(`${name}+${keyId}`)).toBeNull();
  });
});
