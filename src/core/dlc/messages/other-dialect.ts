import { DIALECTS, type Dialect } from '../dialect.ts';
import { DlcMessageError } from './message-error.ts';

/** Who writes which: so that a refusal tells what to ask for. */
const WRITTEN_BY: Readonly<Record<Dialect, string>> = {
  tagged: 'tagged, which dlcdevkit writes',
  'dlcspecs-vectors': "dlcspecs-vectors, which rust-dlc and dlcspecs' vectors write",
};

/** What `read` reads in the dialect; where that fails and another dialect's reading does not, the refusal says so. */
export function readIn<T>(dialect: Dialect, read: (dialect: Dialect) => T): T {
  try {
    return read(dialect);
  } catch (error) {
    if (!(error instanceof DlcMessageError)) throw error;
    const other = DIALECTS.find((one) => one !== dialect && reads(one, read));
    if (other === undefined) throw error;
    const { kind, path, offset, problem } = error;
    throw new DlcMessageError(kind, path, offset, `${problem}; the ${kind} is one of the dialect ${WRITTEN_BY[other]}`);
  }
}

function reads(dialect: Dialect, read: (dialect: Dialect) => unknown): boolean {
  try {
    read(dialect);
    return true;
  } catch (error) {
    if (error instanceof DlcMessageError) return false;
    throw error;
  }
}
