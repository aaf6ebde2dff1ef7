import { readFileSync } from 'node:fs';
import { PACKAGE } from '../project.ts';

export interface PackageFacts {
  version: string;
  license: string;
}

export function packageFacts(): PackageFacts {
  const { version, license } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as PackageFacts;
  return { version, license };
}
