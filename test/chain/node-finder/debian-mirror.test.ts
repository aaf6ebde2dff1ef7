import { describe, expect, it } from 'vitest';
import { debianMirror } from '../../../src/chain/node-finder/debian-mirror.ts';

const deb822 = (text: string) => debianMirror([{ name: '/etc/apt/sources.list.d/debian.sources', text }]);
const oneLine = (text: string) => debianMirror([{ name: '/etc/apt/sources.list', text }]);

describe('the Debian mirror in apt sources', () => {
  it('is found in deb822 stanzas, past those of others and of the security archive', () => {
    const text = `Types: deb
URIs: https://deb.vendor.example/node
Suites: nodistro
Components: main

# the archive
Types: deb deb-src
URIs: http://mirror.example/debian
Suites: bookworm
  bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
`;
    expect(deb822(text)).toBe('http://mirror.example/debian');
    expect(
      deb822('Types: deb\nURIs: http://s.example/debian-security\nSuites: bookworm-security\nComponents: main'),
    ).toBeNull();
  });

  it('is found in one-line sources, options and comments aside', () => {
    const text = `# deb http://old.example/debian bookworm main
deb [arch=amd64] https://packages.vendor.example/apt cloud-sdk-bookworm main
deb-src http://src.example/debian trixie main
deb [signed-by=/k.gpg arch=amd64] http://mirror.example/debian trixie main non-free # near
`;
    expect(oneLine(text)).toBe('http://mirror.example/debian');
  });

  it('is not what is switched off, holds no main, or belongs to another distribution', () => {
    expect(deb822('Enabled: no\nTypes: deb\nURIs: http://m.example\nSuites: sid\nComponents: main')).toBeNull();
    expect(deb822('Types: deb-src\nURIs: http://m.example\nSuites: sid\nComponents: main')).toBeNull();
    expect(oneLine('deb http://m.example/debian trixie contrib')).toBeNull();
    expect(oneLine('deb http://archive.example/ubuntu noble main universe')).toBeNull();
    expect(debianMirror([])).toBeNull();
  });

  it('may be a mirror list of apt itself', () => {
    const text = 'Types: deb\nURIs: mirror+file:/etc/apt/mirrors/debian.list\nSuites: trixie\nComponents: main';
    expect(deb822(text)).toBe('mirror+file:/etc/apt/mirrors/debian.list');
  });
});
