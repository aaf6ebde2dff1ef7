/** A certificate authority for a test, in a folder: certificates for 127.0.0.1 and localhost, and for clients. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certificate {
  readonly certificate: string;
  readonly key: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

export interface Authority {
  /** PEM. */
  readonly certificate: string;
  readonly file: string;
  issue(name: string): Certificate;
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export function createAuthority(folder: string, name = 'authority'): Authority {
  const at = (file: string) => join(folder, `${name}-${file}`);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const file = at('ca.pem');
  openssl('req', '-x509', ...CURVE, '-days', '30', '-subj', `/CN=${name}`, '-keyout', at('ca.key'), '-out', file);
  return {
    certificate: readFileSync(file, 'utf8'),
    file,
    issue(subject) {
      const [keyFile, request, certificateFile] = [at(`${subject}.key`), at(`${subject}.csr`), at(`${subject}.pem`)];
      writeFileSync(at('names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
      openssl('req', ...CURVE, '-subj', `/CN=${subject}`, '-keyout', keyFile, '-out', request);
      const signer = ['-CA', file, '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '30', '-extfile', at('names')];
      openssl('x509', '-req', '-in', request, ...signer, '-out', certificateFile);
      const [certificate, key] = [readFileSync(certificateFile, 'utf8'), readFileSync(keyFile, 'utf8')];
      return { certificate, key, certificateFile, keyFile };
    },
  };
}
