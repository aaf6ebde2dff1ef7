/**
 * Ends the process of a test file that neither passes nor fails: vitest's time-outs end no loop, no child that is waited for synchronously,
 * and nothing that happens while a file is loaded. It says where the file hangs, and adds its path to the file that HUNG_FILES names.
 */
import { Worker } from 'node:worker_threads';
import { expect } from 'vitest';

/** The longest file takes five minutes of two idle cores. */
const LIMIT_MS = Number(process.env.HANGS_AFTER_MS ?? 15 * 60_000);

/** A thread, because the one to be watched may be busy. */
const WATCH = `
const { execFileSync } = require('node:child_process');
const { appendFileSync, writeSync } = require('node:fs');
const { Session } = require('node:inspector');
const { parentPort, workerData } = require('node:worker_threads');
const { limitMs, pid } = workerData;
let [file, since] = ['', Date.now()];
parentPort.on('message', (next) => ([file, since] = [next, Date.now()]));
const say = (text) => writeSync(2, text + '\\n');
function end() {
  try {
    say(execFileSync('ps', ['-o', 'pid,etimes,stat,args', '--ppid', String(pid)], { encoding: 'utf8', timeout: 5000 }));
    execFileSync('pkill', ['-KILL', '-P', String(pid)], { timeout: 5000 });
  } catch {}
  if (process.env.HUNG_FILES) appendFileSync(process.env.HUNG_FILES, file + '\\n');
  process.kill(pid, 'SIGKILL');
}
const watching = setInterval(() => {
  if (Date.now() - since < limitMs) return;
  clearInterval(watching);
  say('HANGS for ' + limitMs / 1000 + ' s: ' + file + '. Its call stack, if it runs; then its child processes:');
  const session = new Session();
  session.connectToMainThread();
  const urls = new Map();
  session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
  session.on('Debugger.paused', ({ params }) => {
    for (const { functionName, location } of params.callFrames)
      say('  at ' + functionName + ' ' + urls.get(location.scriptId) + ':' + (location.lineNumber + 1));
    end();
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
  setTimeout(end, 3000);
}, Math.min(limitMs, 5000));
`;

const OF_PROCESS = Symbol.for('ashlar.watchdog');
const kept = globalThis as { [OF_PROCESS]?: Worker };
if (kept[OF_PROCESS] === undefined) {
  const workerData = { limitMs: LIMIT_MS, pid: process.pid };
  kept[OF_PROCESS] = new Worker(WATCH, { eval: true, workerData });
  kept[OF_PROCESS].unref();
}
kept[OF_PROCESS].postMessage(expect.getState().testPath);
