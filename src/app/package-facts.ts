import { readFileSync } from 'node:fs';

export interface PackageFacts {
  version: string;
  license: string;
}

/** From the package beside src or dist. */
export function packageFacts(): PackageFacts {
  const file = new URL('../../package.json', import.meta.url);
  const { version, license } = JSON.parse(readFileSync(file, 'utf8')) as PackageFacts;
  return { version, license };
}
