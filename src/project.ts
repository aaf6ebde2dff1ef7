import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';

/** package.json of the folder that src or dist is in. docs is beside it. */
export const PACKAGE = pathToFileURL(findPackageJSON(import.meta.url) as string);
