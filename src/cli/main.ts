#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'

const words = process.argv.slice(2)
const runsLong = words[0] === 'serve' || words[0] === 'start'

// A short command allocates much and keeps little. A young generation fixed at 16 MiB takes a third of the garbage
// collection time of V8's initial size, and three quarters of the memory of its final size. The command also ends before
// the optimizing compiler pays off. Long-running commands use the defaults of V8.
if (!runsLong) setFlags('--semi-space-growth-factor=16', '--no-opt')

// Loading code takes half of the time of a short command; the compile cache avoids it from the second run on.
enableCompileCache()
const { openTerminal } = await import('./terminal.ts')

// Scripts of `landform completion` request completions of the words behind "--".
if (words[0] === 'complete' && words[1] === '--') {
  const { completeWords } = await import('./complete.ts')
  await completeWords(words.slice(2), openTerminal())
} else {
  const { loadCommands } = await import('./commands/table.ts')
  const { runProgram } = await import('./program.ts')
  const commands = await loadCommands(words)
  if (!runsLong) setFlags('--semi-space-growth-factor=1')
  process.exitCode = await runProgram(commands, words, openTerminal())
}

function setFlags(...flags: readonly string[]): void {
  for (const flag of flags) setFlagsFromString(flag)
}
