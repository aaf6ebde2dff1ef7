/** Imports nothing: whatever Node there is reads it. */

/** The first that has argon2 in `node:crypto`; `node:sqlite` and AsyncDisposableStack are older. */
const MIN = { major: 24, minor: 7 };

/** Why a Node cannot run the service, and what can; null where it can. `version` as in process.versions.node. */
export function nodeProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MIN.major || (major === MIN.major && minor >= MIN.minor)) return null;
  return (
    `Ashlar needs Node ${MIN.major}.${MIN.minor} or newer, and this is Node ${version}: npm start and npm run ashlar, ` +
    'run in the checkout, bring their own'
  );
}
