/** Which files of docs/ the service shows. They are beside src and dist, in the image too. */
import { type Dirent, readdirSync } from 'node:fs';
import { PACKAGE } from '../../../project.ts';

export const DOCS = new URL('docs/', PACKAGE);

/**
 * Who calls the API reads the rest. These are for who runs the service or changes it: what they name (variables, commands, decisions) is
 * at hand where the repository is, and a stranger need not read how this service is guarded.
 */
export const NOT_FOR_CLIENTS: readonly string[] = ['architecture', 'benchmarks', 'operating', 'security', 'upgrading'];
/** Beside the guides, what they show and link. */
const FOLDERS = ['browser', 'signing', 'taproot'] as const;

export interface GuideFiles {
  /** Names without `.md`, sorted. */
  readonly guides: string[];
  /** Paths below docs/. */
  readonly others: string[];
}

/** Throws where there is no such folder. */
export function guideFiles(): GuideFiles {
  const guides = namesIn('')
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .filter((name) => !NOT_FOR_CLIENTS.includes(name));
  return { guides, others: FOLDERS.flatMap((folder) => namesIn(`${folder}/`).map((name) => `${folder}/${name}`)) };
}

const namesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, DOCS), { withFileTypes: true })
    .filter((entry: Dirent) => entry.isFile())
    .map(({ name }) => name)
    .sort();
