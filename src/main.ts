/** Where the process begins. An older Node fails at the first module that it lacks, so that none is imported before its version is known. */
import { nodeProblem } from './app/node-version.ts';

const problem = nodeProblem(process.versions.node);
if (problem === null) void (await import('./app/process.ts')).runService();
else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
