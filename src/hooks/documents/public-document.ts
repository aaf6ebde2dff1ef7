/**
 * What everybody may read and stays as it is while the process runs: made when it is first asked for, and kept as it is and compressed,
 * each form made once, by zlib's threads.
 */
import { subtle } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export const CODINGS = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof CODINGS)[number];

/** Beyond it brotli takes several times as long for a few per cent. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
export const compressed = { br: promisify(brotliCompress), gzip: promisify(gzip) };

export interface DocumentForm {
  readonly bytes: Uint8Array;
  /** A strong validator (RFC 9110 §8.8.3): each coding is a representation of its own. */
  readonly etag: string;
}

export class PublicDocument {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #load: () => Promise<Uint8Array | string>;
  readonly #forms = new Map<Coding, Promise<DocumentForm>>();

  /** `type`: its media type. `headers`: of every answer with it. */
  constructor(type: string, load: () => Promise<Uint8Array | string>, headers: Readonly<Record<string, string>> = {}) {
    this.type = type;
    this.headers = headers;
    this.#load = load;
  }

  in(coding: Coding): Promise<DocumentForm> {
    const kept = this.#forms.get(coding);
    if (kept !== undefined) return kept;
    const form = coding === 'identity' ? this.#plain() : this.#compressed(coding);
    this.#forms.set(coding, form);
    // Whoever asks next has it made again.
    form.catch(() => this.#forms.delete(coding));
    return form;
  }

  async #plain(): Promise<DocumentForm> {
    const made = await this.#load();
    const bytes = typeof made === 'string' ? Buffer.from(made) : made;
    const digest = Buffer.from(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
    return { bytes, etag: `"${digest.toString('base64url', 0, 15)}"` };
  }

  async #compressed(coding: 'br' | 'gzip'): Promise<DocumentForm> {
    const plain = await this.in('identity');
    const bytes = coding === 'br' ? await compressed.br(plain.bytes, BROTLI) : await compressed.gzip(plain.bytes);
    return { bytes, etag: `${plain.etag.slice(0, -1)}-${coding}"` };
  }
}
